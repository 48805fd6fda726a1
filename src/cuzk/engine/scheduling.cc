// Who goes next: admission of partitions by order, gate, circuit and memory; launches; outcomes. All of it
// with the engine's mutex held, none of it blocking.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/proving/prove.h"

namespace cuzk::engine {

FailureClass classify(const Error& error) {
  switch (error.code) {
    case ErrorCode::kBadInput:
    case ErrorCode::kUnsatisfied:
    case ErrorCode::kUsage:
    case ErrorCode::kUnsupported:
      return FailureClass::kInvalidInput;
    case ErrorCode::kParams:
      return FailureClass::kParams;
    case ErrorCode::kIo:
      return FailureClass::kResource;
    default:
      return FailureClass::kInternal;
  }
}

FailureClass classify_device(const Error& error) {
  if (error.code == ErrorCode::kParams) return FailureClass::kParams;
  return error.code == ErrorCode::kIo ? FailureClass::kResource : FailureClass::kInternal;
}

std::uint64_t result_bytes(const JobResult& result) {
  std::uint64_t bytes = sizeof(JobResult) + result.proof.size() + result.message.size();
  if (result.evidence)
    for (const std::vector<std::uint8_t>& proof : result.evidence->proofs) bytes += proof.size();
  return bytes;
}

OrderKey Engine::Impl::key_of(const Job& job, std::uint32_t partition) {
  return {static_cast<std::uint8_t>(4 - static_cast<unsigned>(job.identity.priority)),
          config_.sort_by_type ? static_cast<std::uint8_t>(job.identity.kind) : std::uint8_t{0}, job.sequence,
          partition, next_serial_++};
}

// ---- from accepted to waiting

void Engine::Impl::enqueue(const JobPtr& job) {
  if (mode_ == PipelineMode::kBatched) {
    collect(job);
    return;
  }
  std::deque<Member> members;
  for (std::uint32_t k = 0; k < job->partitions.size(); ++k) members.push_back({job, k});
  wait_for_admission(std::move(members),
                     mode_ == PipelineMode::kMonolithic || mode_ == PipelineMode::kWholeJob);
}

void Engine::Impl::collect(const JobPtr& job) {
  // PoSt proofs are single partitions with a deadline: they never wait for company.
  const bool alone = job->identity.kind == ProofKind::winning_post ||
                     job->identity.kind == ProofKind::window_post_partition ||
                     job->identity.priority == Priority::kCritical || admission_stopped_;
  std::size_t partitions = job->partitions.size();
  bool more_urgent = false;
  bool other_circuit = false;
  if (batch_) {
    for (const JobPtr& other : batch_->jobs) {
      partitions += other->partitions.size();
      more_urgent = more_urgent || job->identity.priority > other->identity.priority;
    }
    other_circuit = batch_->jobs.front()->circuit_id != job->circuit_id;
  }
  const CachedCircuit& circuit = cache_.entry(job->circuit_id);
  const bool too_large =
      circuit.shape != nullptr && circuit.total_bytes(partitions) > budget_.room(MemoryUse::kKeys);
  if (batch_ && (alone || other_circuit || too_large)) flush_batch();
  if (!batch_) batch_.emplace(Batch{{}, now() + config_.max_batch_wait});
  batch_->jobs.push_back(job);
  if (alone || more_urgent || batch_->jobs.size() >= config_.max_batch_size) flush_batch();
}

void Engine::Impl::flush_batch() {
  std::vector<JobPtr> jobs = std::exchange(batch_, std::nullopt)->jobs;
  std::stable_sort(jobs.begin(), jobs.end(), [](const JobPtr& a, const JobPtr& b) {
    return a->identity.priority > b->identity.priority;
  });
  std::deque<Member> members;
  for (const JobPtr& job : jobs)
    for (std::uint32_t k = 0; k < job->partitions.size(); ++k) members.push_back({job, k});
  if (!members.empty()) wait_for_admission(std::move(members), true);
}

void Engine::Impl::wait_for_admission(std::deque<Member> members, bool together) {
  const OrderKey key = key_of(*members.front().job, members.front().partition);
  for (const Member& member : members) {
    member.get().state = PartitionState::kWaiting;
    member.get().waiting_key = key;
  }
  waiting_.push(key, Waiting{std::move(members), together});
}

// ---- from waiting to synthesis

bool Engine::Impl::goes_before(const Job& a, const Job& b) const {
  const auto place = [this](const Job& job) {
    return std::tuple(-static_cast<int>(job.identity.priority),
                      config_.sort_by_type ? static_cast<int>(job.identity.kind) : 0, job.sequence);
  };
  return place(a) < place(b);
}

bool Engine::Impl::gate_open(const Waiting& waiting) const {
  switch (mode_) {
    case PipelineMode::kPerPartition:
      return true;
    case PipelineMode::kMonolithic:
      return launches_in_flight_ == 0;
    case PipelineMode::kWholeJob:
    case PipelineMode::kBatched:
      return launches_in_synthesis_ < config_.synthesis_concurrency &&
             device_queue_.size() < config_.synthesis_lookahead;
    case PipelineMode::kSlotted:
      break;
  }
  // At most slot_size partitions of one job between admission and pickup, and a bounded number of jobs before
  // it in the order that have begun and are not through their synthesis. (Before it: the first of all is
  // always let in, so no two wait for each other.)
  const Job& mine = *waiting.members.front().job;
  const auto before_device = [](const Partition& p) {
    return p.launch != nullptr && p.state <= PartitionState::kDeviceQueue;
  };
  if (std::count_if(mine.partitions.begin(), mine.partitions.end(), before_device) >=
      static_cast<std::ptrdiff_t>(config_.slot_size))
    return false;
  std::size_t others = 0;
  for (const auto& [sequence, job] : live_) {
    if (!job->running || job->settled || !goes_before(*job, mine)) continue;
    if (std::any_of(job->partitions.begin(), job->partitions.end(),
                    [](const Partition& p) { return p.state <= PartitionState::kSynthesis; }))
      ++others;
  }
  return others < config_.synthesis_concurrency;
}

Engine::Impl::Room Engine::Impl::make_room(std::uint64_t bytes, const CachedCircuit& keep, bool urgent,
                                           Wake& wake) {
  const std::uint64_t evictions = cache_.evictions();
  const Room room = cache_.make_room(bytes, &keep, urgent, now(), wake);
  if (cache_.evictions() != evictions) changed();  // the keeper frees what went
  return room;
}

/// Whether the circuit is on its way, or what its memory waits for. One with a spoiled key is: what is in
/// flight ends, and then it is asked for again.
Engine::Impl::Room Engine::Impl::want(CachedCircuit& circuit, const OrderKey& key, bool urgent, Wake& wake) {
  if (circuit.loading || circuit.spoiled) return Room::kThere;
  if (circuit.shape != nullptr) {
    const Room room = make_room(circuit.key_bytes() + circuit.launch_bytes(), circuit, urgent, wake);
    if (room != Room::kThere) return room;
    cache_.reserve_key(circuit);
  }
  circuit.loading = true;
  OrderKey load_key = key;
  load_key.serial = next_serial_++;
  load_queue_.push(load_key, LoadTask{&circuit, nullptr});
  changed();
  return Room::kThere;
}

void Engine::Impl::waits_for_load(Job& job) {
  if (!job.load_began) job.load_began = now();
  job.waited_for_load = true;
}

/// Begins to load the job's circuit before a synthesis worker is free to ask for it, if nothing has to go for
/// it.
void Engine::Impl::prefetch(Job& job) {
  CachedCircuit& circuit = cache_.entry(job.circuit_id);
  if (circuit.hot()) return;
  waits_for_load(job);
  if (circuit.shape != nullptr &&
      !budget_.fits(MemoryUse::kKeys, circuit.key_bytes() + circuit.launch_bytes()))
    return;
  Wake wake;
  (void)want(circuit, key_of(job, 0), false, wake);
}

Engine::Impl::Verdict Engine::Impl::consider(const OrderKey& key, const Waiting& waiting, Wake& wake) {
  if (!gate_open(waiting)) return Verdict::kPass;
  Job& job = *waiting.members.front().job;
  CachedCircuit& circuit = cache_.entry(job.circuit_id);
  const std::size_t partitions = waiting.together ? waiting.members.size() : 1;
  if (circuit.shape != nullptr && circuit.total_bytes(partitions) > budget_.room(MemoryUse::kKeys))
    return Verdict::kNever;
  // With nothing in flight there is nothing that would make room: the first of all does not wait for what
  // lies idle.
  const bool first = launches_in_flight_ == 0 && key == waiting_.begin()->first;
  const bool urgent = job.identity.priority == Priority::kCritical || first;
  if (!circuit.hot()) {
    waits_for_load(job);
    return want(circuit, key, urgent, wake) == Room::kThere ? Verdict::kPass : Verdict::kNoRoom;
  }
  const std::uint64_t bytes = partitions * circuit.partition_bytes;
  if (make_room(bytes, circuit, urgent, wake) != Room::kThere) return Verdict::kNoRoom;
  budget_.take(MemoryUse::kWitnesses, bytes);
  return Verdict::kRoom;
}

std::optional<Engine::Impl::Ready> Engine::Impl::next_partition(Wake& wake) {
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    // What is admitted already has its memory: it goes first unless somebody more urgent waits.
    if (!ready_.empty() && ready_.begin()->first < at->first) break;
    Waiting& waiting = at->second;
    const Verdict verdict = consider(at->first, waiting, wake);
    if (verdict == Verdict::kPass) {
      ++at;
      continue;
    }
    // Nobody overtakes one that lacks memory: what runs will give it back, and then it is next.
    if (verdict == Verdict::kNoRoom) break;
    CachedCircuit& circuit = *cache_.find(waiting.members.front().job->circuit_id);
    if (verdict == Verdict::kNever) {
      refuse(waiting_.pop(at), circuit);
      at = waiting_.begin();
      continue;
    }
    if (waiting.together || waiting.members.size() == 1) {
      admit(waiting_.pop(at).members, circuit);
    } else {
      std::deque<Member> first{std::move(waiting.members.front())};
      waiting.members.pop_front();
      admit(std::move(first), circuit);
    }
    break;
  }
  if (ready_.empty()) return std::nullopt;
  return ready_.pop_front();
}

