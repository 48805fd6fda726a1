#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cuzk/base/result.h"

namespace cuzk {

/// As many workers of one sort as a file may ask for: engine::kMostWorkers, which this module does not see
/// (server/options.cc holds them together).
inline constexpr std::uint32_t kMaxWorkers = 1024;
/// gpus.gpu_workers_per_device and gpus.points_per_base have so many at most.
inline constexpr std::uint32_t kMaxWorkersPerDevice = 64;
inline constexpr std::uint32_t kMaxPointsPerBase = 16;

/// What the operator's TOML file says, with the built-in value where it says nothing. Sections and keys are
/// those of the file; packaging/cuzk.example.toml explains each. Sizes are bytes.
struct Config {
  struct Daemon {
    /// "unix:///path" or "host:port"; at least one.
    std::vector<std::string> listen{"unix:///run/curio/cuzk.sock"};
    /// "host:port" of the HTTP side port; empty: none.
    std::string status_listen = "127.0.0.1:9821";
    std::chrono::milliseconds drain_timeout = std::chrono::seconds(60);
    /// How long a job goes on after the last client that waited for it in Prove hung up.
    std::chrono::milliseconds disconnect_grace = std::chrono::minutes(5);
    /// Folder of the journal, a path with a '/'; empty: none. Not set: $STATE_DIRECTORY, else /var/lib/cuzk.
    std::optional<std::string> journal;
    std::string tls_cert;  ///< PEM files; certificate and key together turn TLS on
    std::string tls_key;
    std::string tls_client_ca;  ///< clients must show a certificate of this CA
    std::string token_file;     ///< calls over TCP must carry "authorization: Bearer TOKEN", its first line
  } daemon;

  struct Memory {
    std::optional<std::uint64_t> total_budget;  ///< nothing: "auto", what the machine has less safety_margin
    std::uint64_t safety_margin = std::uint64_t{5} << 30;
    std::chrono::milliseconds eviction_min_idle = std::chrono::minutes(5);
  } memory;

  struct Gpus {
    /// CUDA ordinals, UUIDs, or "all" or "cpu" alone; empty: every CUDA device, else the processor.
    std::vector<std::variant<std::uint32_t, std::string>> devices;
    std::uint32_t gpu_threads = 0;  ///< without effect: synthesis.threads is the number of threads
    std::uint32_t gpu_workers_per_device = 2;
    std::optional<std::uint64_t> vram_limit;  ///< bytes a device
    std::uint32_t points_per_base = 1;  ///< that a resident key keeps, at most; 0: as many as are worth it
  } gpus;

  struct Scheduler {
    std::uint32_t max_batch_size = 1;
    std::chrono::milliseconds max_batch_wait = std::chrono::seconds(10);  ///< key max_batch_wait_ms
    bool sort_by_type = false;
    std::uint32_t max_pending = 1000;
    enum class OnConflict { kNewJob, kReject } on_conflict = OnConflict::kNewJob;
    std::chrono::milliseconds result_retention = std::chrono::hours(1);
    std::uint32_t max_results = 10000;
  } scheduler;

  struct Synthesis {
    std::uint32_t threads = 0;                       ///< 0: as many as there are processors
    std::optional<std::uint32_t> partition_workers;  ///< nothing: one for each thread, as memory admits
  } synthesis;

  struct Pipeline {
    bool enabled = true;
    std::uint32_t synthesis_lookahead = 1;
    std::uint32_t synthesis_concurrency = 1;
    std::optional<std::uint32_t> max_parallel_synthesis;
    std::uint32_t slot_size = 0;
    std::optional<std::uint32_t> max_gpu_queue_depth;
  } pipeline;

  struct Srs {
    /// Not set: $FIL_PROOFS_PARAMETER_CACHE, else /var/tmp/filecoin-proof-parameters.
    std::optional<std::string> param_cache;
    std::vector<std::string> preload;  ///< circuit ids
  } srs;

  struct Logging {
    enum class Level { kTrace, kDebug, kInfo, kWarn, kError } level = Level::kInfo;
    enum class Format { kText, kJson } format = Format::kText;
  } logging;
};

/// What reading a file found. `text` starts with FILE:LINE:COLUMN.
struct ConfigReading {
  Config config;
  std::vector<std::string> warnings;
  std::vector<std::string> errors;  ///< all of them, in the order of the file; not empty: `config` is no use
};

/// Whether a circuit id of `srs.preload` exists; its message goes behind the position.
using CircuitCheck = std::function<Result<void>(std::string_view id)>;

/// What a file is compared with. What is not there is not compared.
struct ConfigChecks {
  CircuitCheck circuit = {};
  std::uint64_t memory = 0;  ///< what the machine or the cgroup offers, in bytes
};

/// Reads TOML text; `name` is what messages call it. Strict: a key that is not known, a value of the wrong
/// type or out of range, and what is no TOML are errors. Memory that this machine has not is a warning, as
/// the file may be for another one. Text over 1 MiB is refused unread. Thread-safe.
ConfigReading read_config(std::string_view text, std::string_view name, const ConfigChecks& checks = {});

/// The same from a file. kUsage when it cannot be read.
Result<ConfigReading> read_config_file(const std::string& path, const ConfigChecks& checks = {});

/// kUsage for what is not "host:port" or "[v6]:port" with a port from `least_port` to 65535. A host is an
/// IPv4 address or a name, an IPv6 address also with the interface that it is one of. Thread-safe.
Result<void> check_host_port(std::string_view text, std::uint32_t least_port);

/// The effective configuration as TOML that read_config reads back to the same values, for `--check-config`.
std::string to_toml(const Config& config);

}  // namespace cuzk
