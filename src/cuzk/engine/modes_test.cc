// The pipeline modes, what is launched together in them, and the device queue.

#include <gtest/gtest.h>

#include <algorithm>

#include "cuzk/engine/engine_fixture.h"

namespace cuzk::engine {
namespace {

struct ModeCase {
  PipelineMode mode;
  std::size_t launches;  ///< of three PoRep jobs
};
class Modes : public testing::TestWithParam<ModeCase> {};

TEST_P(Modes, ProveThreeJobs) {
  EngineSetup setup = slow_setup();
  EngineConfig& config = setup.config;
  config.partition_workers = GetParam().mode == PipelineMode::kPerPartition ? 4 : 0;
  config.max_parallel_synthesis = 4;
  config.pipeline_enabled = GetParam().mode != PipelineMode::kMonolithic;
  config.max_batch_size = GetParam().mode == PipelineMode::kBatched ? 2 : 1;
  config.slot_size = GetParam().mode == PipelineMode::kSlotted ? 2 : 0;
  ASSERT_EQ(pipeline_mode(config), GetParam().mode);
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 3; ++tag) jobs.push_back(engine.accepted(kPorep, tag));
  if (GetParam().mode == PipelineMode::kSlotted) {
    // While they run, no job has more than two partitions between admission and pickup.
    for (int i = 0; i < 100; ++i) {
      engine.pass(milliseconds(501));
      for (const std::string& job : jobs) {
        const JobStatus status = engine->job(job).value();
        EXPECT_LE(std::count_if(status.partitions.begin(), status.partitions.end(),
                                [](PartitionState state) {
                                  return state == PartitionState::kSynthesis ||
                                         state == PartitionState::kDeviceQueue;
                                }),
                  2);
      }
    }
  }
  for (std::uint64_t tag = 1; tag <= 3; ++tag) engine.expect_proved(jobs[tag - 1], kPorep, tag);
  EXPECT_EQ(engine->status().devices[0].launches, GetParam().launches);
  engine.expect_idle();
}

INSTANTIATE_TEST_SUITE_P(All, Modes,
                         testing::Values(ModeCase{PipelineMode::kMonolithic, 3},
                                         ModeCase{PipelineMode::kBatched, 2},
                                         ModeCase{PipelineMode::kSlotted, 30},
                                         ModeCase{PipelineMode::kWholeJob, 3},
                                         ModeCase{PipelineMode::kPerPartition, 30}),
                         [](const auto& param_info) {
                           std::string name(to_string(param_info.param.mode));
                           std::erase(name, '-');
                           return name;
                         });

/// When each job's first synthesis began and its last launch ended.
struct Span {
  std::int64_t begin = std::numeric_limits<std::int64_t>::max();
  std::int64_t end = 0;
};
std::vector<Span> spans(SimulatedEngine& engine, const std::vector<std::string>& jobs) {
  std::map<std::string, Span> by_job;
  for (const timeline::Event& event : engine.events()) {
    Span& span = by_job[event.job];
    if (event.kind == timeline::EventKind::kSynthStart) span.begin = std::min(span.begin, event.time_ns);
    if (event.kind == timeline::EventKind::kLockReleased) span.end = std::max(span.end, event.time_ns);
  }
  std::vector<Span> out;
  for (const std::string& job : jobs) out.push_back(by_job[job]);
  return out;
}

TEST(Modes, MonolithicJobsFollowOneAnotherAndWholeJobsOverlap) {
  for (const bool overlap : {false, true}) {
    EngineSetup setup = slow_setup();
    setup.config.pipeline_enabled = overlap;
    setup.config.partition_workers = 0;
    setup.config.max_parallel_synthesis = 10;
    SimulatedEngine engine(setup);
    const std::vector<std::string> jobs{engine.accepted(kPorep, 1), engine.accepted(kPorep, 2)};
    engine.expect_proved(jobs[0], kPorep, 1);
    engine.expect_proved(jobs[1], kPorep, 2);
    const std::vector<Span> times = spans(engine, jobs);
    EXPECT_EQ(times[1].begin < times[0].end, overlap);
  }
}

// Partitions that are made side by side would each be ready later, none sooner.
TEST(Synthesis, OfPartsFillsThePoolWithOnePartitionAndBeginsOneMore) {
  for (const auto& [parts, at_a_time] : {std::pair{1U, 5}, {2U, 4}, {18U, 2}}) {
    EngineSetup setup = slow_setup();
    setup.threads = 4;
    setup.times.synthesis_parts = parts;
    setup.config.partition_workers = 5;
    SimulatedEngine engine(setup);
    const std::string job = engine.accepted(kPorep, 1);
    engine.expect_proved(job, kPorep, 1);
    int now = 0;
    int most = 0;
    for (const timeline::Event& event : engine.events()) {
      now += event.kind == timeline::EventKind::kSynthStart ? 1 : 0;
      now -= event.kind == timeline::EventKind::kSynthEnd ? 1 : 0;
      most = std::max(most, now);
    }
    EXPECT_EQ(most, at_a_time) << parts;
  }
}

TEST(Synthesis, ACriticalJobDoesNotWaitUntilThePoolHasNothingElseToDo) {
  EngineSetup setup = slow_setup();
  setup.threads = 4;
  setup.times.synthesis_parts = 18;
  setup.config.partition_workers = 5;
  SimulatedEngine engine(setup);
  const std::string sector = engine.accepted(kPorep, 1);
  engine.pass(milliseconds(100));  // two partitions are in synthesis
  const std::string next = engine.accepted(kSnap, 2, Priority::kHigh);
  const std::string winning = engine.accepted(kWinning, 3, Priority::kCritical);
  engine.expect_proved(winning, kWinning, 3);
  engine.expect_proved(next, kSnap, 2);
  engine.expect_proved(sector, kPorep, 1);
  const std::vector<timeline::Event> events = engine.events();
  const auto of_synthesis = [](const timeline::Event& event) {
    return event.kind == timeline::EventKind::kSynthStart || event.kind == timeline::EventKind::kSynthEnd;
  };
  std::vector<std::string> order;
  for (const timeline::Event& event : events)
    if (of_synthesis(event)) order.push_back(event.job);
  ASSERT_GE(order.size(), 3U);
  EXPECT_EQ(order[0], sector);
  EXPECT_EQ(order[1], sector);
  EXPECT_EQ(order[2], winning) << "before one of the two ends";
}

// ---- batches

EngineSetup batch_setup() {
  EngineSetup setup = slow_setup();
  setup.config.max_batch_size = 3;
  setup.config.max_batch_wait = seconds(10);
  return setup;
}

TEST(Batch, IsFlushedByAge) {
  SimulatedEngine engine(batch_setup());
  const std::string job = engine.accepted(kPorep, 1);
  engine.pass(seconds(9));
  EXPECT_EQ(engine->job(job)->state, JobState::kQueued);
  engine.pass(seconds(2));
  EXPECT_EQ(engine->job(job)->state, JobState::kRunning);
  engine.expect_proved(job, kPorep, 1);
}

TEST(Batch, IsFlushedByAnotherCircuitAMoreUrgentJobAndShutdown) {
  for (const ProofKind kind : {kSnap, kPorep, kWinning}) {
    SimulatedEngine engine(batch_setup());
    const std::string job = engine.accepted(kPorep, 1);
    engine.pass(seconds(1));
    const std::string other = engine.accepted(kind, 2, kind == kPorep ? Priority::kHigh : Priority::kByKind);
    // Time for the critical job's synthesis to come first, if its parameters are there before the batch is
    // admitted; less than the batch would have waited.
    engine.pass(seconds(4));
    // A batch of one circuit begins with its most urgent job.
    EXPECT_EQ(engine->job(kind == kPorep ? other : job)->state, JobState::kRunning) << to_string(kind);
    engine.expect_proved(other, kind, 2);
    engine.expect_proved(job, kPorep, 1);
  }
  SimulatedEngine engine(batch_setup());
  const std::string job = engine.accepted(kPorep, 1);
  EXPECT_TRUE(engine->shut_down({}));
  EXPECT_LT(engine.time(), 10 + 2 + 10 * 4);
  EXPECT_EQ(engine->job(job)->state, JobState::kCompleted);
}

TEST(Batch, OneBadJobDoesNotTakeTheOthersAlong) {
  EngineSetup setup = batch_setup();
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == SimulatedStage::kLaunch && tag == 2 && partition == 0 ? SimulatedFault::kError
                                                                          : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 3; ++tag) jobs.push_back(engine.accepted(kPorep, tag));
  EXPECT_EQ(engine.wait(jobs[1])->failure, FailureClass::kResource);
  engine.expect_proved(jobs[0], kPorep, 1);
  engine.expect_proved(jobs[2], kPorep, 3);
  engine.expect_idle();
}