void Engine::Impl::refuse(Waiting waiting, const CachedCircuit& circuit) {
  // A batch that came together before its circuit's sizes were known may still fit job by job.
  if (waiting.members.front().job != waiting.members.back().job) {
    std::map<std::uint64_t, std::deque<Member>> by_job;
    for (Member& member : waiting.members) by_job[member.job->sequence].push_back(std::move(member));
    for (auto& [sequence, members] : by_job) wait_for_admission(std::move(members), true);
    return;
  }
  const std::size_t partitions = waiting.together ? waiting.members.size() : 1;
  fail(waiting.members.front().job, FailureClass::kResource,
       std::to_string(partitions) + (partitions == 1 ? " partition of " : " partitions of ") + circuit.id +
           " at a time and its parameters need " + std::to_string(circuit.total_bytes(partitions)) +
           " bytes of memory, the budget is " + std::to_string(budget_.room(MemoryUse::kKeys)));
}

void Engine::Impl::admit(std::deque<Member> members, CachedCircuit& circuit) {
  auto launch = std::make_shared<Launch>();
  launch->circuit = &circuit;
  launch->key = key_of(*members.front().job, members.front().partition);
  launch->members.assign(members.begin(), members.end());
  launch->in_synthesis = members.size();
  circuit.refs += static_cast<std::uint32_t>(members.size());
  circuit.last_used = now();
  ++launches_in_flight_;
  ++launches_in_synthesis_;
  for (const Member& member : members) {
    Partition& partition = member.get();
    partition.launch = launch;
    partition.ready_key = key_of(*member.job, member.partition);
    ready_.push(partition.ready_key, Ready{member, launch});
    if (!member.job->waited_for_load) ++counters_.shape_hits;
  }
}

