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

// What `cuzk bench` measures with: loads, what came of them, and an engine in this process as what proves. A
// load does not know what proves: that is a function.

/// How one proof went.
struct BenchOutcome {
  std::optional<Error> failure = {};  ///< absent: it was proved; kBadInput, kParams or kIo (not its fault)
  StageTimes times = {};
};
/// Has one proof made; blocks until there is an outcome. Called from several threads at a time.
using BenchProof = std::function<BenchOutcome()>;

/// One proof of a run. Times since the run began.
struct BenchSample {
  std::string kind;
  Duration begin{};
  Duration end{};
  BenchOutcome outcome;
};

/// The samples of a load, by the end of each. kIo: there is not a thread, or no memory, for each proof that
/// is to be under way.
using BenchSamples = Result<std::vector<BenchSample>>;

/// `count` proofs, `concurrency` at a time: the next begins when one is done. Blocks. After kIo for want of
/// threads none has begun.
BenchSamples run_batch(const std::string& kind, const BenchProof& prove, std::size_t count,
                       std::size_t concurrency, Clock& clock = real_clock());

/// Proofs of one kind at a rate.
struct BenchLoad {
  std::string kind;
  double per_second = 0;
  BenchProof prove;
};
/// Every load at its rate for `time`, at exponential intervals with a fixed seed, whatever comes back in the
/// meantime; then the rest is waited for, after kIo too. A proof that is under way has a thread.
BenchSamples run_stress(const std::vector<BenchLoad>& loads, Duration time, Clock& clock = real_clock());

/// `count` proofs, one after the other, that are not measured: they load shapes and parameters, and pay for
/// whatever else only the first one does. The failure of the first that has one.
Result<void> warm_up(const BenchProof& prove, std::size_t count);

/// What an engine in this process shows beside its results.
struct BenchInsight {
  unsigned partition_workers = 0;
  unsigned workers_per_device = 0;
  PipelineMode mode = PipelineMode::kPerPartition;
  std::uint64_t memory_peak = 0;  ///< largest reservation of the engine's budget
  timeline::Analysis analysis;    ///< efficiencies, gaps, what starved the devices
};

/// One run: what was done, with what, and what came out.
struct BenchRun {
  std::string label;   ///< within a sweep: the settings
  std::string target;  ///< what proved, for people
  std::vector<BenchSample> samples;
  Duration wall{};             ///< until the last proof was done
  double lock_held = 0;        ///< time that device locks were held / (wall * devices)
  std::uint64_t peak_rss = 0;  ///< bytes, of the process that proves, during the run; 0: not known
  std::optional<BenchInsight> insight;

  [[nodiscard]] std::size_t completed() const;
  /// Wall time for one proof that came out; 0 when none did.
  [[nodiscard]] double seconds_per_proof() const;
  /// How long the proofs of this kind (empty: all) that came out took, ascending.
  [[nodiscard]] std::vector<Duration> latencies(const std::string& kind = {}) const;
  /// In the order of their first sample.
  [[nodiscard]] std::vector<std::string> kinds() const;
  /// The failure of the first sample that has one; absent when all came out.
  [[nodiscard]] std::optional<Error> first_failure() const;
};

/// The value that `percent` of the ascending values do not exceed (nearest rank); 0 of none.
[[nodiscard]] Duration percentile(const std::vector<Duration>& ascending, double percent);

/// A few lines for people.
[[nodiscard]] std::string to_text(const BenchRun& run);
/// One line each, for runs that differ in their settings.
[[nodiscard]] std::string to_table(const std::vector<BenchRun>& runs);

/// Makes the engine of one run: with this configuration, and leaving its events in this recorder.
using EngineMaker =
    std::function<Result<std::unique_ptr<Engine>>(EngineConfig config, timeline::Recorder& recorder)>;

/// An engine in this process that is measured. Thread-safe but for measure.
class BenchEngine {
 public:
  /// `clock` is the engine's and must outlive it. Errors of `make`.
  static Result<std::unique_ptr<BenchEngine>> create(const EngineMaker& make, const EngineConfig& config,
                                                     Clock& clock = real_clock());

  /// Submits and waits. A repeated request is a job of its own.
  BenchOutcome prove(const ProofRequest& request);

  /// Runs the load, which proves here, and says what came of it. One at a time. Errors of the load.
  Result<BenchRun> measure(const std::function<BenchSamples()>& load);

  [[nodiscard]] Engine& engine() { return *engine_; }

 private:
  BenchEngine(const EngineConfig& config, Clock& clock);

  Clock& clock_;
  unsigned workers_per_device_;
  timeline::Recorder recorder_;
  std::unique_ptr<Engine> engine_;
};

/// One configuration of a sweep.
struct BenchPoint {
  std::optional<unsigned> partition_workers;  ///< absent: as the base configuration says
  std::optional<unsigned> workers_per_device;
};

struct BenchSettings {
  std::string kind = {};        ///< what the samples are called
  std::size_t jobs = 10;        ///< measured
  std::size_t concurrency = 2;  ///< in flight at a time
  std::size_t warm_up = 1;      ///< jobs before
};

/// warm_up and run_batch on an engine of each configuration, one after the other; a run's label says which.
/// Jobs take the requests in turn. kUsage without configurations, requests, jobs or concurrency; errors of
/// `make`, of the warm-up and of run_batch. `done` (may be empty) is told of each run.
Result<std::vector<BenchRun>> sweep(const EngineMaker& make, const EngineConfig& base,
                                    const std::vector<BenchPoint>& points, const BenchSettings& settings,
                                    const std::vector<ProofRequest>& requests, Clock& clock = real_clock(),
                                    const std::function<void(const BenchRun&)>& done = {});

}  // namespace cuzk::engine
