// The threads that prove: synthesis workers, device workers, finishers.

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"
#include "cuzk/engine/internal/guarded.h"
#include "cuzk/proving/prove.h"
#include "cuzk/timeline/nvtx.h"
#include "cuzk/timeline/task.h"

namespace cuzk::engine {
namespace {

using timeline::EventKind;

std::int64_t nanoseconds(Clock::TimePoint time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

std::string partition_name(const Member& member) {
  return "partition " + std::to_string(member.partition);
}

bool several_jobs(const std::vector<Member>& members) {
  return std::any_of(members.begin(), members.end(),
                     [&](const Member& member) { return member.job != members.front().job; });
}

/// The time in which stages of a launch ran; of those that ran side by side once.
Duration stage_time(const groth16::LaunchReport& report) {
  std::vector<timeline::Interval> stages;
  for (const groth16::LaunchStage& stage : report.stages)
    stages.push_back({nanoseconds(stage.begin), nanoseconds(stage.end)});
  std::int64_t sum = 0;
  for (const timeline::Interval& stage : timeline::merge(std::move(stages))) sum += stage.length();
  return std::chrono::nanoseconds(sum);
}

}  // namespace

void Engine::Impl::record(EventKind kind, const Member& member, TimePoint time, Actor actor) const {
  record(kind, std::vector{member}, time, actor);
}

void Engine::Impl::record(EventKind kind, const std::vector<Member>& members, TimePoint time, Actor actor,
                          const EventDetail& detail) const {
  if (parts_.recorder == nullptr || !parts_.recorder->on() || members.empty()) return;
  timeline::Event event;
  event.time_ns = nanoseconds(time);
  event.kind = kind;
  event.job = members.front().job->identity.job_id;
  if (members.size() == 1) event.partition = members.front().partition;
  if (actor.device != nullptr) event.device = actor.device->device->info().ordinal;
  event.worker = actor.worker;
  if (members.size() > 1) timeline::add_detail(event, "partitions", members.size());
  if (detail.stage != nullptr) timeline::add_detail(event, "stage", detail.stage);
  if (detail.device_time) timeline::add_detail_ms(event, "gpu_ms", detail.device_time->count());
  parts_.recorder->record(std::move(event));
}

void Engine::Impl::record_done(const JobResult& result) const {
  if (parts_.recorder == nullptr || !parts_.recorder->on()) return;
  timeline::Event event;
  event.time_ns = nanoseconds(now());
  event.kind = EventKind::kJobDone;
  event.job = result.identity.job_id;
  timeline::add_detail(event, "state", to_string(result.state));
  parts_.recorder->record(std::move(event));
}

/// The device's lock for one launch: what happens to it is in the timeline while the launch runs, and the
/// status has who holds it. The arguments must outlive the launch.
groth16::DeviceLock Engine::Impl::watched_lock(DeviceSlot& device, const std::vector<Member>& members,
                                               const Actor& actor) {
  using Step = groth16::DeviceLock::Step;
  return device.lock.watched_by([this, &device, &members, &actor](Step step) {
    const EventKind kind = step == Step::kWaiting    ? EventKind::kLockWait
                           : step == Step::kAcquired ? EventKind::kLockAcquired
                                                     : EventKind::kLockReleased;
    // Without memory for an event the event is missing, nothing else.
    (void)guarded([&]() -> Result<void> {
      record(kind, members, now(), actor);
      return {};
    });
    if (step == Step::kWaiting) return;
    const Lock lock(mutex_);
    device.holder = step == Step::kAcquired ? members.front().job : nullptr;
  });
}

groth16::LaunchOptions Engine::Impl::key_access(DeviceSlot& device, const char* what,
                                                const std::string& circuit_id) {
  using Step = groth16::DeviceLock::Step;
  return {device.lock.watched_by([this, &device, what, circuit_id, since = TimePoint()](Step step) mutable {
            if (step == Step::kWaiting) return;
            const TimePoint time = now();
            const EventKind kind = step == Step::kAcquired ? EventKind::kKeyStart : EventKind::kKeyEnd;
            (void)guarded([&]() -> Result<void> {
              record_key(kind, time, device, what, circuit_id);
              return {};
            });
            if (step == Step::kAcquired) {
              since = time;
            } else {
              const Lock lock(mutex_);
              device.key_held += time - since;
            }
          }),
          std::numeric_limits<std::uint64_t>::max()};
}

void Engine::Impl::record_key(EventKind kind, TimePoint time, const DeviceSlot& device, const char* what,
                              const std::string& circuit_id) const {
  if (parts_.recorder == nullptr || !parts_.recorder->on()) return;
  timeline::Event event;
  event.time_ns = nanoseconds(time);
  event.kind = kind;
  event.device = device.device->info().ordinal;
  timeline::add_detail(event, "circuit", circuit_id);
  timeline::add_detail(event, "what", what);
  parts_.recorder->record(std::move(event));
}

// ---- synthesis

void Engine::Impl::synthesis_worker(unsigned worker) {
  Lock lock(mutex_);
  while (true) {
    Wake wake;
    if (const std::optional<Admitted> admitted = next_partition(wake))
      synthesise(lock, worker, *admitted);
    else if (stopping_ && launches_in_flight_ == 0)
      return;
    else
      wait(lock, wake);
  }
}

void Engine::Impl::synthesise(Lock& lock, unsigned worker, const Admitted& admitted) {
  const Member& member = admitted.member;
  const LaunchPtr& launch = admitted.launch;
  const JobPtr& job = member.job;
  Partition& partition = member.get();

  partition.state = PartitionState::kSynthesis;
  const bool first = !job->running;
  if (first) {
    job->running = true;
    job->times.queue_wait = now() - job->accepted - job->times.srs_load;
  }
  std::shared_ptr<const Statement> statement = job->statement;
  const unsigned helpers = std::clamp(statement->synthesis_parts(), 1U, parts_.pool.size()) - 1;
  ++synthesis_busy_;
  synthesis_helpers_ += helpers;
  const std::shared_ptr<const Shape> shape = launch->circuit->shape;
  lock.unlock();
  if (first && parts_.journal != nullptr)
    (void)guarded([&] { return parts_.journal->begin(job->identity.job_id); });
  const TimePoint begin = now();
  record(EventKind::kSynthStart, member, begin, {nullptr, worker});
  Result<PartitionWitness> made = guarded([&] {
    const timeline::NvtxRange range("synthesis");
    return statement->synthesize(parts_.pool, *shape, member.partition, job->stop.get_token());
  });
  const TimePoint end = now();
  record(EventKind::kSynthEnd, member, end, {nullptr, worker});
  statement.reset();
  lock.lock();
  --synthesis_busy_;
  synthesis_helpers_ -= helpers;
  job->times.synthesis += end - begin;

  const bool failed = !job->settled && !made;
  if (job->settled || failed) {
    partition.state = PartitionState::kDone;
    if (made) partition.witness = std::move(made->witness);
    take_out(member);
  } else {
    partition.witness = std::move(made->witness);
    partition.inputs = std::move(made->inputs);
    partition.waits_since = end;
    // Also while others of its launch are still being synthesised: no worker has it any more, so the queue
    // is where a settled job's partition is taken out.
    partition.state = PartitionState::kDeviceQueue;
  }
  left_synthesis(launch);
  if (failed) fail(job, classify(made.error()), made.error().within(partition_name(member)).message);
  changed();

  // The permit, which is this thread, is held until the device queue accepts what it completed.
  while (launch->in_synthesis == 0 && launch->queued && !launch->accepted) {
    if (device_queue_.among_first(launch->order, queue_depth_))
      accept_launch(*launch);
    else
      wait(lock);
  }
}

// ---- devices

/// Whether one of the launch made a proof here that failed its check and somebody else can make it: another
/// device, else another worker.
bool Engine::Impl::avoids(const Launch& launch, const DeviceSlot& device, unsigned worker) const {
  const auto in_service =
      std::count_if(devices_.begin(), devices_.end(), [](const auto& slot) { return !slot->quarantined; });
  if (in_service == 1 && config_.workers_per_device == 1) return false;
  return std::any_of(launch.members.begin(), launch.members.end(), [&](const Member& member) {
    const std::optional<Partition::Maker>& maker = member.get().avoid;
    return maker && maker->device == device.index && (in_service > 1 || maker->worker == worker);
  });
}

void Engine::Impl::device_worker(DeviceSlot& device, unsigned worker) {
  Lock lock(mutex_);
  while (!device.quarantined) {
    const auto next = std::find_if(device_queue_.begin(), device_queue_.end(),
                                   [&](const auto& entry) { return !avoids(*entry.second, device, worker); });
    if (next != device_queue_.end()) {
      const LaunchPtr launch = device_queue_.pop(next);
      launch->queued = false;
      accept_launch(*launch);
      changed();
      device.current[worker] = launch->members.front().job;
      ++device.workers_busy;
      run_launch(lock, device, worker, launch);
      --device.workers_busy;
      device.current[worker] = nullptr;
      changed();
    } else if (stopping_ && launches_in_flight_ == 0) {
      return;
    } else {
      wait(lock);
    }
  }
}

void Engine::Impl::run_launch(Lock& lock, DeviceSlot& device, unsigned worker, const LaunchPtr& launch) {
  groth16::Prover& prover = device.device->prover();
  const Actor actor{&device, worker};
  struct Task {
    Member member;
    std::shared_ptr<const Witness> witness;
  };
  std::vector<Task> tasks;
  for (const Member& member : launch->members) {
    member.get().state = PartitionState::kDevice;
    member.job->times.device_wait += now() - member.get().waits_since;
    tasks.push_back({member, member.get().witness});
  }
  std::vector<Member> members = launch->members;
  const std::shared_ptr<const CircuitKey> key = launch->circuit->key;
  const std::shared_ptr<const Shape> shape = launch->circuit->shape;

  lock.unlock();
  record(EventKind::kGpuPickup, members, now(), actor);
  record(EventKind::kGpuStart, members, now(), actor);
  std::vector<groth16::Prepared> batch;
  Result<void> prepared = guarded([&]() -> Result<void> {
    const timeline::NvtxRange range("prepare");
    batch.reserve(tasks.size());
    for (Task& task : tasks) {
      CUZK_TRY_ASSIGN(const Blinding blinding, random_blinding());
      CUZK_TRY_ASSIGN(groth16::Prepared one, prover.prepare(key->proving_key(), shape,
                                                            std::move(task.witness), blinding.r, blinding.s));
      batch.push_back(std::move(one));
    }
    return {};
  });
  tasks.clear();
  if (!prepared) {
    batch.clear();
    record(EventKind::kGpuEnd, members, now(), actor);
  }
  lock.lock();
  if (!prepared) {
    proving_failed(device, worker, launch, prepared.error());
    return;
  }
  // Cancelled meanwhile: not launched.
  const std::vector<Member> picked = members;
  for (std::size_t i = members.size(); i-- > 0;) {
    if (!members[i].job->settled) continue;
    members[i].get().state = PartitionState::kDone;
    take_out(members[i]);
    members.erase(members.begin() + static_cast<std::ptrdiff_t>(i));
    discard(std::make_shared<groth16::Prepared>(std::move(batch[i])));
    batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (members.size() < picked.size()) {
    changed();  // the keeper frees what they held, whoever waits for the memory goes on
    // The worker lets go of these; the rest goes on under a name of its own where the first one gave the
    // name.
    const bool renamed = members.empty() || members.front().job != picked.front().job || members.size() == 1;
    if (renamed) record(EventKind::kGpuEnd, picked, now(), actor);
    if (members.empty()) return;
    if (renamed) {
      record(EventKind::kGpuPickup, members, now(), actor);
      record(EventKind::kGpuStart, members, now(), actor);
    }
  }

  lock.unlock();
  Result<groth16::Pending> pending = guarded([&] {
    const timeline::NvtxRange range("launch");
    return prover.launch(batch, {watched_lock(device, members, actor), launch->order.urgency()});
  });
  batch.clear();
  if (pending) {
    for (const groth16::LaunchStage& stage : pending->report().stages) {
      record(EventKind::kKernelStart, members, stage.begin, actor, {.stage = stage.name});
      record(EventKind::kKernelEnd, members, stage.end, actor, {.stage = stage.name});
    }
  } else {
    record(EventKind::kGpuEnd, members, now(), actor);
  }
  lock.lock();
  if (!pending) {
    proving_failed(device, worker, launch, pending.error());
    return;
  }
  // The witnesses are freed before their memory counts as free. Nobody else touches a launch on a device.
  std::vector<std::shared_ptr<const Witness>> witnesses;
  for (const Member& member : members) witnesses.push_back(std::move(member.get().witness));
  lock.unlock();
  witnesses.clear();
  lock.lock();
  budget_.release(MemoryUse::kWitnesses, members.size() * launch->circuit->partition_bytes);
  launch->holds_memory = false;
  const groth16::LaunchReport& report = pending->report();
  const Duration held = report.lock_released - report.lock_acquired;
  const Duration worked = stage_time(report);
  ++device.launches;
  device.lock_held += held;
  for (const Member& member : members) {
    member.job->times.device_wait += report.lock_acquired - report.lock_wait;
    member.job->times.gpu_compute += held / static_cast<Duration::rep>(members.size());
    member.get().state = PartitionState::kFinishing;
  }
  changed();
  Finishing work{launch, &device, worker, std::move(*pending), worked};
  if (finishing_++ < finishers_) {
    finish_queue_.push(launch->order, std::move(work));
  } else {
    finish(lock, work);
  }
}

/// A key that proofs fail with, on a device that works, is loaded anew for whoever comes next.
void Engine::Impl::spoil_after(CachedCircuit& circuit, const Error& error) {
  if (error.code == ErrorCode::kParams) cache_.spoil(circuit, error.message);
}

/// What becomes of a launch with which prepare, launch or finish failed.
void Engine::Impl::proving_failed(DeviceSlot& device, unsigned worker, const LaunchPtr& launch,
                                  const Error& error) {
  const bool has_witnesses = launch->holds_memory;
  if (has_witnesses) ++device.launch_failures;
  // Once all devices are lost, what fails on one of them failed for that.
  const DeviceFault fault = device.device->fault();
  const bool sick = loss_ || fault != DeviceFault::kNone;
  const std::vector<Member> all(launch->members);
  // A partition that took two devices along does not get a third. Those that a lost device had beside it, and
  // that fail after it, took nothing along.
  const bool first = sick && !device.quarantined;
  // Nor does it fail where jobs wait for the next process, which counts how often they were begun.
  const bool kept = first && is_last(device, fault) && keeps_jobs();
  for (const Member& member : all)
    if (first && ++member.get().lost_devices >= 2 && !kept)
      fail(member.job, FailureClass::kDevice,
           partition_name(member) +
               ": two devices went out of service with it, the last after: " + error.message);
  if (sick)
    quarantine(device, error.message, fault);
  else
    spoil_after(*launch->circuit, error);
  for (const Member& member : all) {
    if (!member.job->settled) continue;
    member.get().state = PartitionState::kDone;
    take_out(member);
  }
  const std::vector<Member> members(launch->members);
  if (sick && has_witnesses) {
    // Another device takes it as it is. (Without one, every job is settled by now, or waits for the end.)
    if (!members.empty()) queue_by_job(*launch);
    changed();
    return;
  }
  const bool shared = several_jobs(all);
  for (const Member& member : members) {
    if (!sick && error.code == ErrorCode::kInternal) {
      check_failed(member, device, worker, {}, error.message);
    } else if (sick || shared) {
      // Another device makes it from synthesis on; or one of several jobs may be the cause: each is tried
      // again by itself.
      take_out(member);
      prove_again(member, {});
    } else {
      member.get().state = PartitionState::kDone;
      take_out(member);
      fail(member.job, classify_device(error), error.within(partition_name(member)).message);
    }
  }
  changed();
}

// ---- epilogue and check

void Engine::Impl::finisher() {
  Lock lock(mutex_);
  while (true) {
    if (!finish_queue_.empty()) {
      Finishing work = finish_queue_.pop_front();
      finish(lock, work);
    } else if (stopping_ && launches_in_flight_ == 0) {
      return;
    } else {
      wait(lock);
    }
  }
}

void Engine::Impl::finish(Lock& lock, Finishing& work) {
  const LaunchPtr launch = work.launch;
  DeviceSlot& device = *work.device;
  const Actor actor{&device, work.worker};
  const std::vector<Member> members = launch->members;
  const std::shared_ptr<const CircuitKey> key = launch->circuit->key;
  lock.unlock();
  Result<std::vector<groth16::Proof>> proofs = guarded([&] {
    const timeline::NvtxRange range("epilogue");
    return device.device->prover().finish(std::move(*work.pending));
  });
  work.pending.reset();
  if (proofs && proofs->size() != members.size())
    proofs = Error{ErrorCode::kInternal, "the prover returned " + std::to_string(proofs->size()) +
                                             " proofs of " + std::to_string(members.size()) + " circuits"};
  const TimePoint end = now();
  record(EventKind::kEpilogueEnd, members, end, actor);
  record(EventKind::kGpuEnd, members, end, actor, {.device_time = work.device_time});
  std::vector<Result<void>> checks;
  if (proofs)
    for (std::size_t i = 0; i < members.size(); ++i) {
      checks.push_back(guarded([&] {
        const timeline::NvtxRange range("verify");
        return key->verify(parts_.pool, {members[i].get().inputs, (*proofs)[i]});
      }));
      record(EventKind::kVerifyEnd, members[i], now(), actor);
    }
  lock.lock();
  --finishing_;
  if (!proofs) {
    proving_failed(device, work.worker, launch, proofs.error());
    return;
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& member = members[i];
    if (member.job->settled) {
      member.get().state = PartitionState::kDone;
      take_out(member);
    } else if (checks[i]) {
      piece_done(member, (*proofs)[i]);
    } else if (const Error& error = checks[i].error();
               error.code == ErrorCode::kIo || error.code == ErrorCode::kParams) {
      spoil_after(*launch->circuit, error);
      member.get().state = PartitionState::kDone;
      take_out(member);
      fail(member.job, classify_device(error), error.within(partition_name(member)).message);
    } else {
      const groth16::ProofBytes bytes = groth16::encode_proof((*proofs)[i]);
      check_failed(member, device, work.worker, {bytes.begin(), bytes.end()}, error.message);
    }
  }
  changed();
}

}  // namespace cuzk::engine
