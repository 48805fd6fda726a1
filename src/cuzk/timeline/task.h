#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuzk/timeline/event.h"

namespace cuzk::timeline {

// Thread-safe: no function here has state of its own.

/// From begin to end, in nanoseconds; begin <= end.
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t length() const { return end - begin; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The union, as intervals in order that do not touch each other. O(n log n).
std::vector<Interval> merge(std::vector<Interval> intervals);
/// The length of the part of `merged` (as merge leaves it) that lies within `window`.
std::int64_t covered(std::span<const Interval> merged, const Interval& window);

/// Device work of one stage.
struct Kernel {
  std::string stage;  ///< detail `stage`, or empty
  Interval time;
};

/// One try at one partition (or at a launch of several), put together from its events.
struct Task {
  std::string job;
  std::optional<std::uint32_t> partition;
  std::uint32_t device = 0;             ///< 0 where the log does not say
  std::optional<std::uint32_t> worker;  ///< of the device
  std::optional<std::uint32_t> synth_worker;

  std::optional<std::int64_t> synth_start, synth_end, queue, pickup, gpu_start, lock_wait, lock_acquired,
      lock_released, epilogue_end, gpu_end, verify_end;
  std::vector<Kernel> kernels;  ///< complete ones, by begin

  [[nodiscard]] std::optional<Interval> synthesis() const { return between(synth_start, synth_end); }
  /// GPU_START to GPU_END, "job" in the figures: a worker has the task, whether or not the device works.
  [[nodiscard]] std::optional<Interval> gpu() const { return between(gpu_start, gpu_end); }
  [[nodiscard]] std::optional<Interval> lock() const { return between(lock_acquired, lock_released); }

  /// Nothing where one of the two is missing or they are in the wrong order.
  static std::optional<Interval> between(const std::optional<std::int64_t>& begin,
                                         const std::optional<std::int64_t>& end);
};

/// Time in which a device's lock was held for a key.
struct KeyTime {
  std::uint32_t device = 0;
  std::string circuit;  ///< detail `circuit`, or empty
  std::string what;     ///< detail `what`, or empty
  Interval time;
};

/// The final state of a job.
struct JobDone {
  std::string job;
  std::int64_t time_ns = 0;
  std::string state;  ///< detail `state`, or empty
};

/// What collect_tasks makes of a log.
struct Tasks {
  std::vector<Task> tasks;  ///< in the order of their first events
  std::vector<JobDone> done;
  std::vector<KeyTime> keys;  ///< complete ones, by end
  /// Ends without a begin, begins without an end (of synthesis, GPU, lock, kernels and keys): work that the
  /// log cuts off. It is in no interval.
  std::uint64_t unpaired = 0;
  std::int64_t first_ns = 0;  ///< of all events; 0 when there are none
  std::int64_t last_ns = 0;
};

/// Events in any order; those of one time keep theirs. Events of one job and partition belong to one task
/// until one of them repeats (a second try). Without a partition they are told apart by device and worker.
Tasks collect_tasks(std::span<const Event> events);

}  // namespace cuzk::timeline
