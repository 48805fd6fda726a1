// Whatever is submitted, cancelled, awaited and goes wrong in whatever order: every accepted job reaches
// exactly one final state, no wrong proof leaves, and nothing is left behind.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>

#include "cuzk/base/random.h"
#include "cuzk/engine/engine_fixture.h"

namespace cuzk::engine {
namespace {

/// What goes wrong with a partition at a stage: decided by the seed, at most `most` times for each place, so
/// that a second try may succeed.
class RandomFaults {
 public:
  RandomFaults(std::uint64_t seed, unsigned percent) : seed_(seed), percent_(percent) {}

  SimulatedFault operator()(SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    TestRandom random(seed_ ^ (tag << 20) ^ (std::uint64_t{partition} << 8) ^
                      static_cast<std::uint64_t>(stage));
    if (random.next() % 100 >= percent_) return SimulatedFault::kNone;
    const auto fault = static_cast<SimulatedFault>(1 + random.next() % 6);
    if (fault == SimulatedFault::kSick && sick_left_-- <= 0) return SimulatedFault::kDefect;
    const unsigned times = 1 + static_cast<unsigned>(random.next() % 2);
    const std::lock_guard lock(mutex_);
    unsigned& seen = seen_[{tag, partition, stage}];
    return seen++ < times ? fault : SimulatedFault::kNone;
  }

