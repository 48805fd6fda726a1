#include "cuzk/engine/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <new>

#include "cuzk/engine/engine_fixture.h"

namespace cuzk::engine {
namespace {

/// A sweep in virtual time: the second worker of a device is what the interlock's arithmetic says.
TEST(Bench, SweepsOverWorkers) {
  VirtualClock clock;
  const VirtualClock::Participant here(clock);
  ThreadPool pool(1);
  const auto simulation = std::make_shared<Simulation>(Simulation{
      clock,
      {.synthesis = milliseconds(100), .prepare = milliseconds(1300), .kernels = milliseconds(2100)},
      {}});
  const auto make = [&](EngineConfig config, timeline::Recorder& recorder) {
    config.memory_budget = std::uint64_t{1} << 30;
    return Engine::create(config, {.pool = pool,
                                   .devices = {std::make_shared<SimulatedDevice>(simulation, 0)},
                                   .circuits = std::make_shared<SimulatedCircuits>(simulation),
                                   .read_request = simulated_reader(simulation),
                                   .recorder = &recorder,
                                   .clock = clock});
  };
  const std::vector<ProofRequest> requests{simulated_request(ProofKind::porep_seal_commit, 1),
                                           simulated_request(ProofKind::porep_seal_commit, 2)};
  std::vector<std::string> told;
  const auto runs =
      sweep(make, {}, {{4, 1}, {4, 2}}, {.kind = "porep-c2", .jobs = 6, .concurrency = 2, .warm_up = 1},
            requests, clock, [&](const BenchRun& run) { told.push_back(run.label); });
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ(told, (std::vector<std::string>{"partition_workers 4, gpu_workers_per_device 1",
                                            "partition_workers 4, gpu_workers_per_device 2"}));
  for (const BenchRun& run : *runs) {
    EXPECT_EQ(run.completed(), 6U);
    EXPECT_FALSE(run.first_failure());
    const std::vector<Duration> latencies = run.latencies("porep-c2");
    ASSERT_EQ(latencies.size(), 6U);
    EXPECT_TRUE(std::is_sorted(latencies.begin(), latencies.end()));
    EXPECT_EQ(percentile(latencies, 100), latencies.back());
    EXPECT_EQ(percentile(latencies, 50), latencies[2]);
    Duration on_device{};
    for (const BenchSample& sample : run.samples) on_device += sample.outcome.times.gpu_compute;
    EXPECT_EQ(on_device, 60 * milliseconds(2100));
    EXPECT_NEAR(run.lock_held, 60 * 2.1 / std::chrono::duration<double>(run.wall).count(), 1e-9);
    EXPECT_EQ(run.insight->partition_workers, 4U);
    EXPECT_GT(run.peak_rss, 0U);
  }
  EXPECT_EQ(runs->front().insight->workers_per_device, 1U);
  const timeline::Analysis& one = runs->front().insight->analysis;
  const timeline::Analysis& two = runs->back().insight->analysis;
  ASSERT_TRUE(one.lock && two.lock && one.job && one.kernel);
  EXPECT_NEAR(one.lock->efficiency(), 2.1 / 3.4, 0.01);
  EXPECT_EQ(one.kernel->busy_ns, one.lock->busy_ns);
  EXPECT_EQ(one.lock->above_500_ms.count, one.lock->gaps.count);
  EXPECT_EQ(one.starved_by.front().stage, "prepare");
  EXPECT_EQ(two.lock->efficiency(), 1);
  EXPECT_NEAR(runs->back().seconds_per_proof(), 21, 0.5);
  const std::string table = to_table(*runs);
  EXPECT_THAT(table, testing::HasSubstr("100.0"));
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_THAT(to_text(runs->front()), testing::AllOf(testing::HasSubstr("efficiency   lock 6"),
                                                     testing::HasSubstr("starved by   prepare"),
                                                     testing::HasSubstr(" below 50 ms, ")));

  ProofRequest bad;
  const std::vector<BenchPoint> one_point(1);
  const auto failing = sweep(make, {}, one_point, {.jobs = 2, .concurrency = 1, .warm_up = 0}, {bad}, clock);
  ASSERT_TRUE(failing);
  EXPECT_EQ(failing->at(0).completed(), 0U);
  EXPECT_EQ(failing->at(0).samples.size(), 2U);
  ASSERT_TRUE(failing->at(0).first_failure());
  EXPECT_EQ(failing->at(0).first_failure()->code, ErrorCode::kBadInput);
  EXPECT_THAT(failing->at(0).first_failure()->message, testing::StartsWith("INVALID_INPUT"));
  EXPECT_EQ(failing->at(0).seconds_per_proof(), 0);
  EXPECT_FALSE(sweep(make, {}, one_point, {.jobs = 2, .concurrency = 1, .warm_up = 1}, {bad}, clock));
  EXPECT_FALSE(sweep(make, {}, one_point, {}, {}, clock));
  EXPECT_FALSE(sweep(make, {}, one_point, {.jobs = 0}, requests, clock));
  EXPECT_FALSE(sweep(make, {}, {}, {}, requests, clock));
}

TEST(Bench, WithoutAThreadForEachProofItIsAnError) {
  std::atomic<int> proofs{0};
  {
    RefusingClock clock(7);
    const VirtualClock::Participant here(clock);
    const BenchSamples samples = run_batch(
        "none",
        [&] {
          ++proofs;
          return BenchOutcome{};
        },
        100, 8, clock);
    ASSERT_FALSE(samples);
    EXPECT_EQ(samples.error().code, ErrorCode::kIo);
    EXPECT_THAT(samples.error().message, testing::HasSubstr("a thread beside 7 that ask for proofs"));
    EXPECT_EQ(proofs, 0);
  }
  // Two sources and three proofs that last: the fourth has no thread, and the seldom source does not sleep
  // on.
  RefusingClock clock(5);
  const VirtualClock::Participant here(clock);
  const auto lasts = [&] {
    clock.sleep_for(seconds(100));
    ++proofs;
    return BenchOutcome{};
  };
  const BenchSamples samples =
      run_stress({{"often", 1, lasts}, {"seldom", 1e-6, lasts}}, seconds(100'000'000), clock);
  ASSERT_FALSE(samples);
  EXPECT_EQ(samples.error().code, ErrorCode::kIo);
  EXPECT_EQ(proofs, 3);
  EXPECT_LT(clock.now().time_since_epoch(), seconds(150));
  // One source alone, and a proof that finds no memory.
  RefusingClock one(1);
  EXPECT_FALSE(run_stress({{"a", 1, lasts}, {"b", 1, lasts}}, seconds(0), one));
  const BenchProof hungry = []() -> BenchOutcome { throw std::bad_alloc(); };
  EXPECT_EQ(run_batch("hungry", hungry, 3, 1).error().message, "out of memory");
}

TEST(Bench, StressKeepsItsRatesWhateverComesBack) {
  VirtualClock clock;
  const VirtualClock::Participant here(clock);
  std::atomic<int> fast{0};
  const auto prove = [&] {
    clock.sleep_for(seconds(30));
    BenchOutcome out;
    if (++fast % 10 == 0) out.failure = io_error("every tenth");
    return out;
  };
  const auto slow = [&] {
    clock.sleep_for(seconds(300));
    return BenchOutcome{};
  };
  BenchRun run;
  run.samples = run_stress({{"often", 0.5, prove}, {"seldom", 0.05, slow}}, seconds(400), clock).value();
  EXPECT_EQ(run.kinds(), (std::vector<std::string>{"often", "seldom"}));
  std::map<std::string, double> count;
  for (const BenchSample& sample : run.samples) {
    EXPECT_LT(sample.begin, seconds(400));
    EXPECT_EQ(sample.end - sample.begin, sample.kind == "often" ? seconds(30) : seconds(300));
    ++count[sample.kind];
  }
  EXPECT_NEAR(count["often"], 200, 60);
  EXPECT_NEAR(count["seldom"], 20, 15);
  EXPECT_EQ(run.samples.size() - run.completed(), static_cast<std::size_t>(fast / 10));
  EXPECT_EQ(run.first_failure().value().message, "every tenth");
  // The first would come at a time that the clock cannot say.
  EXPECT_TRUE(run_stress({{"never", 1e-300, slow}}, seconds(400), clock).value().empty());
}

}  // namespace
}  // namespace cuzk::engine
