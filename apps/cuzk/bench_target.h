#pragma once

#include <functional>
#include <memory>
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
  virtual Result<engine::BenchRun> measure(const std::function<engine::BenchSamples()>& load) = 0;
};

Result<std::unique_ptr<BenchTarget>> daemon_target(const ConnectOptions& options);

/// What an engine in this process works with, without a journal.
struct LocalSettings {
  std::string params;
  unsigned threads = 0;
  Isa isa = best_isa();
  std::vector<std::string> devices;  ///< ordinals, UUIDs, all or cpu; empty: every CUDA device, or the CPU
  std::string vram_limit;            ///< a size, of each device; empty: what is free
  unsigned points_per_base = 1;      ///< as gpus.points_per_base
};
Result<std::unique_ptr<BenchTarget>> local_target(const LocalSettings& settings);

/// engine::sweep of one request over engines in this process.
Result<std::vector<engine::BenchRun>> sweep_locally(const LocalSettings& settings,
                                                    const std::vector<engine::BenchPoint>& points,
                                                    const engine::BenchSettings& bench,
                                                    const v1::SubmitProofRequest& request,
                                                    const std::function<void(const engine::BenchRun&)>& done);

}  // namespace cuzk::app
