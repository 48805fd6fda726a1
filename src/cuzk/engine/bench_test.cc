#include "cuzk/engine/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuzk/engine/simulation.h"
#include "cuzk/engine/virtual_clock.h"

namespace cuzk::engine {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

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
  const auto runs =
      bench(make, {}, {{4, 1}, {4, 2}}, {.jobs = 6, .concurrency = 2, .warm_up = 1}, requests, clock);
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_EQ(runs->size(), 2U);
  for (const BenchRun& run : *runs) {
    EXPECT_EQ(run.completed, 6U);
    EXPECT_THAT(run.failures, testing::IsEmpty());
    EXPECT_EQ(run.latencies.size(), 6U);
    EXPECT_TRUE(std::is_sorted(run.latencies.begin(), run.latencies.end()));
    EXPECT_EQ(run.latency(100), run.latencies.back());
    EXPECT_EQ(run.latency(50), run.latencies[2]);
    EXPECT_EQ(run.sum.gpu_compute, 60 * milliseconds(2100));
    EXPECT_EQ(run.partition_workers, 4U);
    EXPECT_GT(run.peak_rss, 0U);
  }
  EXPECT_EQ((*runs)[0].workers_per_device, 1U);
  ASSERT_TRUE((*runs)[0].analysis.lock && (*runs)[1].analysis.lock);
  EXPECT_NEAR((*runs)[0].analysis.lock->efficiency(), 2.1 / 3.4, 0.01);
  EXPECT_EQ((*runs)[0].analysis.starved_by.front().stage, "prepare");
  EXPECT_EQ((*runs)[1].analysis.lock->efficiency(), 1);
  EXPECT_NEAR((*runs)[1].seconds_per_proof(), 21, 0.5);
  const std::string text = to_text(*runs);
  EXPECT_THAT(text, testing::HasSubstr("100.0"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);

  ProofRequest bad;
  const auto failing = bench(make, {}, {}, {.jobs = 2, .concurrency = 1, .warm_up = 0}, {bad}, clock);
  ASSERT_TRUE(failing);
  EXPECT_EQ(failing->at(0).completed, 0U);
  EXPECT_EQ(failing->at(0).failures.size(), 2U);
  EXPECT_EQ(failing->at(0).seconds_per_proof(), 0);
  EXPECT_FALSE(bench(make, {}, {}, {}, {}, clock));
  EXPECT_FALSE(bench(make, {}, {}, {.jobs = 0}, requests, clock));
}

}  // namespace
}  // namespace cuzk::engine
