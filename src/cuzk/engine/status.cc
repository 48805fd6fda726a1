#include "cuzk/engine/status.h"

#include <algorithm>

#include "cuzk/engine/internal/engine_impl.h"

namespace cuzk::engine {

std::string_view to_string(ParamsTier tier) {
  constexpr std::string_view kNames[] = {"hot", "warm", "cold"};
  return kNames[static_cast<std::size_t>(tier)];
}

std::string_view to_string(PartitionState state) {
  constexpr std::string_view kNames[] = {"waiting", "synthesis", "device-queue",
                                         "device",  "finishing", "done"};
  return kNames[static_cast<std::size_t>(state)];
}

Status Engine::Impl::status() const {
  Status out;
  // The folder is read without the mutex.
  std::map<std::string, CircuitStatus> circuits;
  for (const CircuitSource::Known& known : parts_.circuits->known()) {
    CircuitStatus& row = circuits[known.circuit_id];
    row.circuit_id = known.circuit_id;
    row.size_bytes = known.size_bytes;
  }
  for (const auto& slot : devices_) {
    DeviceStatus row;
    row.info = slot->device->info();
    row.free_memory = slot->device->free_memory();
    row.keys = slot->device->held_keys();
    out.devices.push_back(std::move(row));
  }

  const Lock lock(mutex_);
  out.mode = mode_;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const DeviceSlot& slot = *devices_[i];
    DeviceStatus& row = out.devices[i];
    row.quarantined = slot.quarantined;
    row.quarantine_reason = slot.quarantine_reason;
    row.workers_busy = slot.workers_busy;
    row.launches = slot.launches;
    row.launch_failures = slot.launch_failures;
    row.lock_held = slot.lock_held;
    row.key_held = slot.key_held;
    row.lock_taken = slot.lock.held();
    row.lock_waiting = static_cast<std::uint32_t>(slot.lock.waiting());
    if (slot.holder != nullptr) row.lock_job_id = slot.holder->identity.job_id;
    const auto busy = std::find_if(slot.current.begin(), slot.current.end(),
                                   [](const JobPtr& job) { return job != nullptr; });
    const Job* const current = slot.holder != nullptr       ? slot.holder.get()
                               : busy != slot.current.end() ? busy->get()
                                                            : nullptr;
    if (current != nullptr) {
      row.current_job_id = current->identity.job_id;
      row.current_kind = current->identity.kind;
    }
  }
  for (const auto& [id, circuit] : cache_.entries()) {
    // Of one whose file has gone only what is in memory, or failed, is worth a row.
    if (!circuits.contains(id) && circuit->tier() == ParamsTier::kCold && !circuit->loading &&
        circuit->shape == nullptr && circuit->last_error.empty())
      continue;
    CircuitStatus& row = circuits[id];
    row.circuit_id = id;
    row.tier = circuit->tier();
    row.loading = circuit->loading;
    row.size_bytes = std::max(row.size_bytes, circuit->file_bytes);
    row.ref_count = circuit->refs;
    row.shape_loaded = circuit->shape != nullptr;
    row.shape_bytes = circuit->reserved_shape;
    row.last_error = circuit->last_error;
  }
  for (auto& [id, row] : circuits) out.circuits.push_back(std::move(row));

  std::array<QueueStatus, 5> queues;
  for (const auto& [sequence, job] : live_) {
    QueueStatus& row = queues[static_cast<std::size_t>(job->identity.kind)];
    ++(job->running ? row.in_progress : row.pending);
  }
  for (const ProofKind kind : kProofKinds) {
    QueueStatus& row = queues[static_cast<std::size_t>(kind)];
    row.kind = kind;
    out.queues.push_back(row);
  }
  out.uptime = now() - started_;
  out.memory_budget = budget_.total();
  out.memory_reserved = budget_.reserved();
  out.memory_peak = budget_.peak();
  out.memory_by_use = budget_.by_use();
  out.memory_let_go = freed_.bytes();
  out.synthesis_workers = synthesis_workers_;
  out.synthesis_busy = synthesis_busy_;
  for (const auto& [key, waiting] : waiting_) out.partitions_waiting += waiting.members.size();
  out.partitions_waiting += admitted_.size();
  out.device_queue = device_queue_.size();
  out.finishing = finishing_;
  out.draining = submissions_stopped_;
  out.journal_failing = !unstored_.empty();
  if (journal_refusal_) out.journal_refusal = journal_refusal_->message;
  out.counters = counters_;
  out.counters.evictions = cache_.evictions();
  out.counters.queue_pushed = queue_counts_.pushed;
  out.counters.queue_popped = queue_counts_.popped;
  return out;
}

JobStatus Engine::Impl::describe(const Job& job) const {
  JobStatus out;
  out.identity = job.identity;
  out.state = job.state();
  out.circuit_id = job.circuit_id;
  out.age = now() - (job.final ? job.settled_at : job.accepted);
  for (const Partition& partition : job.partitions) out.partitions.push_back(partition.state);
  if (job.final) out.message = job.result->message;
  return out;
}

std::vector<JobStatus> Engine::Impl::jobs(std::size_t limit) const {
  const Lock lock(mutex_);
  std::vector<const Job*> live;
  for (const auto& [sequence, job] : live_) live.push_back(job.get());
  std::sort(live.begin(), live.end(), [this](const Job* a, const Job* b) {
    const bool waits = a->state() == JobState::kQueued;
    return waits != (b->state() == JobState::kQueued) ? !waits : goes_before(*a, *b);
  });
  std::vector<JobStatus> out;
  for (const Job* job : live)
    if (out.size() < limit) out.push_back(describe(*job));
  for (auto at = retained_.rbegin(); at != retained_.rend() && out.size() < limit; ++at)
    out.push_back(describe(*at->second));
  return out;
}

Result<JobStatus> Engine::Impl::job(const std::string& job_id) const {
  const Lock lock(mutex_);
  const auto known = jobs_.find(job_id);
  if (known == jobs_.end()) return usage_error("there is no job '" + job_id + "'");
  return describe(*known->second);
}

}  // namespace cuzk::engine
