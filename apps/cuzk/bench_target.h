#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cuzk/base/result.h"
#include "daemon_commands.h"
#include "rpc_client.h"

namespace cuzk::app {

/// What proves during a benchmark: a daemon, or an engine in this process. Thread-safe.
class BenchTarget {
 public:
  BenchTarget() = default;
  BenchTarget(const BenchTarget&) = delete;
  BenchTarget& operator=(const BenchTarget&) = delete;
  virtual ~BenchTarget() = default;

  /// Blocks until the job has an outcome.
  virtual Result<v1::AwaitProofResponse> prove(const v1::SubmitProofRequest& request) = 0;

  struct Usage {
    std::uint64_t resident_bytes = 0;  ///< of the process that proves
    double lock_held_seconds = 0;      ///< sum over the devices
    unsigned devices = 0;
  };
  virtual Result<Usage> usage() = 0;
  /// For reports: where and with what.
  [[nodiscard]] virtual std::string description() const = 0;
};

Result<std::unique_ptr<BenchTarget>> daemon_target(const ConnectOptions& options);

/// An engine of its own on the CPU, without a journal.
struct LocalSettings {
  std::string params;
  unsigned threads = 0;
  std::optional<unsigned> partition_workers;
  unsigned workers_per_device = 2;
};
Result<std::unique_ptr<BenchTarget>> local_target(const LocalSettings& settings);

}  // namespace cuzk::app