// ---- launches

/// One of its members has its witness, or is out: to be called once for each.
void Engine::Impl::left_synthesis(const LaunchPtr& launch) {
  if (--launch->in_synthesis > 0) return;
  --launches_in_synthesis_;
  if (!launch->members.empty()) queue_launch(launch);
}

void Engine::Impl::queue_launch(const LaunchPtr& launch) {
  for (const Member& member : launch->members) member.get().state = PartitionState::kDeviceQueue;
  launch->queued = true;
  device_queue_.push(launch->key, launch);
}

void Engine::Impl::accept_launch(Launch& launch) {
  if (launch.accepted) return;
  launch.accepted = true;
  record(timeline::EventKind::kGpuQueue, launch.members, now(), Actor{nullptr, {}});
}

void Engine::Impl::take_out(const Member& member) {
  Partition& partition = member.get();
  const LaunchPtr launch = std::exchange(partition.launch, nullptr);
  std::erase_if(launch->members, [&](const Member& other) {
    return other.job == member.job && other.partition == member.partition;
  });
  if (launch->holds_memory)
    let_go(MemoryUse::kWitnesses, launch->circuit->partition_bytes,
           std::exchange(partition.witness, nullptr));
  cache_.release(*launch->circuit, now());
  if (launch->members.empty()) --launches_in_flight_;
}

