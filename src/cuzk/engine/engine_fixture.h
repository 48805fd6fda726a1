#pragma once

// An engine under a virtual clock, for tests: real threads, locks and queues; stages that last a given time.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "cuzk/engine/simulation.h"
#include "cuzk/engine/virtual_clock.h"

namespace cuzk::engine {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline constexpr ProofKind kPorep = ProofKind::porep_seal_commit;
inline constexpr ProofKind kSnap = ProofKind::snap_deals_update;
inline constexpr ProofKind kWindow = ProofKind::window_post_partition;
inline constexpr ProofKind kWinning = ProofKind::winning_post;

/// Starts so many threads and no more.
class RefusingClock : public VirtualClock {
 public:
  explicit RefusingClock(int threads) : left_(threads) {}
  [[nodiscard]] std::thread start_thread(std::function<void()> body) override {
    if (left_-- <= 0) throw std::system_error(EAGAIN, std::generic_category());
    return VirtualClock::start_thread(std::move(body));
  }

 private:
  std::atomic<int> left_;
};

/// What a test wants of its engine.
struct EngineSetup {
  EngineConfig config;
  SimulatedTimes times;
  unsigned devices = 1;
  unsigned threads = 1;  ///< of the pool
  SimulatedFaults faults;
  KeyHostBytes key_host{};                                   ///< what every device takes for every circuit
  std::map<std::string, SimulatedCircuits::Sizes> circuits;  ///< empty: one of each kind
  Journal* journal = nullptr;
  std::function<void(const JobResult&)> on_result;
  std::function<void(const DevicesLost&)> on_devices_lost;
};

/// Stages of seconds, as at full size.
inline EngineSetup slow_setup() {
  EngineSetup setup;
  setup.times = {.synthesis = seconds(2),
                 .prepare = seconds(1),
                 .kernels = seconds(3),
                 .finish = milliseconds(500),
                 .verify = milliseconds(100)};
  return setup;
}

/// One launch fails, counted over all devices from 0, and its device is lost with it, or (kFatal) all are.
inline SimulatedFaults device_lost_at_launch(int n, SimulatedFault fault = SimulatedFault::kSick) {
  return [n, fault, launches = std::make_shared<std::atomic<int>>(0)](SimulatedStage stage, std::uint64_t,
                                                                      unsigned) {
    return stage == SimulatedStage::kLaunch && (*launches)++ == n ? fault : SimulatedFault::kNone;
  };
}

/// The thread that makes it takes part in the clock: time passes only while it waits in here.
class SimulatedEngine {
 public:
  explicit SimulatedEngine(EngineSetup setup = {})
      : participant_(std::in_place, clock_), pool_(setup.threads) {
    if (!setup.config.partition_workers) setup.config.partition_workers = 4;
    if (setup.config.memory_budget == 0) setup.config.memory_budget = std::uint64_t{1} << 30;
    simulation_ = std::make_shared<Simulation>(
        Simulation{clock_, setup.times, std::move(setup.faults), setup.key_host});
    EngineParts parts{.pool = pool_,
                      .devices = {},
                      .circuits = setup.circuits.empty()
                                      ? std::make_shared<SimulatedCircuits>(simulation_)
                                      : std::make_shared<SimulatedCircuits>(simulation_, setup.circuits),
                      .read_request = simulated_reader(simulation_),
                      .journal = setup.journal,
                      .recorder = &recorder_,
                      .clock = clock_,
                      .on_result = std::move(setup.on_result),
                      .on_devices_lost = std::move(setup.on_devices_lost)};
    for (unsigned d = 0; d < setup.devices; ++d)
      parts.devices.push_back(std::make_shared<SimulatedDevice>(simulation_, d));
    Result<std::unique_ptr<Engine>> made = Engine::create(setup.config, std::move(parts));
    CUZK_CHECK(made.has_value());
    engine_ = std::move(*made);
  }

  [[nodiscard]] Engine& operator*() { return *engine_; }
  [[nodiscard]] Engine* operator->() { return engine_.get(); }
  [[nodiscard]] VirtualClock& clock() { return clock_; }
  [[nodiscard]] timeline::Recorder& recorder() { return recorder_; }

  /// Seconds since the clock began.
  [[nodiscard]] double time() const {
    return std::chrono::duration<double>(clock_.now().time_since_epoch()).count();
  }
  void pass(Duration duration) { clock_.sleep_for(duration); }

