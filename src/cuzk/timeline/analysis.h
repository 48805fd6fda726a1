#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/timeline/task.h"
#include "cuzk/timeline/text.h"

namespace cuzk::timeline {

/// Work of one resource (a lock, the workers, the kernels of a device), as the gaps name it.
struct Work {
  std::string job;
  std::optional<std::uint32_t> partition;
  std::optional<std::uint32_t> worker;
  std::string stage;  ///< of a kernel; empty otherwise
  Interval time;
};

/// Time between two merged intervals.
struct Gap {
  enum class Kind : std::uint8_t { kCrossJob, kCrossPartition, kWithinPartition };
  Interval time;
  Kind kind = Kind::kCrossJob;
  Work ended;  ///< of what ended last before it
  Work began;  ///< of what began first after it
};
std::string_view name_of(Gap::Kind kind);  ///< "cross_job", "cross_partition", "within_partition"

/// How many gaps of some class there are, and their time together.
struct GapSum {
  std::uint64_t count = 0;
  std::int64_t total_ns = 0;
};

/// How much of a span a resource was in use, and where it was not.
struct Lane {
  std::uint64_t devices = 0;  ///< 1, or how many the sum is over
  std::uint64_t intervals = 0;
  std::uint64_t merged = 0;  ///< intervals of the union
  std::int64_t busy_ns = 0;  ///< length of the union within the span
  std::int64_t span_ns = 0;
  GapSum gaps;  ///< all of them: the next three together, and the three after that
  GapSum below_50_ms, from_50_to_500_ms, above_500_ms;  ///< both ends of the middle class belong to it
  GapSum cross_job, cross_partition, within_partition;
  std::int64_t largest_gap_ns = 0;

  /// busy / span; 1 for an empty span (something that took no time was never idle).
  [[nodiscard]] double efficiency() const {
    return span_ns == 0 ? 1.0 : static_cast<double>(busy_ns) / static_cast<double>(span_ns);
  }
};

/// A lane of one device, with its gaps in order of time.
struct DeviceLane : Lane {
  std::vector<Gap> gap_list;
};

/// Between two tasks of a device worker.
struct Turnaround {
  std::uint32_t worker = 0;
  std::uint64_t count = 0;
  std::int64_t total_ns =
      0;  ///< from its GPU_END, or the next task's GPU_QUEUE if that is later, to the pickup
  std::int64_t largest_ns = 0;
  std::int64_t waiting_ns = 0;  ///< before that GPU_QUEUE: there was no task for it
};

/// Idle time of a device by what held up the work that ended it.
struct Blame {
  std::string stage;  ///< see kBlameStages
  std::int64_t idle_ns = 0;
};
/// A stage that can hold up a device, and what it means that it did.
struct BlameStage {
  std::string_view name;
  std::string_view meaning;
};
/// In the order of a partition's way, but for "key", which comes before all others at any time. "untraced" is
/// what the log has no events for.
inline constexpr std::array<BlameStage, 9> kBlameStages = {{
    {"key", "a key was copied to the device or taken from it"},
    {"admission", "no synthesis of the next partition had begun: no job, no permit or no memory for it"},
    {"synthesis", "the next partition was in synthesis"},
    {"accept", "the next partition was synthesised and the device queue had not accepted it"},
    {"pickup", "the next partition was in the device queue and no worker of the device took it"},
    {"prepare", "a worker did the CPU work before the lock"},
    {"handover", "a worker waited for the lock, which was free"},
    {"epilogue", "a worker did the CPU work after the lock while the next partition waited"},
    {"untraced", "before the next partition was picked up; the log has no SYNTH and no GPU_QUEUE events"},
}};

/// The lanes of one device. A lane is absent where the log has no events for it.
struct Device {
  std::uint32_t ordinal = 0;
  std::optional<DeviceLane> lock;  ///< LOCK_ACQUIRED..LOCK_RELEASED, first acquire to last release
  std::optional<DeviceLane> job;   ///< GPU_START..GPU_END, first start to last end
  std::optional<DeviceLane>
      kernel;  ///< kernels, over the span of `lock`; of `job` or their own where that is missing
  std::vector<Turnaround> workers;
  /// What the gaps of the lock (of the job lane, in a log without locks) are due to, most first.
  std::vector<Blame> starved_by;
};

/// How long one stage took, over tasks (over jobs for "job", over keys for "key:copy" and "key:drop").
struct StageTime {
  std::string stage;
  std::uint64_t count = 0;
  double total_ms = 0;
  double min_ms = 0;
  double max_ms = 0;
  [[nodiscard]] double mean_ms() const { return total_ms / static_cast<double>(count); }
};

/// What a log amounts to. docs/timeline.md explains the figures.
struct Analysis {
  std::uint64_t events = 0;
  std::uint64_t lost = 0;      ///< events that the log says are missing: every figure is then a lower bound
  std::uint64_t unpaired = 0;  ///< events whose counterpart is missing (Tasks)
  std::uint64_t jobs = 0;
  std::uint64_t tasks = 0;
  std::uint64_t retries = 0;  ///< tasks of a partition after its first
  /// Sums over the devices that have the lane. With several, each span counts once per device and runs from
  /// the first begin on any to the last end on any, so that a device which idles while others work counts as
  /// idle (that idle time is no gap).
  std::optional<Lane> lock, job, kernel;
  std::vector<Device> devices;    ///< by ordinal
  std::vector<StageTime> stages;  ///< in the order of a partition's way; those that the log has
  std::vector<Blame> starved_by;  ///< over all devices
};

// The functions below share no state: any number of threads may call them at a time.

/// Of a log in any order; never fails: what does not pair is counted. O(n log n).
Analysis analyse(const Log& log);

/// For people, several lines; the gaps of each class with the longest three named.
std::string to_text(const Analysis& analysis);
/// One JSON object; docs/timeline.md describes it. Every gap is listed.
std::string to_json(const Analysis& analysis);

}  // namespace cuzk::timeline