void Engine::Impl::prove_again(const Member& member, std::optional<Partition::Maker> avoid) {
  member.get().avoid = avoid;
  wait_for_admission({member}, false);
}

// ---- outcomes

void Engine::Impl::piece_done(const Member& member, const groth16::Proof& proof) {
  member.get().state = PartitionState::kDone;
  take_out(member);
  ++counters_.partitions_proved;
  const Result<void> placed = member.job->assembler->place(member.partition, groth16::encode_proof(proof));
  if (!placed) {
    ++counters_.assembly_errors;
    fail(member.job, FailureClass::kInternal, placed.error().message);
  } else if (member.job->assembler->complete()) {
    settle(member.job, JobState::kCompleted, FailureClass::kNone, "");
  }
}

void Engine::Impl::check_failed(const Member& member, const DeviceSlot& device, unsigned worker,
                                std::vector<std::uint8_t> proof, const std::string& reason) {
  Partition& partition = member.get();
  CachedCircuit& circuit = *partition.launch->circuit;
  // Before the key may go with the last reference.
  const auto* key = circuit.key->proving_key().get();
  const std::string suspicion = suspect_parameters(circuit.id, key == nullptr ? "" : key->path());
  take_out(member);
  if (member.job->settled) {
    partition.state = PartitionState::kDone;
    return;
  }
  ++partition.failed_checks;
  SelfCheckEvidence& evidence = partition.evidence;
  evidence.partition = member.partition;
  evidence.devices.push_back(device.device->info().name);
  evidence.proofs.push_back(std::move(proof));
  evidence.reason = reason;
  if (partition.failed_checks < 2) {
    ++counters_.partitions_proved_again;
    prove_again(member, Partition::Maker{device.index, worker});
    return;
  }
  partition.state = PartitionState::kDone;
  fail(member.job, FailureClass::kSelfCheck,
       "partition " + std::to_string(member.partition) + ": its proofs by " + evidence.devices[0] +
           " and by " + evidence.devices[1] + " failed their check: " + reason + "; " + suspicion);
  if (member.job->result->failure == FailureClass::kSelfCheck) member.job->result->evidence = evidence;
  // Points that were changed under way, in the file or in a copy of it, look like this: not kept for the
  // next.
  cache_.spoil(circuit, "a proof made with it failed its check twice: " + reason);
}

