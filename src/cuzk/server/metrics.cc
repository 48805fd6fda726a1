#include "cuzk/server/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <initializer_list>
#include <utility>
#include <vector>

#include "cuzk/server/process_usage.h"

namespace cuzk::server {
namespace {

using Labels = std::vector<prometheus::ClientMetric::Label>;
using prometheus::Histogram;
using prometheus::MetricFamily;
using prometheus::MetricType;

const Histogram::BucketBoundaries kSeconds{0.01, 0.05, 0.1, 0.25, 0.5, 1,   2,   4,
                                           8,    15,   30,  60,   120, 300, 600, 1800};
const Histogram::BucketBoundaries kGapSeconds{0.01, 0.05, 0.2, 0.5, 1, 5, 30};

double seconds(engine::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

constexpr std::string_view name_of(Stage stage) {
  switch (stage) {
    case Stage::kSynthesis:
      return "synthesis";
    case Stage::kDeviceQueue:
      return "device_queue";
    case Stage::kPrepare:
      return "prepare";
    case Stage::kLockWait:
      return "lock_wait";
    case Stage::kLockHeld:
      return "lock_held";
    case Stage::kEpilogue:
      return "epilogue";
    case Stage::kVerify:
      return "verify";
  }
  return "";
}

/// Families whose values are known only now.
class Snapshot {
 public:
  explicit Snapshot(std::vector<MetricFamily>& out) : out_(out) {}

  Snapshot& gauge(const char* name, const char* help) { return family(name, help, MetricType::Gauge); }
  Snapshot& counter(const char* name, const char* help) { return family(name, help, MetricType::Counter); }
  template <class N>
  Snapshot& add(N value, Labels labels = {}) {
    prometheus::ClientMetric metric;
    metric.label = std::move(labels);
    metric.gauge.value = static_cast<double>(value);
    metric.counter.value = static_cast<double>(value);
    out_.back().metric.push_back(std::move(metric));
    return *this;
  }

 private:
  Snapshot& family(const char* name, const char* help, MetricType type) {
    out_.push_back({name, help, type, {}});
    return *this;
  }
  std::vector<MetricFamily>& out_;
};

std::string label(ProofKind kind) {
  return std::string(metric_label(kind));
}

void add_jobs(Snapshot& out, const engine::Status& status) {
  const engine::Counters& counters = status.counters;
  out.counter("cuzk_jobs_submitted_total", "Requests that became jobs").add(counters.accepted);
  out.counter("cuzk_jobs_deduplicated_total", "Requests answered by a job that was there")
      .add(counters.attached, {{"answer", "running_job"}})
      .add(counters.answered_stored, {{"answer", "stored_result"}});
  out.counter("cuzk_jobs_refused_total", "Requests that became no job").add(counters.refused);
  out.counter("cuzk_jobs_recovered_total", "Jobs taken over from the journal at start")
      .add(counters.recovered);
  out.counter("cuzk_proofs_completed_total", "Jobs that ended with a verified proof");
  for (const ProofKind kind : kProofKinds)
    out.add(counters.completed[static_cast<std::size_t>(kind)], {{"proof_kind", label(kind)}});
  out.counter("cuzk_proofs_cancelled_total", "Jobs that were cancelled");
  for (const ProofKind kind : kProofKinds)
    out.add(counters.cancelled[static_cast<std::size_t>(kind)], {{"proof_kind", label(kind)}});
  out.gauge("cuzk_queue_depth", "Jobs of which nothing has begun");
  for (const engine::QueueStatus& queue : status.queues)
    out.add(queue.pending, {{"proof_kind", label(queue.kind)}});
  out.gauge("cuzk_running_jobs", "Jobs that have begun and are not done");
  for (const engine::QueueStatus& queue : status.queues)
    out.add(queue.in_progress, {{"proof_kind", label(queue.kind)}});
  out.counter("cuzk_partitions_proved_total", "Partitions whose proof verified")
      .add(counters.partitions_proved);
  out.counter("cuzk_partitions_proved_again_total", "Partitions proved once more after a failed self-check")
      .add(counters.partitions_proved_again);
  out.counter("cuzk_assembly_errors_total", "Duplicate or misplaced pieces of proofs: defects")
      .add(counters.assembly_errors);
  out.gauge("cuzk_draining", "1 while the engine finishes what it has and takes nothing more")
      .add(status.draining);
  out.counter("cuzk_journal_failures_total", "Writes that the journal could not do")
      .add(counters.journal_failures);
  out.gauge("cuzk_journal_failing", "1 while the journal does not take results or requests")
      .add(status.journal_failing || !status.journal_refusal.empty());
}

void add_stages(Snapshot& out, const engine::Status& status, unsigned workers_per_device) {
  out.gauge("cuzk_synthesis_workers", "Partitions that may be in synthesis at a time")
      .add(status.synthesis_workers);
  out.gauge("cuzk_synthesis_busy", "Partitions in synthesis").add(status.synthesis_busy);
  out.gauge("cuzk_partitions_waiting", "Partitions that wait for synthesis").add(status.partitions_waiting);
  out.gauge("cuzk_device_queue_depth", "Launches that wait for a device worker").add(status.device_queue);
  out.gauge("cuzk_finishing", "Launches in or before their epilogue").add(status.finishing);

  const auto gpu = [](const engine::DeviceStatus& device) {
    return Labels{{"gpu", std::to_string(device.info.ordinal)}};
  };
  const auto each = [&](auto value) {
    for (const engine::DeviceStatus& device : status.devices) out.add(value(device), gpu(device));
  };
  using Device = const engine::DeviceStatus&;
  out.gauge("cuzk_gpu_info", "Name and UUID of each device");
  for (Device device : status.devices)
    out.add(1, {{"gpu", std::to_string(device.info.ordinal)},
                {"name", device.info.name},
                {"uuid", device.info.uuid}});
  out.gauge("cuzk_gpu_workers", "Workers of each device");
  each([&](Device) { return workers_per_device; });
  out.gauge("cuzk_gpu_workers_busy", "Workers that have a launch");
  each([](Device device) { return device.workers_busy; });
  out.gauge("cuzk_gpu_healthy", "0 while the device is in quarantine");
  each([](Device device) { return !device.quarantined; });
  out.counter("cuzk_gpu_launches_total", "Launches that ended well");
  each([](Device device) { return device.launches; });
  out.counter("cuzk_gpu_launch_failures_total", "Launches that failed");
  each([](Device device) { return device.launch_failures; });
  out.counter("cuzk_gpu_lock_held_seconds_total",
              "Time that the device's lock was held by launches that ended well");
  each([](Device device) { return seconds(device.lock_held); });
  out.counter("cuzk_gpu_key_seconds_total", "Time that it was held to copy keys or to take them away");
  each([](Device device) { return seconds(device.key_held); });
  out.gauge("cuzk_gpu_memory_bytes", "Memory of the device; 0 where it uses the host's");
  each([](Device device) { return device.info.memory_bytes; });
  out.gauge("cuzk_gpu_memory_free_bytes", "Free memory of the device");
  each([](Device device) { return device.free_memory; });
}

void add_memory(Snapshot& out, const engine::Status& status) {
  const engine::Counters& counters = status.counters;
  out.gauge("cuzk_memory_budget_bytes", "What the engine may reserve").add(status.memory_budget);
  out.gauge("cuzk_memory_reserved_bytes", "What it has reserved").add(status.memory_reserved);
  out.gauge("cuzk_memory_reserved_by_use_bytes", "The same by what it is for");
  for (std::size_t use = 0; use < engine::kMemoryUses; ++use)
    out.add(status.memory_by_use[use],
            {{"use", std::string(to_string(static_cast<engine::MemoryUse>(use)))}});
  out.gauge("cuzk_memory_reserved_peak_bytes", "The most it had reserved").add(status.memory_peak);
  out.gauge("cuzk_srs_loaded_bytes", "Parameters by circuit; 0 for those that are only on disk");
  for (const engine::CircuitStatus& circuit : status.circuits)
    out.add(circuit.tier == engine::ParamsTier::kCold ? 0 : circuit.size_bytes,
            {{"circuit", circuit.circuit_id}});
  out.gauge("cuzk_pce_loaded_bytes", "Recorded shapes by circuit");
  for (const engine::CircuitStatus& circuit : status.circuits)
    out.add(circuit.shape_loaded ? circuit.shape_bytes : 0, {{"circuit", circuit.circuit_id}});
  out.counter("cuzk_srs_loads_total", "Parameter files loaded").add(counters.key_loads);
  out.counter("cuzk_srs_load_failures_total", "Shapes and parameters that could not be loaded")
      .add(counters.key_load_failures);
  out.counter("cuzk_srs_evictions_total",
              "Times that parameters, a shape or both of a circuit were dropped from memory")
      .add(counters.evictions);
  out.counter("cuzk_pce_hits_total", "Partitions of jobs that never waited for a shape or parameters")
      .add(counters.shape_hits);
  out.counter("cuzk_pce_recorded_total", "Shapes recorded by running a circuit")
      .add(counters.shapes_recorded);
  out.counter("cuzk_pce_read_total", "Shapes read from a saved file").add(counters.shapes_read);
}

void add_process(Snapshot& out) {
  const ProcessUsage usage = process_usage();
  out.gauge("process_resident_memory_bytes", "Resident memory").add(usage.resident_bytes);
  out.counter("process_cpu_seconds_total", "User and system time").add(usage.cpu_seconds);
  out.gauge("process_open_fds", "Open file descriptors").add(usage.open_fds);
  out.gauge("process_max_fds", "Limit of open file descriptors").add(usage.max_fds);
  out.gauge("process_start_time_seconds", "Start, seconds since 1970").add(usage.start_time_seconds);
}

}  // namespace

class Metrics::Impl {
 public:
  explicit Impl(std::string version) : version_(std::move(version)) {
    // A family without a member is not written; a dashboard wants the zeros too.
    for (const ProofKind kind : kProofKinds) {
      wait_.Add({{"proof_kind", label(kind)}}, kSeconds);
      duration_.Add({{"proof_kind", label(kind)}}, kSeconds);
      for (const auto failure :
           {engine::FailureClass::kInvalidInput, engine::FailureClass::kParams,
            engine::FailureClass::kResource, engine::FailureClass::kDevice, engine::FailureClass::kSelfCheck,
            engine::FailureClass::kInternal, engine::FailureClass::kShutdown})
        failed_.Add({{"proof_kind", label(kind)}, {"reason", std::string(to_string(failure))}});
    }
    for (const Stage stage : {Stage::kSynthesis, Stage::kDeviceQueue, Stage::kPrepare, Stage::kLockWait,
                              Stage::kLockHeld, Stage::kEpilogue, Stage::kVerify})
      stage_.Add({{"stage", std::string(name_of(stage))}}, kSeconds);
  }

