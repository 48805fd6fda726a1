#include "cuzk/engine/config.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>

namespace cuzk::engine {
namespace {

/// The first number in the first line that begins with `prefix`; nothing when there is none.
std::optional<std::uint64_t> number_in(const char* path, std::string_view prefix) {
  std::ifstream in(path);
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with(prefix)) continue;
    const std::size_t digit = line.find_first_of("0123456789", prefix.size());
    if (digit == std::string::npos) return std::nullopt;
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.data() + digit, line.data() + line.size(), value);
    return error == std::errc() ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

PipelineMode pipeline_mode(const EngineConfig& config) {
  if (!config.pipeline_enabled) return PipelineMode::kMonolithic;
  if (config.max_batch_size > 1) return PipelineMode::kBatched;
  if (config.partition_workers.value_or(1) > 0) return PipelineMode::kPerPartition;
  return config.slot_size > 0 ? PipelineMode::kSlotted : PipelineMode::kWholeJob;
}

std::string_view to_string(PipelineMode mode) {
  constexpr std::string_view kNames[] = {"monolithic", "batched", "slotted", "whole-job", "per-partition"};
  return kNames[static_cast<std::size_t>(mode)];
}

Result<void> check(const EngineConfig& config) {
  const auto at_least_one = [](std::uint64_t value, const char* key) -> Result<void> {
    if (value == 0) return usage_error(std::string(key) + " must be at least 1");
    return {};
  };
  const auto few = [](std::uint64_t value, const char* key) -> Result<void> {
    if (value > kMostWorkers)
      return usage_error(std::string(key) + " is " + std::to_string(value) + ", more than " +
                         std::to_string(kMostWorkers));
    return {};
  };
  const auto not_negative = [](Duration value, const char* key) -> Result<void> {
    if (value < Duration::zero()) return usage_error(std::string(key) + " is negative");
    return {};
  };
  CUZK_TRY(at_least_one(config.workers_per_device, "gpus.gpu_workers_per_device"));
  CUZK_TRY(few(config.workers_per_device, "gpus.gpu_workers_per_device"));
  CUZK_TRY(at_least_one(config.max_batch_size, "scheduler.max_batch_size"));
  CUZK_TRY(at_least_one(config.max_pending, "scheduler.max_pending"));
  CUZK_TRY(few(config.partition_workers.value_or(0), "synthesis.partition_workers"));
  CUZK_TRY(at_least_one(config.synthesis_lookahead, "pipeline.synthesis_lookahead"));
  CUZK_TRY(at_least_one(config.synthesis_concurrency, "pipeline.synthesis_concurrency"));
  CUZK_TRY(few(config.max_parallel_synthesis, "pipeline.max_parallel_synthesis"));
  CUZK_TRY(at_least_one(config.max_gpu_queue_depth.value_or(1), "pipeline.max_gpu_queue_depth"));
  CUZK_TRY(few(config.finishers, "the number of finishers"));
  if (config.request_memory && config.memory_budget > 0 && *config.request_memory > config.memory_budget)
    return usage_error("the memory for requests is more than memory.total_budget");
  CUZK_TRY(not_negative(config.max_batch_wait, "scheduler.max_batch_wait_ms"));
  CUZK_TRY(not_negative(config.eviction_min_idle, "memory.eviction_min_idle"));
  CUZK_TRY(not_negative(config.result_retention, "scheduler.result_retention"));
  return {};
}

std::uint64_t request_memory(const EngineConfig& config) {
  constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
  const std::uint64_t total = config.memory_budget;
  return config.request_memory.value_or(std::min(std::clamp(total / 8, kGiB, 4 * kGiB), total / 2));
}

std::uint64_t available_memory() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  if (const auto kib = number_in("/proc/meminfo", "MemTotal:")) least = *kib * 1024;
  // A limit that is not set reads "max": no number.
  if (const auto bytes = number_in("/sys/fs/cgroup/memory.max", "")) least = std::min(least, *bytes);
  return least == std::numeric_limits<std::uint64_t>::max() ? 0 : least;
}

}  // namespace cuzk::engine
