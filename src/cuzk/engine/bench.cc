#include "cuzk/engine/bench.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace cuzk::engine {
namespace {

/// Room for the events of a long run: some 20 of each partition.
constexpr std::size_t kEvents = std::size_t{1} << 20;

/// Makes the process's peak of resident memory start anew; without permission it stays.
void reset_peak_rss() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

std::uint64_t peak_rss() {
  std::ifstream in("/proc/self/status");
  std::string key;
  while (in >> key) {
    std::uint64_t kib = 0;
    if (key == "VmHWM:" && in >> kib) return kib * 1024;
    in.ignore(1 << 16, '\n');
  }
  return 0;
}

/// Keeps a number of jobs in flight until all are done.
class Load {
 public:
  Load(Engine& engine, Clock& clock, const std::vector<ProofRequest>& requests)
      : engine_(engine), clock_(clock), requests_(requests), changed_(clock.make_condition()) {}

  void run(std::size_t jobs, std::size_t concurrency, BenchRun& out) {
    std::unique_lock lock(mutex_);
    for (std::size_t i = 0; i < jobs; ++i) {
      while (in_flight_ >= concurrency) changed_->wait(lock);
      ++in_flight_;
      lock.unlock();
      submit(out);
      lock.lock();
    }
    while (in_flight_ > 0) changed_->wait(lock);
  }

 private:
  void submit(BenchRun& out) {
    const Clock::TimePoint begin = clock_.now();
    const Submission submission =
        engine_.submit({"", Priority::kByKind, requests_[next_++ % requests_.size()], {}});
    if (!submission.accepted()) {
      done(out, submission.message);
      return;
    }
    const auto waiter = engine_.await(submission.job_id, {}, [this, &out, begin](const Awaited& awaited) {
      const JobResult& result = *awaited.result;
      if (result.state != JobState::kCompleted) {
        done(out, result.identity.job_id + ": " + result.message);
        return;
      }
      const std::lock_guard lock(mutex_);
      ++out.completed;
      out.latencies.push_back(clock_.now() - begin);
      out.sum.queue_wait += result.times.queue_wait;
      out.sum.srs_load += result.times.srs_load;
      out.sum.synthesis += result.times.synthesis;
      out.sum.gpu_compute += result.times.gpu_compute;
      out.sum.total += result.times.total;
      --in_flight_;
      changed_->notify_all();
    });
    if (!waiter) done(out, waiter.error().message);
  }
  void done(BenchRun& out, std::string failure) {
    const std::lock_guard lock(mutex_);
    out.failures.push_back(std::move(failure));
    --in_flight_;
    changed_->notify_all();
  }

  Engine& engine_;
  Clock& clock_;
  const std::vector<ProofRequest>& requests_;
  std::size_t next_ = 0;
  std::mutex mutex_;
  std::unique_ptr<Condition> changed_;
  std::size_t in_flight_ = 0;  // guarded by mutex_
};

double percent_of(const std::optional<timeline::Lane>& lane) {
  return lane ? 100 * lane->efficiency() : 0;
}

double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

double BenchRun::seconds_per_proof() const {
  return completed == 0 ? 0 : in_seconds(wall) / static_cast<double>(completed);
}

Duration BenchRun::latency(unsigned percent) const {
  if (latencies.empty()) return {};
  const std::size_t rank = (latencies.size() * percent + 99) / 100;
  return latencies[std::min(std::max<std::size_t>(rank, 1), latencies.size()) - 1];
}

Result<std::vector<BenchRun>> bench(const EngineMaker& make, const EngineConfig& base,
                                    const std::vector<BenchPoint>& points, const BenchSettings& settings,
                                    const std::vector<ProofRequest>& requests, Clock& clock) {
  if (requests.empty()) return usage_error("there is no request to prove");
  if (settings.jobs == 0 || settings.concurrency == 0)
    return usage_error("the number of jobs and the concurrency must be at least 1");
  std::vector<BenchRun> runs;
  for (const BenchPoint& point : points.empty() ? std::vector<BenchPoint>(1) : points) {
    EngineConfig config = base;
    if (point.partition_workers) config.partition_workers = point.partition_workers;
    if (point.workers_per_device) config.workers_per_device = *point.workers_per_device;
    timeline::Recorder recorder(kEvents);
    CUZK_TRY_ASSIGN(const std::unique_ptr<Engine> engine, make(config, recorder));

    Load load(*engine, clock, requests);
    BenchRun warm_up;
    load.run(settings.warm_up, settings.concurrency, warm_up);
    BenchRun run;
    run.failures = std::move(warm_up.failures);
    const std::uint64_t first_event = recorder.recorded();
    reset_peak_rss();
    const Clock::TimePoint begin = clock.now();
    load.run(settings.jobs, settings.concurrency, run);
    run.wall = clock.now() - begin;
    run.peak_rss = peak_rss();

    const Status status = engine->status();
    run.partition_workers = status.synthesis_workers;
    run.workers_per_device = config.workers_per_device;
    run.mode = status.mode;
    run.memory_peak = status.memory_peak;
    engine->shut_down({});
    std::sort(run.latencies.begin(), run.latencies.end());
    timeline::Recorder::Tail tail = recorder.since(first_event);
    run.analysis = timeline::analyse({std::move(tail.events), tail.lost});
    runs.push_back(std::move(run));
  }
  return runs;
}

std::string to_text(const std::vector<BenchRun>& runs) {
  std::string out =
      "synth  gpu-workers  proofs  failed   s/proof     p50 s     p90 s     p99 s   lock %    job %  kernel "
      "%   "
      "peak MiB  starved by\n";
  for (const BenchRun& run : runs) {
    char line[256];
    std::snprintf(line, sizeof line,
                  "%5u  %11u  %6zu  %6zu  %8.2f  %8.2f  %8.2f  %8.2f  %7.1f  %7.1f  %8.1f  %9.0f  ",
                  run.partition_workers, run.workers_per_device, run.completed, run.failures.size(),
                  run.seconds_per_proof(), in_seconds(run.latency(50)), in_seconds(run.latency(90)),
                  in_seconds(run.latency(99)), percent_of(run.analysis.lock), percent_of(run.analysis.job),
                  percent_of(run.analysis.kernel), static_cast<double>(run.peak_rss) / (1 << 20));
    out += line;
    out += run.analysis.starved_by.empty() ? "-" : run.analysis.starved_by.front().stage;
    out += "\n";
  }
  return out;
}

}  // namespace cuzk::engine
