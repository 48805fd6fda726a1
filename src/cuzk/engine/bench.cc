#include "cuzk/engine/bench.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include "cuzk/base/random.h"
#include "cuzk/engine/failure_error.h"
#include "cuzk/engine/internal/guarded.h"

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

/// Threads that are joined whatever happens.
class Threads {
 public:
  explicit Threads(Clock& clock) : clock_(clock) {}
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;
  ~Threads() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) clock_.join(thread);
  }

  /// kIo when there is none to be had.
  template <class Body>
  Result<void> start(const Body& body) {
    return guarded([&]() -> Result<void> {
      try {
        threads_.emplace_back();  // first: no thread without a place
        threads_.back() = clock_.start_thread(body);
      } catch (const std::system_error& e) {
        return io_error("the system refuses a thread beside " + std::to_string(threads_.size() - 1) +
                        " that ask for proofs: " + e.what());
      }
      return {};
    });
  }

 private:
  Clock& clock_;
  std::vector<std::thread> threads_;
};

/// What the threads of a load share: when they begin, what they measured, and whether it is given up.
class Load {
 public:
  explicit Load(Clock& clock) : clock_(clock), changed_(clock.make_condition()), epoch_(clock.now()) {}

  void give_up(Error error) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(error);
    changed_->notify_all();
  }
  [[nodiscard]] bool given_up() {
    const std::lock_guard lock(mutex_);
    return failure_.has_value();
  }

  void begin() {
    const std::lock_guard lock(mutex_);
    epoch_ = clock_.now();
    begun_ = true;
    changed_->notify_all();
  }
  /// Whether it came to that.
  [[nodiscard]] bool wait_for_begin() {
    std::unique_lock lock(mutex_);
    while (!begun_ && !failure_) changed_->wait(lock);
    return !failure_;
  }
  /// Whether there is something to do then.
  [[nodiscard]] bool sleep_until(Duration time) {
    std::unique_lock lock(mutex_);
    while (!failure_ && clock_.now() < epoch_ + time) changed_->wait_until(lock, epoch_ + time);
    return !failure_;
  }

  void measure(const std::string& kind, const BenchProof& prove) {
    const Result<void> measured = guarded([&]() -> Result<void> {
      BenchSample sample{kind, clock_.now() - epoch_, {}, {}};
      sample.outcome = prove();
      sample.end = clock_.now() - epoch_;
      const std::lock_guard lock(mutex_);
      samples_.push_back(std::move(sample));
      return {};
    });
    if (!measured) give_up(measured.error());
  }
  /// When its threads have ended.
  [[nodiscard]] BenchSamples take() && {
    if (failure_) return *std::move(failure_);
    return std::move(samples_);
  }

 private:
  Clock& clock_;
  const std::unique_ptr<Condition> changed_;
  std::mutex mutex_;
  // Guarded by mutex_; epoch_ does not change once a thread measures.
  Clock::TimePoint epoch_;
  bool begun_ = false;
  std::optional<Error> failure_;
  std::vector<BenchSample> samples_;
};

}  // namespace

BenchSamples run_batch(const std::string& kind, const BenchProof& prove, std::size_t count,
                       std::size_t concurrency, Clock& clock) {
  Load load(clock);
  std::atomic<std::size_t> next{0};
  {
    Threads clients(clock);
    for (std::size_t i = 0; i < std::min(count, concurrency) && !load.given_up(); ++i) {
      const Result<void> started = clients.start([&] {
        if (!load.wait_for_begin()) return;
        while (!load.given_up() && next++ < count) load.measure(kind, prove);
      });
      if (!started) load.give_up(started.error());
    }
    load.begin();
  }
  return std::move(load).take();
}

BenchSamples run_stress(const std::vector<BenchLoad>& loads, Duration time, Clock& clock) {
  Load run(clock);
  {
    Threads sources(clock);
    for (std::size_t i = 0; i < loads.size() && !run.given_up(); ++i) {
      const Result<void> started = sources.start([&run, &clock, &load = loads[i], time, i] {
        TestRandom random(i + 1);
        Threads clients(clock);
        const std::chrono::duration<double> end = time;
        for (std::chrono::duration<double> at{};;) {
          const double uniform = (static_cast<double>(random.next() >> 11) + 1) * 0x1p-53;
          at -= std::chrono::duration<double>(std::log(uniform) / load.per_second);
          // As numbers: of a low rate the next one may be beyond what a Duration holds.
          if (at >= end || !run.sleep_until(std::chrono::duration_cast<Duration>(at))) break;
          const Result<void> client = clients.start([&] { run.measure(load.kind, load.prove); });
          if (!client) run.give_up(client.error());
        }
      });
      if (!started) run.give_up(started.error());
    }
  }
  return std::move(run).take();
}

Result<void> warm_up(const BenchProof& prove, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (const BenchOutcome outcome = prove(); outcome.failure) return outcome.failure->within("warm-up");
  return {};
}

// ---- what came out

std::size_t BenchRun::completed() const {
  return static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [](const BenchSample& s) { return !s.outcome.failure; }));
}

double BenchRun::seconds_per_proof() const {
  const std::size_t proofs = completed();
  return proofs == 0 ? 0 : std::chrono::duration<double>(wall).count() / static_cast<double>(proofs);
}

