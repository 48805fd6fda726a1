#include "cuzk/server/status_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

#include "cuzk/groth16/proof.h"

namespace cuzk::server {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxPipelines = 200;

double seconds(engine::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}
double milliseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * 1e-6;
}
std::int64_t milliseconds(engine::Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

template <class T>
Json optional(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json optional_ms(const std::optional<std::int64_t>& nanoseconds) {
  return nanoseconds ? Json(milliseconds(*nanoseconds)) : Json(nullptr);
}

const char* partition_state(engine::PartitionState state) {
  switch (state) {
    case engine::PartitionState::kWaiting:
      return "pending";
    case engine::PartitionState::kSynthesis:
      return "synthesizing";
    case engine::PartitionState::kDeviceQueue:
      return "synth_done";
    case engine::PartitionState::kDevice:
    case engine::PartitionState::kFinishing:
      return "gpu";
    case engine::PartitionState::kDone:
      return "done";
  }
  return "pending";
}

Json job_json(const engine::JobStatus& job, const LiveState& live) {
  const auto known = live.jobs.find(job.identity.job_id);
  Json partitions = Json::array();
  std::size_t done = 0;
  for (std::size_t k = 0; k < job.partitions.size(); ++k) {
    done += job.partitions[k] == engine::PartitionState::kDone;
    if (job.state == engine::JobState::kQueued) continue;
    LiveState::Partition times;
    if (known != live.jobs.end()) {
      const auto it = known->second.find(static_cast<std::uint32_t>(k));
      if (it != known->second.end()) times = it->second;
    }
    partitions.push_back({{"index", k},
                          {"state", partition_state(job.partitions[k])},
                          {"synth_ms", optional_ms(times.synth_ns)},
                          {"gpu_ms", optional_ms(times.gpu_ns)},
                          {"device", optional(times.device)},
                          {"worker", optional(times.worker)},
                          {"attempt", std::max<std::uint32_t>(1, times.attempt)}});
  }
  return {{"job_id", job.identity.job_id},
          {"request_id", job.identity.request_id},
          {"proof_kind", to_string(job.identity.kind)},
          {"circuit_id", job.circuit_id},
          {"priority", to_string(job.identity.priority)},
          {"state", to_string(job.state)},
          {"started_secs_ago", seconds(job.age)},
          {"total_partitions", job.partitions.size()},
          {"partitions_done", done},
          {"partitions", std::move(partitions)}};
}

Json by_kind(const engine::CountByKind& counts) {
  Json out = Json::object();
  for (const ProofKind kind : kProofKinds)
    out[std::string(to_string(kind))] = counts[static_cast<std::size_t>(kind)];
  return out;
}

std::uint64_t sum(const engine::CountByKind& counts) {
  std::uint64_t total = 0;
  for (const std::uint64_t n : counts) total += n;
  return total;
}

Json queues_json(const StatusView& view) {
  std::map<ProofKind, double> oldest;
  for (const engine::JobStatus& job : view.jobs) {
    if (job.state != engine::JobState::kQueued) continue;
    double& age = oldest[job.identity.kind];
    age = std::max(age, seconds(job.age));
  }
  Json out = Json::array();
  for (const engine::QueueStatus& queue : view.engine.queues) {
    const auto it = oldest.find(queue.kind);
    out.push_back({{"proof_kind", to_string(queue.kind)},
                   {"pending", queue.pending},
                   {"in_progress", queue.in_progress},
                   {"oldest_secs", it == oldest.end() ? Json(nullptr) : Json(it->second)}});
  }
  return out;
}

Json keys_json(const engine::DeviceStatus& device) {
  Json out = Json::array();
  for (const engine::HeldKey& key : device.keys)
    out.push_back({{"params", key.params},
                   {"residency", key.streamed ? "streamed" : "resident"},
                   {"vram_held_bytes", key.device_held},
                   {"vram_needed_bytes", key.device_needed},
                   {"vram_limit_bytes", key.device_limit},
                   {"host_bytes", key.host},
                   {"pinned_bytes", key.pinned},
                   {"h_multiples", key.h_multiples},
                   {"pair_sums", key.pair_sums}});
  return out;
}

Json devices_json(const StatusView& view) {
  Json out = Json::array();
  for (const engine::DeviceStatus& device : view.engine.devices) {
    out.push_back({{"ordinal", device.info.ordinal},
                   {"name", device.info.name},
                   {"uuid", device.info.uuid.empty() ? Json(nullptr) : Json(device.info.uuid)},
                   {"state", device.quarantined ? "quarantined" : "ok"},
                   {"error", device.quarantined ? Json(device.quarantine_reason) : Json(nullptr)},
                   {"vram_total_bytes", device.info.memory_bytes},
                   {"vram_free_bytes", device.free_memory},
                   {"keys", keys_json(device)},
                   {"lock_held", device.lock_taken},
                   {"lock_job", device.lock_job_id.empty() ? Json(nullptr) : Json(device.lock_job_id)},
                   {"lock_waiting", device.lock_waiting},
                   {"queued", view.engine.device_queue}});
  }
  return out;
}

Json workers_json(const StatusView& view) {
  Json out = Json::array();
  for (const engine::DeviceStatus& device : view.engine.devices) {
    for (unsigned w = 0; w < view.workers_per_device; ++w) {
      const auto it = view.live.workers.find({device.info.ordinal, w});
      const LiveState::Worker worker = it == view.live.workers.end() ? LiveState::Worker() : it->second;
      const bool busy = !worker.job.empty();
      out.push_back(
          {{"worker_id", w},
           {"gpu_ordinal", device.info.ordinal},
           {"state", busy ? "proving" : "idle"},
           {"current_job", busy ? Json(worker.job) : Json(nullptr)},
           {"current_partition", busy ? optional(worker.partition) : Json(nullptr)},
           {"busy_secs", busy ? Json(1e-3 * milliseconds(view.now_ns - worker.since_ns)) : Json(nullptr)}});
    }
  }
  return out;
}

Json reservations_json(const engine::Status& status) {
  Json out = Json::array();
  for (std::size_t use = 0; use < engine::kMemoryUses; ++use)
    out.push_back(
        {{"tag", to_string(static_cast<engine::MemoryUse>(use))}, {"bytes", status.memory_by_use[use]}});
  return out;
}

Json allocations_json(const StatusView& view) {
  Json srs = Json::array();
  Json shapes = Json::array();
  for (const engine::CircuitStatus& circuit : view.engine.circuits) {
    srs.push_back({{"circuit_id", circuit.circuit_id},
                   {"tier", to_string(circuit.tier)},
                   {"state", circuit.loading              ? "loading"
                             : circuit.last_error.empty() ? "ready"
                                                          : "failed"},
                   {"bytes", circuit.size_bytes},
                   {"ref_count", circuit.ref_count},
                   {"evictable", circuit.ref_count == 0 && circuit.tier != engine::ParamsTier::kCold}});
    if (circuit.shape_loaded)
      shapes.push_back({{"circuit_id", circuit.circuit_id},
                        {"bytes", circuit.shape_bytes},
                        {"evictable", circuit.ref_count == 0}});
  }
  return {{"srs", std::move(srs)}, {"pce", std::move(shapes)}};
}

Json history_json(const StatusView& view) {
  const auto now = std::chrono::steady_clock::now();
  Json out = Json::array();
  for (const History::Entry& entry : view.history) {
    const engine::JobResult& result = *entry.result;
    out.push_back({{"job_id", result.identity.job_id},
                   {"request_id", result.identity.request_id},
                   {"proof_kind", to_string(result.identity.kind)},
                   {"circuit_id", result.circuit_id},
                   {"state", to_string(result.state)},
                   {"error", result.message},
                   {"finished_secs_ago", std::chrono::duration<double>(now - entry.finished).count()},
                   {"partitions", entry.proof_bytes / groth16::kProofBytes},
                   {"queue_wait_ms", milliseconds(result.times.queue_wait)},
                   {"srs_load_ms", milliseconds(result.times.srs_load)},
                   {"synthesis_ms", milliseconds(result.times.synthesis)},
                   {"device_wait_ms", milliseconds(result.times.device_wait)},
                   {"gpu_compute_ms", milliseconds(result.times.gpu_compute)},
                   {"total_ms", milliseconds(result.times.total)}});
  }
  return out;
}

}  // namespace

std::string status_json(const StatusView& view) {
  const engine::Status& status = view.engine;
  Json pipelines = Json::array();
  std::size_t live = 0;
  for (const engine::QueueStatus& queue : status.queues) live += queue.pending + queue.in_progress;
  for (const engine::JobStatus& job : view.jobs) {
    if (engine::is_final(job.state) || pipelines.size() == kMaxPipelines) continue;
    pipelines.push_back(job_json(job, view.live));
  }
  const std::size_t omitted = live > pipelines.size() ? live - pipelines.size() : 0;
  std::uint32_t busy = 0;
  for (const engine::DeviceStatus& device : status.devices) busy += device.workers_busy;
  std::uint32_t pending = 0;
  for (const engine::QueueStatus& queue : status.queues) pending += queue.pending;

  const Json out{
      {"instance", view.instance},
      {"version", view.version},
      {"backend", view.backend},
      {"state", view.state},
      {"mode", engine::to_string(status.mode)},
      {"uptime_secs", seconds(status.uptime)},
      {"now_ms", milliseconds(view.now_ns)},
      {"memory",
       {{"total_bytes", status.memory_budget},
        {"used_bytes", status.memory_reserved},
        {"available_bytes",
         status.memory_budget > status.memory_reserved ? status.memory_budget - status.memory_reserved : 0},
        {"peak_bytes", status.memory_peak},
        {"let_go_bytes", status.memory_let_go},
        {"reservations", reservations_json(status)}}},
      {"synthesis", {{"max_concurrent", status.synthesis_workers}, {"active", status.synthesis_busy}}},
      {"queues", queues_json(view)},
      {"pipelines", std::move(pipelines)},
      {"pipelines_omitted", omitted},
      {"devices", devices_json(view)},
      {"gpu_workers", workers_json(view)},
      {"allocations", allocations_json(view)},
      {"counters",
       {{"total_completed", sum(status.counters.completed)},
        {"total_failed", sum(status.counters.failed)},
        {"total_cancelled", sum(status.counters.cancelled)},
        {"completed_by_kind", by_kind(status.counters.completed)},
        {"failed_by_kind", by_kind(status.counters.failed)},
        {"queue_depth", pending}}},
      {"history", history_json(view)},
      {"buffers",
       {{"synth_in_flight", status.synthesis_busy},
        {"provers_in_flight", status.device_queue + busy},
        {"aux_in_flight", status.synthesis_busy + status.device_queue + busy},
        {"shells_in_flight", 0},
        {"pending_handles", status.finishing}}},
      {"timeline",
       {{"recorded", view.events_recorded},
        {"dropped", view.events_dropped},
        {"capacity", view.events_capacity}}}};
  // A request id is the client's and need not be UTF-8.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace cuzk::server
