#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/engine/engine.h"
#include "cuzk/timeline/analysis.h"

namespace cuzk::engine {

/// One configuration of a sweep.
struct BenchPoint {
  std::optional<unsigned> partition_workers;  ///< absent: as the base configuration says
  std::optional<unsigned> workers_per_device;
};

struct BenchSettings {
  std::size_t jobs = 10;        ///< measured
  std::size_t concurrency = 2;  ///< jobs in flight at a time: the next is submitted when one is done
  std::size_t warm_up = 1;      ///< jobs before, not measured: they load shapes and parameters
};

/// What one configuration did.
struct BenchRun {
  unsigned partition_workers = 0;
  unsigned workers_per_device = 0;
  PipelineMode mode = PipelineMode::kPerPartition;
  std::size_t completed = 0;
  std::vector<std::string> failures;  ///< refusals and failure texts, of warm-up jobs too
  Duration wall{};                    ///< from the first measured submission to the last result
  std::vector<Duration> latencies;    ///< of the completed jobs, submission to result, ascending
  StageTimes sum;                     ///< over the completed jobs
  std::uint64_t peak_rss = 0;         ///< bytes, of the process during this run; 0 where it cannot be read
  std::uint64_t memory_peak = 0;      ///< largest reservation of the engine's budget
  timeline::Analysis analysis;        ///< of the measured part: efficiencies, gaps, what starved the devices

  /// Wall time for one completed job; 0 when there is none.
  [[nodiscard]] double seconds_per_proof() const;
  /// The latency that `percent` of the completed jobs do not exceed (nearest rank); 0 when there is none.
  [[nodiscard]] Duration latency(unsigned percent) const;
};

/// Makes the engine of one run: with this configuration, and leaving its events in this recorder.
using EngineMaker =
    std::function<Result<std::unique_ptr<Engine>>(EngineConfig config, timeline::Recorder& recorder)>;

/// Runs the same load on an engine of each configuration, one after the other. Jobs take the requests in
/// turn; a repeated request is a job of its own. Blocks; `clock` is the engine's. kUsage without requests,
/// jobs or concurrency; errors of `make`. A job that fails is reported in its run.
Result<std::vector<BenchRun>> bench(const EngineMaker& make, const EngineConfig& base,
                                    const std::vector<BenchPoint>& points, const BenchSettings& settings,
                                    const std::vector<ProofRequest>& requests, Clock& clock = real_clock());

/// A table of the runs for people, one line each.
std::string to_text(const std::vector<BenchRun>& runs);

}  // namespace cuzk::engine
