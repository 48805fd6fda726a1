// Who goes next: from accepted to waiting, by order, gate, circuit and memory to synthesis, and from there to
// the device queue. All of it with the engine's mutex held, none of it blocking.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"

namespace cuzk::engine {

OrderKey Engine::Impl::order_of(const Job& job, std::uint32_t partition) {
  return {static_cast<std::uint8_t>(4 - static_cast<unsigned>(job.identity.priority)),
          config_.sort_by_type ? static_cast<std::uint8_t>(job.identity.kind) : std::uint8_t{0}, job.sequence,
          partition, next_serial_++};
}

// ---- from accepted to waiting

void Engine::Impl::enqueue(const JobPtr& job) {
  if (mode_ == PipelineMode::kBatched) {
    gather(job);
    return;
  }
  std::deque<Member> members;
  for (std::uint32_t k = 0; k < job->partitions.size(); ++k) members.push_back({job, k});
  wait_for_admission(std::move(members),
                     mode_ == PipelineMode::kMonolithic || mode_ == PipelineMode::kWholeJob);
}

void Engine::Impl::gather(const JobPtr& job) {
  // PoSt proofs are single partitions with a deadline: they never wait for company.
  const bool alone = job->identity.kind == ProofKind::winning_post ||
                     job->identity.kind == ProofKind::window_post_partition ||
                     job->identity.priority == Priority::kCritical || job->suspect || submissions_stopped_;
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
  if (!batch_) batch_.emplace(Batch{{}, deadline(now(), config_.max_batch_wait)});
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
  const OrderKey key = order_of(*members.front().job, members.front().partition);
  for (const Member& member : members) {
    member.get().state = PartitionState::kWaiting;
    member.get().waiting_order = key;
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
  if (cache_.evictions() != evictions) changed();  // the dropper frees what went
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
  (void)want(circuit, order_of(job, 0), false, wake);
}

Engine::Impl::Verdict Engine::Impl::consider(const OrderKey& key, const Waiting& waiting, Wake& wake) {
  if (!gate_open(waiting)) return Verdict::kPass;
  Job& job = *waiting.members.front().job;
  if (!job.suspect && suspect_runs()) return Verdict::kPass;
  if (held_back(job)) return Verdict::kPass;
  CachedCircuit& circuit = cache_.entry(job.circuit_id);
  const std::size_t partitions = waiting.together ? waiting.members.size() : 1;
  if (circuit.shape != nullptr && circuit.total_bytes(partitions) > budget_.room(MemoryUse::kKeys))
    return Verdict::kNever;
  // With nothing in flight there is nothing that would make room: the first of all does not wait for what
  // lies idle. Nor does a suspect, or what it waits for, behind others that are held back.
  const bool first = launches_in_flight_ == 0 && (key == waiting_.begin()->first || job.suspect ||
                                                  (job.running && suspect_ != nullptr && !suspect_->settled));
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

std::optional<Engine::Impl::Admitted> Engine::Impl::next_partition(Wake& wake) {
  if (loss_) return std::nullopt;
  release_suspect(wake);
  // Where those in synthesis have work for all of the pool, another one would only take from them, and the
  // first witness of a job come the later. A critical one does not wait for them.
  const bool full = synthesis_helpers_ >= parts_.pool.size();
  const auto may_begin = [full](const Member& member) {
    return !full || member.job->identity.priority == Priority::kCritical;
  };
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (!may_begin(at->second.members.front())) break;
    // What is admitted already has its memory: it goes first unless somebody more urgent waits.
    if (!admitted_.empty() && admitted_.begin()->first < at->first) break;
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
  if (admitted_.empty() || !may_begin(admitted_.begin()->second.member)) return std::nullopt;
  return admitted_.pop_front();
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
           " bytes of memory, " + budget_in_words());
}

/// What proves may take, and why that is less than what the configuration says.
std::string Engine::Impl::budget_in_words() const {
  return "the budget is " + std::to_string(budget_.room(MemoryUse::kKeys)) +
         ": memory.total_budget less memory.safety_margin and " +
         std::to_string(budget_.room(MemoryUse::kRequests)) + " bytes for requests";
}

void Engine::Impl::admit(std::deque<Member> members, CachedCircuit& circuit) {
  auto launch = std::make_shared<Launch>();
  launch->circuit = &circuit;
  launch->order = order_of(*members.front().job, members.front().partition);
  launch->members.assign(members.begin(), members.end());
  launch->in_synthesis = members.size();
  circuit.refs += static_cast<std::uint32_t>(members.size());
  circuit.last_used = now();
  launch->alone = members.front().job->suspect;
  ++launches_in_flight_;
  ++launches_in_synthesis_;
  if (launch->alone) ++launches_alone_;
  for (const Member& member : members) {
    Partition& partition = member.get();
    partition.launch = launch;
    partition.admitted_order = order_of(*member.job, member.partition);
    admitted_.push(partition.admitted_order, Admitted{member, launch});
    if (!member.job->waited_for_load) ++counters_.shape_hits;
  }
}

// ---- from synthesis to the device queue

/// One of its members has its witness, or is out: to be called once for each.
void Engine::Impl::left_synthesis(const LaunchPtr& launch) {
  if (--launch->in_synthesis > 0) return;
  --launches_in_synthesis_;
  if (!launch->members.empty()) queue_launch(launch);
}

void Engine::Impl::queue_launch(const LaunchPtr& launch) {
  for (const Member& member : launch->members) member.get().state = PartitionState::kDeviceQueue;
  launch->queued = true;
  device_queue_.push(launch->order, launch);
}

/// A launch that was with a device, which is lost: each of its jobs goes to the next one by itself, with its
/// witnesses, as one of them may be the cause.
void Engine::Impl::queue_by_job(Launch& launch) {
  std::map<std::uint64_t, LaunchPtr> by_job;
  const std::vector<Member> members = std::exchange(launch.members, {});
  for (const Member& member : members) {
    LaunchPtr& own = by_job[member.job->sequence];
    if (own == nullptr) {
      own = std::make_shared<Launch>(launch);
      own->order = order_of(*member.job, member.partition);
    }
    own->members.push_back(member);
    member.get().launch = own;
    member.get().waits_since = now();
  }
  launches_in_flight_ += by_job.size() - 1;
  for (const auto& [sequence, own] : by_job) queue_launch(own);
}

void Engine::Impl::accept_launch(Launch& launch) {
  if (launch.accepted) return;
  launch.accepted = true;
  record(timeline::EventKind::kGpuQueue, launch.members, now(), Actor{nullptr, {}});
}

}  // namespace cuzk::engine