  void observe(const engine::JobResult& result) {
    const std::string kind = label(result.identity.kind);
    if (result.state == engine::JobState::kFailed)
      failed_.Add({{"proof_kind", kind}, {"reason", std::string(to_string(result.failure))}}).Increment();
    if (result.state != engine::JobState::kCompleted) return;
    wait_.Add({{"proof_kind", kind}}, kSeconds).Observe(seconds(result.times.queue_wait));
    duration_.Add({{"proof_kind", kind}}, kSeconds).Observe(seconds(result.times.total));
  }
  void observe(Stage stage, double value) {
    stage_.Add({{"stage", std::string(name_of(stage))}}, kSeconds).Observe(value);
  }
  void observe_idle_gap(std::uint32_t device, double value) {
    gap_.Add({{"gpu", std::to_string(device)}}, kGapSeconds).Observe(value);
  }

  [[nodiscard]] std::string text(const engine::Status& status, unsigned workers_per_device) const {
    std::vector<MetricFamily> families = registry_.Collect();
    Snapshot out(families);
    out.gauge("cuzk_build_info", "1, with the program's version").add(1, {{"version", version_}});
    out.gauge("cuzk_uptime_seconds", "Since the engine was made").add(seconds(status.uptime));
    add_jobs(out, status);
    add_stages(out, status, workers_per_device);
    add_memory(out, status);
    add_process(out);
    std::erase_if(families, [](const MetricFamily& family) { return family.metric.empty(); });
    return prometheus::TextSerializer().Serialize(families);
  }