std::vector<Duration> BenchRun::latencies(const std::string& kind) const {
  std::vector<Duration> out;
  for (const BenchSample& sample : samples)
    if (!sample.outcome.failure && (kind.empty() || sample.kind == kind))
      out.push_back(sample.end - sample.begin);
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> BenchRun::kinds() const {
  std::vector<std::string> out;
  for (const BenchSample& sample : samples)
    if (std::find(out.begin(), out.end(), sample.kind) == out.end()) out.push_back(sample.kind);
  return out;
}

std::optional<Error> BenchRun::first_failure() const {
  for (const BenchSample& sample : samples)
    if (sample.outcome.failure) return sample.outcome.failure;
  return std::nullopt;
}

Duration percentile(const std::vector<Duration>& ascending, double percent) {
  if (ascending.empty()) return {};
  const double rank = std::ceil(percent / 100 * static_cast<double>(ascending.size()));
  return ascending[std::min(static_cast<std::size_t>(std::max(rank, 1.0)), ascending.size()) - 1];
}

// ---- an engine in this process

namespace {

Error refusal(const Submission& submission) {
  switch (submission.outcome) {
    case Submission::Outcome::kInvalid:
      return bad_input(submission.message);
    case Submission::Outcome::kParams:
      return bad_params(submission.message);
    default:
      return io_error(submission.message);
  }
}

}  // namespace

BenchEngine::BenchEngine(const EngineConfig& config, Clock& clock)
    : clock_(clock), workers_per_device_(config.workers_per_device), recorder_(kEvents) {}

Result<std::unique_ptr<BenchEngine>> BenchEngine::create(const EngineMaker& make, const EngineConfig& config,
                                                         Clock& clock) {
  std::unique_ptr<BenchEngine> out(new BenchEngine(config, clock));
  CUZK_TRY_ASSIGN(out->engine_, make(config, out->recorder_));
  return out;
}

BenchOutcome BenchEngine::prove(const ProofRequest& request) {
  const Submission submission = engine_->submit({"", Priority::kByKind, request, {}});
  if (!submission.accepted()) return {refusal(submission), {}};
  std::mutex mutex;
  const std::unique_ptr<Condition> changed = clock_.make_condition();
  std::shared_ptr<const JobResult> result;  // guarded by mutex
  const auto waiter = engine_->await(submission.job_id, {}, [&](const Awaited& awaited) {
    const std::lock_guard lock(mutex);
    result = awaited.result;
    changed->notify_all();
  });
  if (!waiter) return {waiter.error(), {}};
  std::unique_lock lock(mutex);
  while (result == nullptr) changed->wait(lock);
  if (result->state == JobState::kCompleted) return {{}, result->times};
  return {failure_error(result->message).within(result->identity.job_id), result->times};
}

Result<BenchRun> BenchEngine::measure(const std::function<BenchSamples()>& load) {
  const auto lock_held = [this] {
    Duration sum{};
    for (const DeviceStatus& device : engine_->status().devices) sum += device.lock_held;
    return sum;
  };
  BenchRun run;
  const Duration held_before = lock_held();
  const std::uint64_t first_event = recorder_.recorded();
  reset_peak_rss();
  CUZK_TRY_ASSIGN(run.samples, load());
  for (const BenchSample& sample : run.samples) run.wall = std::max(run.wall, sample.end);
  run.peak_rss = peak_rss();

  const Status status = engine_->status();
  if (run.wall > Duration::zero())
    run.lock_held = std::chrono::duration<double>(lock_held() - held_before) /
                    (std::chrono::duration<double>(run.wall) * static_cast<double>(status.devices.size()));
  timeline::Recorder::Tail tail = recorder_.since(first_event);
  run.insight = BenchInsight{status.synthesis_workers, workers_per_device_, status.mode, status.memory_peak,
                             timeline::analyse({std::move(tail.events), tail.lost})};
  return run;
}

Result<std::vector<BenchRun>> sweep(const EngineMaker& make, const EngineConfig& base,
                                    const std::vector<BenchPoint>& points, const BenchSettings& settings,
                                    const std::vector<ProofRequest>& requests, Clock& clock,
                                    const std::function<void(const BenchRun&)>& done) {
  if (points.empty()) return usage_error("there is no configuration to measure");
  if (requests.empty()) return usage_error("there is no request to prove");
  if (settings.jobs == 0 || settings.concurrency == 0)
    return usage_error("the number of jobs and the concurrency must be at least 1");
  std::vector<BenchRun> runs;
  for (const BenchPoint& point : points) {
    EngineConfig config = base;
    if (point.partition_workers) config.partition_workers = point.partition_workers;
    if (point.workers_per_device) config.workers_per_device = *point.workers_per_device;
    CUZK_TRY_ASSIGN(const std::unique_ptr<BenchEngine> engine, BenchEngine::create(make, config, clock));
    std::atomic<std::size_t> next{0};
    const BenchProof prove = [&] { return engine->prove(requests[next++ % requests.size()]); };
    CUZK_TRY(warm_up(prove, settings.warm_up));
    CUZK_TRY_ASSIGN(BenchRun run, engine->measure([&] {
      return run_batch(settings.kind, prove, settings.jobs, settings.concurrency, clock);
    }));
    run.label = "partition_workers " +
                std::to_string(config.partition_workers.value_or(run.insight->partition_workers)) +
                ", gpu_workers_per_device " + std::to_string(config.workers_per_device);
    if (done) done(run);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace cuzk::engine
