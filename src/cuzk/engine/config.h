#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "cuzk/base/result.h"
#include "cuzk/engine/job.h"

namespace cuzk::engine {

/// What happens to a request whose id is known with another payload.
enum class OnConflict : std::uint8_t { kNewJob, kReject };

/// As many workers of one sort as an engine takes: each is a thread.
inline constexpr unsigned kMostWorkers = 1024;

/// The engine's part of the configuration, with the built-in values of the daemon's file. The comment gives
/// the file's key where they differ.
struct EngineConfig {
  // memory
  /// memory.total_budget less memory.safety_margin, in bytes: parameters, shapes, the working sets of
  /// partitions. 0: what the machine or the cgroup offers (available_memory).
  std::uint64_t memory_budget = 0;
  /// The part of it for requests that are read or wait, and for retained results. Absent: an eighth of it, at
  /// most 4 GiB and at least 1 GiB, but no more than half.
  std::optional<std::uint64_t> request_memory;
  /// Parameters and shapes that nobody uses stay at least this long, unless a critical job needs the room
  /// or nothing else is in flight.
  Duration eviction_min_idle = std::chrono::minutes(5);

  // gpus
  unsigned workers_per_device = 2;  ///< gpus.gpu_workers_per_device, at least 1

  // scheduler
  std::size_t max_batch_size = 1;  ///< jobs; > 1 selects the batched mode
  Duration max_batch_wait = std::chrono::seconds(10);
  /// Within a priority, jobs of one kind follow one another instead of the order of submission.
  bool sort_by_type = false;
  std::size_t max_pending = 1000;  ///< jobs that are not done
  OnConflict on_conflict = OnConflict::kNewJob;
  Duration result_retention = std::chrono::hours(1);
  std::size_t max_results = 10'000;

  // synthesis
  /// Absent: one for each thread of the pool. 0 selects the modes before per-partition.
  std::optional<unsigned> partition_workers;

  // pipeline
  bool pipeline_enabled = true;        ///< pipeline.enabled
  unsigned synthesis_lookahead = 1;    ///< jobs synthesised and waiting for the device (whole job, batched)
  unsigned synthesis_concurrency = 1;  ///< jobs in synthesis at a time (whole job, batched, slotted)
  unsigned max_parallel_synthesis =
      0;                   ///< synthesis workers of the modes with partition_workers = 0; 0: pool
  unsigned slot_size = 0;  ///< > 0 with partition_workers = 0 selects the slotted mode
  /// Launches that the device queue accepts. Absent: four for each worker of each device.
  std::optional<std::size_t> max_gpu_queue_depth;
  /// Launches whose epilogue and check may be outstanding before a device worker does its own; also the
  /// number of finisher threads. 0: one for each device worker.
  unsigned finishers = 0;
};

/// How partitions flow: docs/engine.md has the table.
enum class PipelineMode : std::uint8_t { kMonolithic, kBatched, kSlotted, kWholeJob, kPerPartition };

/// The mode that the configuration selects; of several keys the first in this order decides:
/// pipeline.enabled = false, max_batch_size > 1, partition_workers absent or > 0, slot_size > 0.
[[nodiscard]] PipelineMode pipeline_mode(const EngineConfig& config);
/// "monolithic", "batched", "slotted", "whole-job", "per-partition".
[[nodiscard]] std::string_view to_string(PipelineMode mode);

/// kUsage naming the daemon's key of the first value that cannot be.
[[nodiscard]] Result<void> check(const EngineConfig& config);

/// config.request_memory or what its absence stands for; `memory_budget` is not 0.
[[nodiscard]] std::uint64_t request_memory(const EngineConfig& config);

/// Bytes of memory this process may use: the machine's (MemTotal) or the cgroup's limit, whichever is less.
/// 0 when neither can be read.
[[nodiscard]] std::uint64_t available_memory();

}  // namespace cuzk::engine
