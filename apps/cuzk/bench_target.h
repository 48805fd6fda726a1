#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/engine/bench.h"
#include "daemon_commands.h"
#include "rpc_client.h"

namespace cuzk::app {

/// What proves during a benchmark: a daemon, or an engine in this process.
class BenchTarget {
 public:
  BenchTarget() = default;
  BenchTarget(const BenchTarget&) = delete;
  BenchTarget& operator=(const BenchTarget&) = delete;
  virtual ~BenchTarget() = default;

  /// Proves the request, each time as a job of its own. The target must outlive it; it is thread-safe.
  virtual Result<engine::BenchProof> proof(const v1::SubmitProofRequest& request) = 0;
  /// Runs a load of such proofs and says what came of it. One at a time.
  virtual Result<engine::BenchRun> measure(const std::function<std::vector<engine::BenchSample>()>& load) = 0;
};

Result<std::unique_ptr<BenchTarget>> daemon_target(const ConnectOptions& options);

/// An engine of its own, on the devices that a daemon without gpus.devices would use, without a journal.
struct LocalSettings {
  std::string params;
  unsigned threads = 0;
  Isa isa = best_isa();
  std::vector<std::string> devices;  ///< ordinals, UUIDs, all or cpu; empty: every CUDA device, or the CPU
  std::string vram_limit;            ///< a size, of each device; empty: what is free
  unsigned h_multiples = 1;          ///< as gpus.h_multiples
  std::optional<unsigned> partition_workers;
  unsigned workers_per_device = 2;
};
Result<std::unique_ptr<BenchTarget>> local_target(const LocalSettings& settings);

}  // namespace cuzk::app