 private:
  std::uint64_t seed_;
  unsigned percent_;
  std::atomic<int> sick_left_{2};
  std::mutex mutex_;
  std::map<std::tuple<std::uint64_t, unsigned, SimulatedStage>, unsigned> seen_;
};

EngineSetup random_setup(TestRandom& random) {
  const auto upto = [&](std::uint64_t n) { return static_cast<unsigned>(random.next() % (n + 1)); };
  EngineSetup setup;
  setup.devices = 1 + upto(2);
  EngineConfig& config = setup.config;
  config.workers_per_device = 1 + upto(2);
  config.max_gpu_queue_depth = 1 + upto(4);
  config.finishers = upto(2);
  config.max_pending = 8 + upto(30);
  config.sort_by_type = upto(1) == 1;
  config.eviction_min_idle = seconds(upto(20));
  config.max_batch_wait = seconds(upto(20));
  config.max_parallel_synthesis = 1 + upto(4);
  config.synthesis_concurrency = 1 + upto(1);
  config.synthesis_lookahead = 1 + upto(1);
  switch (upto(4)) {
    case 0:
      config.pipeline_enabled = false;
      break;
    case 1:
      config.max_batch_size = 2 + upto(2);
      break;
    case 2:
      config.slot_size = 1 + upto(3);
      config.partition_workers = 0;
      break;
    case 3:
      config.partition_workers = 0;
      break;
    default:
      config.partition_workers = 1 + upto(5);
  }
  // From room for everything down to room for one circuit at a time, with a launch of a whole job.
  for (const ProofKind kind : kProofKinds)
    setup.circuits[simulated_circuit(kind)] = {.params_bytes = 1'000'000, .bits = 80'000};
  config.request_memory = 1'000 + random.next() % 20'000;
  config.memory_budget = *config.request_memory + 2'000'000 + random.next() % 8'000'000;
  const auto some = [&](std::uint64_t ms) { return milliseconds(random.next() % ms); };
  setup.times = {.read = some(500),
                 .synthesis = some(3000),
                 .prepare = some(1500),
                 .kernels = some(2500),
                 .finish = some(500),
                 .verify = some(100),
                 .load_shape = some(4000),
                 .load_key = some(8000)};
  return setup;
}

struct Told {
  std::atomic<int> results{0};
  std::atomic<int> waiters{0};
};

void run(std::uint64_t seed, unsigned fault_percent) {
  SCOPED_TRACE("CUZK_TEST_SEED=" + std::to_string(seed));
  TestRandom random(seed);
  EngineSetup setup = random_setup(random);
  SCOPED_TRACE(to_string(pipeline_mode(setup.config)));
  const auto faults = std::make_shared<RandomFaults>(seed, fault_percent);
  setup.faults = [faults](auto... what) { return (*faults)(what...); };
  std::mutex mutex;
  std::map<std::string, Told> told;
  std::atomic<int> preloads_answered{0};
  setup.on_result = [&](const JobResult& result) {
    const std::lock_guard lock(mutex);
    ++told[result.identity.job_id].results;
  };
  SimulatedEngine engine(std::move(setup));

  struct Submitted {
    std::string job;
    ProofKind kind;
    std::uint64_t tag;
  };
  std::vector<Submitted> jobs;
  int waiters = 0;
  int preloads = 0;
  for (int step = 0; step < 40; ++step) {
    const ProofKind kind = kProofKinds[random.next() % 4];
    switch (random.next() % 6) {
      case 0:
      case 1:
      case 2: {
        const std::uint64_t tag = 1 + random.next() % 20;
        const auto priority = static_cast<Priority>(random.next() % 5);
        const Submission submission = engine.submit(kind, tag, priority, std::to_string(tag) + "-request");
        if (submission.accepted()) jobs.push_back({submission.job_id, kind, tag});
        break;
      }
      case 3:
        if (!jobs.empty()) {
          EXPECT_TRUE(engine->cancel(jobs[random.next() % jobs.size()].job));
        }
        break;
      case 4:
        if (!jobs.empty()) {
          const std::string& job = jobs[random.next() % jobs.size()].job;
          const auto waiter = engine->await(
              job,
              random.next() % 2 == 0 ? std::optional<Duration>(seconds(random.next() % 5)) : std::nullopt,
              [&told, &mutex, job](const Awaited&) {
                const std::lock_guard lock(mutex);
                ++told[job].waiters;
              });
          ASSERT_TRUE(waiter);
          ++waiters;
          if (random.next() % 4 == 0 && engine->forget(*waiter)) --waiters;
        }
        break;
      default:
        if (random.next() % 4 == 0) (void)engine->evict(simulated_circuit(kind));
        if (random.next() % 4 == 0) {
          ++preloads;
          engine->preload(simulated_circuit(kind), [&](const Result<Preloaded>&) { ++preloads_answered; });
        }
        engine.pass(milliseconds(random.next() % 4000));
    }
  }
  if (random.next() % 4 == 0) {
    engine->shut_down(seconds(random.next() % 60));
  }
  for (const Submitted& submitted : jobs) {
    const auto result = engine.wait(submitted.job);
    ASSERT_TRUE(result);
    if (result->state == JobState::kCompleted) {
      EXPECT_EQ(result->proof, simulated_proof(submitted.tag, simulated_partitions(submitted.kind)));
    } else {
      EXPECT_TRUE(result->proof.empty());
      EXPECT_TRUE(is_final(result->state));
      EXPECT_NE(result->message, "");
    }
    EXPECT_EQ(engine->job(submitted.job)->state, result->state);
  }
  engine.expect_idle();
  engine.pass(seconds(10));  // the last waiters' time
  const std::lock_guard lock(mutex);
  int answered = 0;
  for (const auto& [job, count] : told) {
    EXPECT_EQ(count.results, 1) << job;
    answered += count.waiters;
  }
  EXPECT_EQ(answered, waiters);
  EXPECT_EQ(preloads_answered, preloads);
  const Counters counters = engine->status().counters;
  EXPECT_EQ(counters.accepted, told.size());
  std::uint64_t final_jobs = 0;
  for (std::size_t kind = 0; kind < 5; ++kind)
    final_jobs += counters.completed[kind] + counters.failed[kind] + counters.cancelled[kind];
  EXPECT_EQ(final_jobs, counters.accepted);
  EXPECT_EQ(counters.assembly_errors, 0U);
}

/// `count` seeds from `first` on; or the one that the environment's CUZK_TEST_SEED names.
std::vector<std::uint64_t> seeds(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> out;
  if (const char* named = std::getenv("CUZK_TEST_SEED")) {
    const std::string_view text = named;
    std::uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    EXPECT_TRUE(error == std::errc() && end == text.data() + text.size())
        << "CUZK_TEST_SEED='" << text << "' is no number";
    out.push_back(seed);
    return out;
  }
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(first + i);
  return out;
}

TEST(Property, RandomSchedules) {
  for (const std::uint64_t seed : seeds(1, 12)) run(seed, 0);
}

TEST(Property, RandomSchedulesAndFaults) {
  for (const std::uint64_t seed : seeds(1001, 24)) run(seed, 4);
}

}  // namespace
}  // namespace cuzk::engine