 private:
  std::string version_;
  prometheus::Registry registry_;
  prometheus::Family<Histogram>& wait_ =
      prometheus::BuildHistogram()
          .Name("cuzk_queue_wait_seconds")
          .Help("From acceptance to the first synthesis, of completed jobs")
          .Register(registry_);
  prometheus::Family<Histogram>& duration_ = prometheus::BuildHistogram()
                                                 .Name("cuzk_proof_duration_seconds")
                                                 .Help("From acceptance to the verified proof")
                                                 .Register(registry_);
  prometheus::Family<Histogram>& stage_ = prometheus::BuildHistogram()
                                              .Name("cuzk_stage_duration_seconds")
                                              .Help("What partitions spend in each stage")
                                              .Register(registry_);
  prometheus::Family<Histogram>& gap_ =
      prometheus::BuildHistogram()
          .Name("cuzk_gpu_idle_gap_seconds")
          .Help("Time between two holds of a device's lock, by launches or for keys")
          .Register(registry_);
  prometheus::Family<prometheus::Counter>& failed_ =
      prometheus::BuildCounter()
          .Name("cuzk_proofs_failed_total")
          .Help("Jobs that failed, by the class of the failure")
          .Register(registry_);
};

Metrics::Metrics(const std::string& version) : impl_(std::make_unique<Impl>(version)) {}
Metrics::~Metrics() = default;
void Metrics::observe(const engine::JobResult& result) {
  impl_->observe(result);
}
void Metrics::observe(Stage stage, double seconds) {
  impl_->observe(stage, seconds);
}
void Metrics::observe_idle_gap(std::uint32_t device, double seconds) {
  impl_->observe_idle_gap(device, seconds);
}
std::string Metrics::text(const engine::Status& status, unsigned workers_per_device) const {
  return impl_->text(status, workers_per_device);
}

}  // namespace cuzk::server