TEST(Batch, OneThatTakesDevicesAlongDoesNotTakeTheOthersAlong) {
  EngineSetup setup = batch_setup();
  setup.config.max_batch_size = 2;
  setup.devices = 3;
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == SimulatedStage::kLaunch && tag == 2 && partition == 0 ? SimulatedFault::kSick
                                                                          : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string good = engine.accepted(kPorep, 1);
  const std::string poison = engine.accepted(kPorep, 2);
  EXPECT_EQ(engine.wait(poison)->failure, FailureClass::kDevice);
  engine.expect_proved(good, kPorep, 1);
  engine.expect_idle();
  const std::vector<timeline::Event> events = engine.events();
  EXPECT_EQ(std::count_if(events.begin(), events.end(),
                          [](const auto& e) { return e.kind == timeline::EventKind::kSynthStart; }),
            20)
      << "witnesses outlive the device";
}

TEST(Batch, MemoryOfAJobThatIsCancelledBeforeTheLaunchIsFreeDuringIt) {
  EngineSetup setup = batch_setup();
  setup.config.max_batch_size = 2;
  SimulatedEngine engine(setup);
  const std::string gone = engine.accepted(kPorep, 1);
  const std::string stays = engine.accepted(kPorep, 2);
  const auto witnesses = [&] {
    return engine->status().memory_by_use[static_cast<std::size_t>(MemoryUse::kWitnesses)];
  };
  engine.pass(seconds(11));  // all have their witness, and a worker prepares for 20 s
  const std::uint64_t both = witnesses();
  EXPECT_TRUE(engine->cancel(gone)->was_running);
  engine.pass(seconds(20));
  EXPECT_EQ(engine->job(stays)->partitions.front(), PartitionState::kDevice);
  EXPECT_EQ(witnesses(), both / 2);
  engine.expect_proved(stays, kPorep, 2);
  engine.expect_idle();
}

