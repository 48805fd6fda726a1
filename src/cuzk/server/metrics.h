#pragma once

#include <memory>
#include <string>

#include "cuzk/engine/job.h"
#include "cuzk/engine/status.h"

namespace cuzk::server {

/// What one partition did, as the events of the timeline tell it.
enum class Stage { kSynthesis, kDeviceQueue, kPrepare, kLockWait, kLockHeld, kEpilogue, kVerify };

/// The daemon's Prometheus metrics: histograms and failure counts that it collects itself, everything else
/// from the engine's status at the time of asking. docs/operations.md lists them. Thread-safe.
class Metrics {
 public:
  explicit Metrics(const std::string& version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// A job reached its final state.
  void observe(const engine::JobResult& result);
  /// A partition went through a stage.
  void observe(Stage stage, double seconds);
  /// Nobody held the device's lock for so long, between two launches or copies or drops of keys.
  void observe_idle_gap(std::uint32_t device, double seconds);

  /// The text of /metrics and GetMetrics (format 0.0.4).
  [[nodiscard]] std::string text(const engine::Status& status, unsigned workers_per_device) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::server
