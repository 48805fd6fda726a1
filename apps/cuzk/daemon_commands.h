#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/isa.h"

namespace CLI {
class App;
}

namespace cuzk::app {

/// Adds serve, submit, await, cancel, status, preload, evict, metrics and bench. A parsed one sets `chosen`,
/// which must outlive the parsing.
void add_daemon_commands(CLI::App& app, std::function<Result<void>()>& chosen);

struct ServeOptions {
  std::string config;  ///< empty: $CUZK_CONFIG, /etc/cuzk/cuzk.toml, /data/zk/cuzk.toml, whichever is there
  bool check_config = false;
  std::string log_level;   ///< empty: as the file says
  std::string log_format;  ///< likewise
  std::string timeline;    ///< file for event lines; empty: none
  Isa isa = best_isa();    ///< CUZK_ISA
};
Result<void> run_serve(const ServeOptions& options);

/// How to reach a daemon.
struct ConnectOptions {
  std::string addr;        ///< unix:///path or host:port
  std::string token_file;  ///< for a daemon that wants a token
  std::string tls_ca;      ///< PEM; turns TLS on
  std::string tls_cert;    ///< client certificate, with tls_key
  std::string tls_key;

  /// What is read for it, and empty names.
  [[nodiscard]] std::vector<std::string> files() const { return {token_file, tls_ca, tls_cert, tls_key}; }
};

/// What is to be proved, by the flags that operators know.
struct PayloadOptions {
  std::string type;                  ///< porep, snap, wpost or winning, or a kind's full name
  std::string c1;                    ///< PoRep: phase 1's JSON or Curio's wrapper around it, also as .gz
  std::vector<std::string> vanilla;  ///< one file a sector or partition, also as .gz
  std::string request;               ///< JSON file that names them and the rest, instead of the flags
  std::optional<std::uint64_t> registered_proof;
  std::uint64_t sector_size = 0;
  std::optional<std::uint64_t> sector_num;
  std::optional<std::uint64_t> miner_id;
  std::uint32_t partition = 0;
  std::string randomness;  ///< hex
  std::string comm_r_old;
  std::string comm_r_new;
  std::string comm_d_new;
  std::string priority;  ///< empty: by kind
};

struct SubmitOptions : ConnectOptions, PayloadOptions {
  std::string request_id;
  bool wait = false;
  std::string out;  ///< with wait: file for the proof
  bool json = false;
};
Result<void> run_submit(const SubmitOptions& options);

struct AwaitOptions : ConnectOptions {
  std::string job;
  std::uint64_t timeout_ms = 0;
  std::string out;
  bool json = false;
};
Result<void> run_await(const AwaitOptions& options);

struct CancelOptions : ConnectOptions {
  std::string job;
  bool json = false;
};
Result<void> run_cancel(const CancelOptions& options);

struct StatusOptions : ConnectOptions {
  bool json = false;
};
Result<void> run_status(const StatusOptions& options);

struct MetricsOptions : ConnectOptions {};
Result<void> run_metrics(const MetricsOptions& options);

struct CircuitOptions : ConnectOptions {
  std::string circuit;
  bool json = false;
};
Result<void> run_preload(const CircuitOptions& options);
Result<void> run_evict(const CircuitOptions& options);

struct BenchOptions : ConnectOptions, PayloadOptions {
  std::string mode;  ///< single, batch, sweep or stress
  bool local = false;
  std::string params;                ///< with local and sweep
  unsigned threads = 0;              ///< likewise; 0: one per processor
  std::vector<std::string> devices;  ///< likewise; empty: every CUDA device, or the CPU
  std::string vram_limit;            ///< likewise
  unsigned points_per_base = 1;      ///< likewise
  Isa isa = best_isa();              ///< CUZK_ISA, likewise
  unsigned count = 10;
  unsigned concurrency = 2;
  unsigned warm_up = 1;
  std::vector<unsigned> partition_workers{1, 2, 4};
  std::vector<unsigned> workers_per_device{1, 2};
  std::vector<std::string> loads;  ///< TYPE:RATE:FILE
  double seconds = 60;
  std::string out;  ///< file for the JSON report
  std::string svg;  ///< file for the plot
  bool json = false;
};
Result<void> run_bench(const BenchOptions& options);

}  // namespace cuzk::app
