#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cuzk/server/metrics.h"
#include "cuzk/timeline/recorder.h"

namespace cuzk::server {

/// What the events so far say about this moment: which worker has what, and how long the stages of unfinished
/// partitions took. Times are on the events' clock. Not thread-safe.
struct LiveState {
  struct Worker {
    std::string job;  ///< empty: idle
    std::optional<std::uint32_t> partition;
    std::int64_t since_ns = 0;
  };
  struct Device {
    std::optional<std::int64_t> released_ns;  ///< when the lock was given back last
  };
  struct Partition {
    std::optional<std::int64_t> synth_start_ns, synth_ns;
    std::optional<std::int64_t> waits_since_ns;  ///< for a device worker; empty: not
    std::optional<std::int64_t> gpu_start_ns, gpu_ns;
    std::optional<std::int64_t> lock_wait_ns, lock_acquired_ns, lock_released_ns, epilogue_ns;
    std::optional<std::uint32_t> device, worker;
    std::uint32_t attempt = 0;
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Worker> workers;  ///< by device and number
  std::map<std::uint32_t, Device> devices;
  std::map<std::string, std::map<std::uint32_t, Partition>> jobs;  ///< that are not finished
  std::deque<std::string> finished;  ///< the latest finished jobs, whose late events make no entry in `jobs`

  /// Takes one event in; stage durations that it completes go to `metrics`.
  void apply(const timeline::Event& event, Metrics& metrics);
};

/// Follows a recorder on a thread of its own and keeps a LiveState. When events are lost it begins anew, as
/// what it knows may be wrong. Thread-safe.
class LiveView {
 public:
  /// Both must outlive it.
  LiveView(const timeline::Recorder& recorder, Metrics& metrics);

  [[nodiscard]] LiveState state() const;

 private:
  void follow(const std::stop_token& stop);

  const timeline::Recorder& recorder_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  LiveState state_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace cuzk::server
