// What becomes of a partition, a device and a job: proofs, failures, quarantine, the settling. All of it with
// the engine's mutex held, none of it blocking.

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

// ---- partitions

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
  if (!launch->members.empty()) return;
  --launches_in_flight_;
  if (launch->alone) --launches_alone_;
}

void Engine::Impl::prove_again(const Member& member, std::optional<Partition::Maker> avoid) {
  member.get().avoid = avoid;
  wait_for_admission({member}, false);
}

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

// ---- devices

bool Engine::Impl::any_device() const {
  return std::any_of(devices_.begin(), devices_.end(),
                     [](const auto& device) { return !device->quarantined; });
}

/// Whether none is left once this one goes.
bool Engine::Impl::is_last(const DeviceSlot& device, DeviceFault fault) const {
  return fault == DeviceFault::kProcess ||
         std::all_of(devices_.begin(), devices_.end(),
                     [&](const auto& other) { return other->quarantined || other.get() == &device; });
}

void Engine::Impl::quarantine(DeviceSlot& device, const std::string& why, DeviceFault fault) {
  const bool last = is_last(device, fault);
  for (const auto& slot : devices_) {
    if (slot->quarantined || (slot.get() != &device && fault != DeviceFault::kProcess)) continue;
    slot->quarantined = true;
    slot->quarantine_reason = why;
    cache_.lose_device(slot->index);
  }
  changed();
  if (!last || loss_) return;
  const bool process_wide = fault == DeviceFault::kProcess;
  DevicesLost what{.device = device.device->info(), .message = why, .process_wide = process_wide};
  loss_.emplace(Loss{.what = std::move(what), .tell_at = now() + kLossPatience});
  if (keeps_jobs()) return;
  std::vector<JobPtr> all;
  for (const auto& [sequence, job] : live_) all.push_back(job);
  for (const JobPtr& job : all)
    fail(job, FailureClass::kDevice,
         std::string("every device is out of service") +
             (process_wide ? " until the process is started again, after: " : ", the last after: ") + why);
}

// ---- jobs

void Engine::Impl::settle(const JobPtr& job, JobState state, FailureClass failure, std::string message) {
  if (job->settled) return;
  job->settled = true;
  job->kept = job->kept || failure == FailureClass::kShutdown;
  job->settled_at = now();
  job->times.total = job->settled_at - job->accepted;
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
  delivery_queue_.push(order_of(*job, 0), job);
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
      CUZK_CHECK(device_queue_.erase(launch->order));
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
      const auto at = waiting_.find(partition.waiting_order);
      if (at != waiting_.end()) {
        std::erase_if(at->second.members, [&](const Member& other) { return other.job == job; });
        if (at->second.members.empty()) waiting_.pop(at);
      }
    } else if (launch != nullptr && partition.state == PartitionState::kWaiting) {
      CUZK_CHECK(admitted_.erase(partition.admitted_order));
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