  Submission submit(ProofKind kind, std::uint64_t tag, Priority priority = Priority::kByKind,
                    const std::string& request_id = "") {
    return engine_->submit({request_id, priority, simulated_request(kind, tag), {}});
  }
  std::string accepted(ProofKind kind, std::uint64_t tag, Priority priority = Priority::kByKind) {
    const Submission submission = submit(kind, tag, priority);
    EXPECT_EQ(submission.outcome, Submission::Outcome::kAccepted) << submission.message;
    return submission.job_id;
  }

  /// The result of a job; null when `timeout` passes first.
  std::shared_ptr<const JobResult> wait(const std::string& job_id, std::optional<Duration> timeout = {}) {
    return awaited(job_id, timeout).result;
  }
  Awaited awaited(const std::string& job_id, std::optional<Duration> timeout = {}) {
    struct Shared {
      std::mutex mutex;
      std::unique_ptr<Condition> changed;
      std::optional<Awaited> answer;
    };
    const auto shared = std::make_shared<Shared>();
    shared->changed = clock_.make_condition();
    const auto waiter = engine_->await(job_id, timeout, [shared](const Awaited& awaited) {
      const std::lock_guard lock(shared->mutex);
      EXPECT_FALSE(shared->answer.has_value()) << "answered twice";
      shared->answer = awaited;
      shared->changed->notify_all();
    });
    EXPECT_TRUE(waiter) << job_id;
    if (!waiter) return {};
    std::unique_lock lock(shared->mutex);
    while (!shared->answer) shared->changed->wait(lock);
    return *shared->answer;
  }

  /// Waits for a job that must complete with the right proof.
  void expect_proved(const std::string& job_id, ProofKind kind, std::uint64_t tag) {
    const std::shared_ptr<const JobResult> result = wait(job_id);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->state, JobState::kCompleted) << result->message;
    EXPECT_EQ(result->proof, simulated_proof(tag, simulated_partitions(kind)));
  }

  /// Nothing is left behind: for the end of a test, when every job is done.
  void expect_idle() {
    // Results are visible before what still runs for failed and cancelled jobs has ended.
    const auto busy = [this] {
      const Status status = engine_->status();
      return status.finishing > 0 || status.memory_let_go > 0 ||
             std::any_of(status.circuits.begin(), status.circuits.end(),
                         [](const CircuitStatus& c) { return c.ref_count > 0 || c.loading; });
    };
    for (int i = 0; i < 1000 && busy(); ++i) pass(seconds(1));
    const Status status = engine_->status();
    expect_reserved(status);
    EXPECT_EQ(status.counters.queue_pushed, status.counters.queue_popped);
    EXPECT_EQ(status.partitions_waiting + status.device_queue + status.finishing, 0U);
    for (const CircuitStatus& circuit : status.circuits)
      EXPECT_EQ(circuit.ref_count, 0U) << circuit.circuit_id;
    for (const QueueStatus& queue : status.queues) EXPECT_EQ(queue.pending + queue.in_progress, 0U);
  }

  [[nodiscard]] std::vector<timeline::Event> events() const { return recorder_.since(0).events; }

 private:
  /// What an idle engine holds: shapes, keys and results. (Launches of a simulated device take nothing.)
  static void expect_reserved(const Status& status) {
    std::uint64_t keys = 0;
    std::uint64_t shapes = 0;
    for (const CircuitStatus& circuit : status.circuits) {
      keys += circuit.tier == ParamsTier::kHot ? circuit.size_bytes : 0;
      shapes += circuit.shape_bytes;
    }
    const auto of = [&](MemoryUse use) { return status.memory_by_use[static_cast<std::size_t>(use)]; };
    EXPECT_EQ(of(MemoryUse::kKeys), keys);
    EXPECT_EQ(of(MemoryUse::kShapes), shapes);
    EXPECT_EQ(of(MemoryUse::kLaunches), 0U);
    EXPECT_EQ(of(MemoryUse::kWitnesses), 0U);
    EXPECT_EQ(of(MemoryUse::kRequests), 0U);
    EXPECT_EQ(status.memory_reserved, keys + shapes + of(MemoryUse::kResults));
    EXPECT_EQ(status.memory_let_go, 0U);
  }

  VirtualClock clock_;
  std::optional<VirtualClock::Participant> participant_;
  ThreadPool pool_;
  timeline::Recorder recorder_{std::size_t{1} << 16};
  std::shared_ptr<Simulation> simulation_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cuzk::engine