bool Engine::Impl::any_device() const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [](const auto& device) { return !device->quarantined; });
}

void Engine::Impl::quarantine(DeviceSlot& device, const std::string& why) {
  device.quarantined = true;
  device.quarantine_reason = why;
  changed();
  // Nothing is launched on it any more.
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    if (devices_[i].get() != &device) continue;
    for (const auto& [id, circuit] : cache_.entries()) cache_.forget_launches(*circuit, i);
  }
  if (any_device()) return;
  std::vector<JobPtr> all;
  for (const auto& [sequence, job] : live_) all.push_back(job);
  for (const JobPtr& job : all)
    fail(job, FailureClass::kDevice, "every device is out of service, the last after: " + why);
}

void Engine::Impl::settle(const JobPtr& job, JobState state, FailureClass failure, std::string message) {
  if (job->settled) return;
  job->settled = true;
  job->kept = job->kept || failure == FailureClass::kShutdown;
  job->done = now();
  job->times.total = job->done - job->accepted;
  if (!job->running) job->times.queue_wait = job->times.total;
  auto result = std::make_shared<JobResult>();
  result->identity = job->identity;
  result->circuit_id = job->circuit_id;
  result->state = state;
  result->failure = failure;
  if (failure != FailureClass::kNone) message = std::string(to_string(failure)) + ": " + message;
  result->message = std::move(message);
  result->times = job->times;
  if (state == JobState::kCompleted) result->proof = std::move(*job->assembler).take();
  job->result = std::move(result);

  drop_queued_partitions(job);
  freed_.add(MemoryUse::kRequests, std::exchange(job->statement_bytes, 0), {job->statement});
  // Stopping runs the callbacks of whoever synthesises, and a statement may take long to free.
  chores_.push_back(
      [stop = job->stop, statement = std::move(job->statement)]() mutable { stop.request_stop(); });
  job->statement = nullptr;
  delivery_queue_.push(key_of(*job, 0), job);
  changed();
}

void Engine::Impl::drop_queued_partitions(const JobPtr& job) {
  if (batch_) {
    std::erase(batch_->jobs, job);
    if (batch_->jobs.empty()) batch_.reset();
  }
  // Those with a witness first: what leaves synthesis below then queues a launch only for other jobs.
  for (std::uint32_t k = 0; k < job->partitions.size(); ++k) {
    const Member member{job, k};
    if (member.get().state != PartitionState::kDeviceQueue) continue;
    const LaunchPtr launch = member.get().launch;
    take_out(member);
    if (launch->members.empty() && launch->queued) {
      CUZK_CHECK(device_queue_.erase(launch->key));
      launch->queued = false;
    }
    member.get().state = PartitionState::kDone;
  }
  for (std::uint32_t k = 0; k < job->partitions.size(); ++k) {
    const Member member{job, k};
    Partition& partition = member.get();
    const LaunchPtr launch = partition.launch;
    if (launch == nullptr && partition.state == PartitionState::kWaiting) {
      // One entry may hold several of its partitions; a batch that still gathers holds none.
      const auto at = waiting_.find(partition.waiting_key);
      if (at != waiting_.end()) {
        std::erase_if(at->second.members, [&](const Member& other) { return other.job == job; });
        if (at->second.members.empty()) waiting_.pop(at);
      }
    } else if (launch != nullptr && partition.state == PartitionState::kWaiting) {
      CUZK_CHECK(ready_.erase(partition.ready_key));
      take_out(member);
      left_synthesis(launch);
      if (launch->queued) accept_launch(*launch);
    } else {
      continue;  // its worker finds the job settled
    }
    partition.state = PartitionState::kDone;
  }
}

}  // namespace cuzk::engine