TEST(Batch, ACancelledJobLeavesIt) {
  SimulatedEngine engine(batch_setup());
  const std::string gone = engine.accepted(kPorep, 1);
  EXPECT_FALSE(engine->cancel(gone)->was_running);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 2; tag <= 4; ++tag) jobs.push_back(engine.accepted(kPorep, tag));
  engine.pass(seconds(3));
  EXPECT_TRUE(engine->cancel(jobs[0])->was_running);
  engine.expect_proved(jobs[1], kPorep, 3);
  engine.expect_proved(jobs[2], kPorep, 4);
  engine.expect_idle();
}

// ---- launches of several partitions

/// A launch of several partitions some of which have their witness and some of which have not.
EngineSetup together_setup(PipelineMode mode) {
  EngineSetup setup = slow_setup();
  setup.config.partition_workers = 0;
  setup.config.max_parallel_synthesis = 3;
  setup.config.synthesis_concurrency = 3;
  setup.config.synthesis_lookahead = 3;
  setup.config.pipeline_enabled = mode != PipelineMode::kMonolithic;
  setup.config.max_batch_size = mode == PipelineMode::kBatched ? 2 : 1;
  CUZK_CHECK(pipeline_mode(setup.config) == mode);
  return setup;
}

TEST(Quarantine, TheLastDeviceGoesWhilePartOfALaunchIsInSynthesis) {
  for (const PipelineMode mode : {PipelineMode::kWholeJob, PipelineMode::kBatched}) {
    EngineSetup setup = together_setup(mode);
    setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned) {
      return stage == SimulatedStage::kLaunch && tag == 1 ? SimulatedFault::kSick : SimulatedFault::kNone;
    };
    SimulatedEngine engine(setup);
    const std::string sick = engine.accepted(kWindow, 1);
    engine.pass(milliseconds(500));
    const std::string job = engine.accepted(kPorep, 2);
    if (mode == PipelineMode::kBatched) (void)engine.accepted(kPorep, 3);
    EXPECT_EQ(engine.wait(sick)->failure, FailureClass::kDevice) << to_string(mode);
    EXPECT_EQ(engine.time(), 6.0) << "between the first partitions' witnesses and the last one's";
    EXPECT_EQ(engine.wait(job)->failure, FailureClass::kDevice);
    engine.expect_idle();
    EXPECT_TRUE(engine->shut_down(seconds(100)));
  }
}

TEST(Cancel, AJobThatIsPartlySynthesisedLeavesWithoutALaunch) {
  for (const PipelineMode mode :
       {PipelineMode::kMonolithic, PipelineMode::kWholeJob, PipelineMode::kBatched}) {
    SimulatedEngine engine(together_setup(mode));
    const std::string job = engine.accepted(kPorep, 1);
    const std::string other = engine.accepted(kPorep, 2);
    engine.pass(milliseconds(5300));  // two rounds of three have their witness, the third is in synthesis
    EXPECT_TRUE(engine->cancel(job)->was_running);
    const std::vector<PartitionState> states = engine->job(job)->partitions;
    EXPECT_EQ(std::count(states.begin(), states.end(), PartitionState::kDone), 7) << to_string(mode);
    engine.expect_proved(other, kPorep, 2);
    engine.expect_idle();
    EXPECT_EQ(engine->status().devices[0].launches, 1U);
    for (const timeline::Event& event : engine.events())
      if (event.kind == timeline::EventKind::kGpuPickup) {
        EXPECT_EQ(event.job, other);
      }
  }
}

// ---- the device queue

TEST(DeviceQueue, AcceptsFourLaunchesForEachWorker) {
  for (const unsigned devices : {1U, 2U}) {
    EngineSetup setup;
    setup.times = {.synthesis = seconds(1), .kernels = seconds(100)};
    setup.devices = devices;
    setup.config.workers_per_device = 1;
    setup.config.partition_workers = 16;
    SimulatedEngine engine(setup);
    for (std::uint64_t tag = 1; tag <= 14; ++tag) {
      (void)engine.accepted(kWindow, tag);
      engine.pass(milliseconds(10));
    }
    engine.pass(seconds(2));
    const std::vector<timeline::Event> events = engine.events();
    EXPECT_EQ(std::count_if(events.begin(), events.end(),
                            [](const auto& e) { return e.kind == timeline::EventKind::kGpuQueue; }),
              static_cast<std::ptrdiff_t>(devices * (1 + 4)));
  }
}

}  // namespace
}  // namespace cuzk::engine
