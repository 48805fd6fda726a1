#include "cuzk/server/options.h"

#include <algorithm>
#include <cstdlib>

#include "cuzk/config/units.h"
#include "cuzk/server/rpc_server.h"

namespace cuzk::server {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

static_assert(kMaxWorkers == engine::kMostWorkers);

engine::EngineConfig engine_config(const Config& config, std::uint64_t available_memory) {
  engine::EngineConfig out;
  const std::uint64_t margin = config.memory.safety_margin;
  const std::uint64_t automatic =
      std::max(available_memory > margin ? available_memory - margin : 0, available_memory / 2);
  out.memory_budget = config.memory.total_budget.value_or(automatic);
  out.eviction_min_idle = config.memory.eviction_min_idle;
  out.workers_per_device = config.gpus.gpu_workers_per_device;
  out.max_batch_size = config.scheduler.max_batch_size;
  out.max_batch_wait = config.scheduler.max_batch_wait;
  out.sort_by_type = config.scheduler.sort_by_type;
  out.max_pending = config.scheduler.max_pending;
  out.on_conflict = config.scheduler.on_conflict == Config::Scheduler::OnConflict::kReject
                        ? engine::OnConflict::kReject
                        : engine::OnConflict::kNewJob;
  out.result_retention = config.scheduler.result_retention;
  out.max_results = config.scheduler.max_results;
  if (config.synthesis.partition_workers) out.partition_workers = *config.synthesis.partition_workers;
  out.pipeline_enabled = config.pipeline.enabled;
  out.synthesis_lookahead = config.pipeline.synthesis_lookahead;
  out.synthesis_concurrency = config.pipeline.synthesis_concurrency;
  out.max_parallel_synthesis = config.pipeline.max_parallel_synthesis.value_or(0);
  out.slot_size = config.pipeline.slot_size;
  if (config.pipeline.max_gpu_queue_depth) out.max_gpu_queue_depth = *config.pipeline.max_gpu_queue_depth;
  return out;
}

RequestGate::Limits request_limits(const Config& config) {
  // The message as it was received, its parts, and what is decoded of them.
  constexpr std::uint64_t kOfOne = std::uint64_t{3} * kMaxMessageBytes;
  RequestGate::Limits out;
  out.rooms =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(config.memory.safety_margin / kOfOne, 2, 16));
  return out;
}

std::string parameter_folder(const Config& config) {
  if (config.srs.param_cache) return *config.srs.param_cache;
  const std::string folder = environment("FIL_PROOFS_PARAMETER_CACHE");
  return folder.empty() ? "/var/tmp/filecoin-proof-parameters" : folder;
}

std::string journal_folder(const Config& config) {
  if (config.daemon.journal) return *config.daemon.journal;
  // systemd separates several folders by colons; ours is the first.
  const std::string folders = environment("STATE_DIRECTORY");
  return folders.empty() ? "/var/lib/cuzk" : folders.substr(0, folders.find(':'));
}

std::string shape_folder(const Config& config) {
  const std::string journal = journal_folder(config);
  return journal.empty() ? journal : journal + "/shapes";
}

std::string effective_values(const Config& config, std::uint64_t available_memory, unsigned processors) {
  std::string out = "# What the keys without a value, or with \"auto\", amount to here:\n";
  const auto say = [&](bool unset, std::string_view key, const std::string& value) {
    if (unset) out.append("# ").append(key).append(value).append("\n");
  };
  const auto text = [](const std::string& value) { return " = \"" + value + "\""; };
  const auto number = [](std::uint64_t n) { return " = " + std::to_string(n); };
  const unsigned threads = config.synthesis.threads != 0 ? config.synthesis.threads : processors;
  const std::string all_threads = number(threads) + ", one for each thread";
  say(!config.daemon.journal, "daemon.journal", text(journal_folder(config)));
  say(config.daemon.tls_cert.empty(), "daemon.tls_cert, tls_key", ": no TLS");
  say(config.daemon.tls_client_ca.empty(), "daemon.tls_client_ca", ": clients show no certificate");
  say(config.daemon.token_file.empty(), "daemon.token_file", ": calls carry no token");
  say(!config.memory.total_budget, "memory.total_budget",
      text(format_size(engine_config(config, available_memory).memory_budget)));
  say(config.gpus.devices.empty(), "gpus.devices", ": every CUDA device, the processor where there is none");
  say(!config.gpus.vram_limit, "gpus.vram_limit", ": what is free of each device at the start");
  say(config.synthesis.threads == 0, "synthesis.threads", number(threads) + ", one for each processor");
  say(!config.synthesis.partition_workers, "synthesis.partition_workers", all_threads);
  say(!config.pipeline.max_parallel_synthesis, "pipeline.max_parallel_synthesis", all_threads);
  say(!config.pipeline.max_gpu_queue_depth, "pipeline.max_gpu_queue_depth",
      number(4 * config.gpus.gpu_workers_per_device) + " for each device");
  say(!config.srs.param_cache, "srs.param_cache", text(parameter_folder(config)));
  return out;
}

LogLevel log_level(const Config& config) {
  switch (config.logging.level) {
    case Config::Logging::Level::kTrace:
      return LogLevel::kTrace;
    case Config::Logging::Level::kDebug:
      return LogLevel::kDebug;
    case Config::Logging::Level::kInfo:
      return LogLevel::kInfo;
    case Config::Logging::Level::kWarn:
      return LogLevel::kWarn;
    case Config::Logging::Level::kError:
      return LogLevel::kError;
  }
  return LogLevel::kInfo;
}

LogFormat log_format(const Config& config) {
  return config.logging.format == Config::Logging::Format::kJson ? LogFormat::kJson : LogFormat::kText;
}

}  // namespace cuzk::server
