// The rules of docs/engine.md and of the engine's header, one by one, on simulated devices.

#include "cuzk/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <system_error>

#include "cuzk/engine/engine_fixture.h"
#include "cuzk/engine/internal/assembler.h"
#include "cuzk/engine/internal/order.h"

namespace cuzk::engine {
namespace {

using Outcome = Submission::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

constexpr ProofKind kPorep = ProofKind::porep_seal_commit;
constexpr ProofKind kSnap = ProofKind::snap_deals_update;
constexpr ProofKind kWindow = ProofKind::window_post_partition;
constexpr ProofKind kWinning = ProofKind::winning_post;

TEST(Engine, ProvesEveryKindAndJoinsPiecesInPartitionOrder) {
  SimulatedEngine engine(slow_setup());
  std::map<std::string, std::pair<ProofKind, std::uint64_t>> jobs;
  std::uint64_t tag = 1;
  for (const ProofKind kind : kProofKinds) {
    const std::string job = engine.accepted(kind, tag);
    EXPECT_TRUE(jobs.emplace(job, std::pair(kind, tag++)).second) << "job ids are unique";
  }
  for (const auto& [job, what] : jobs) engine.expect_proved(job, what.first, what.second);
  engine.expect_idle();
  const Counters counters = engine->status().counters;
  for (const ProofKind kind : kProofKinds) EXPECT_EQ(counters.completed[static_cast<std::size_t>(kind)], 1U);
  EXPECT_EQ(counters.partitions_proved, 10U + 16U + 1U + 1U);
}

TEST(Engine, TimesOfAJob) {
  EngineSetup setup = slow_setup();
  setup.times.load_shape = seconds(4);
  setup.times.load_key = seconds(6);
  SimulatedEngine engine(setup);
  const auto result = engine.wait(engine.accepted(kWindow, 1));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->times.queue_wait, seconds(0));
  EXPECT_EQ(result->times.srs_load, seconds(10));
  EXPECT_EQ(result->times.synthesis, seconds(2));
  EXPECT_EQ(result->times.gpu_compute, seconds(3));
  EXPECT_EQ(result->times.total, seconds(10 + 2 + 1 + 3) + milliseconds(600));
  EXPECT_EQ(engine->status().counters.shape_hits, 0U);
  const auto second = engine.wait(engine.accepted(kWindow, 2));
  EXPECT_EQ(second->times.srs_load, seconds(0));
  EXPECT_EQ(engine->status().counters.shape_hits, 1U) << "the second proof finds its shape";
  EXPECT_EQ(engine->status().counters.shapes_recorded, 1U);
  EXPECT_EQ(engine->status().counters.key_loads, 1U);
}

// ---- repetitions

TEST(Repetition, AttachesToTheRunningJobThenGetsTheStoredResult) {
  SimulatedEngine engine(slow_setup());
  const Submission first = engine.submit(kPorep, 1, Priority::kByKind, "porep-1000-7");
  ASSERT_EQ(first.outcome, Outcome::kAccepted);
  const Submission again = engine.submit(kPorep, 1, Priority::kLow, "porep-1000-7");
  EXPECT_EQ(again.outcome, Outcome::kAttached) << "the priority is not part of the payload";
  EXPECT_EQ(again.job_id, first.job_id);
  engine.expect_proved(first.job_id, kPorep, 1);
  const Submission later = engine.submit(kPorep, 1, Priority::kByKind, "porep-1000-7");
  EXPECT_EQ(later.outcome, Outcome::kStored);
  EXPECT_EQ(later.job_id, first.job_id);
  engine.expect_proved(later.job_id, kPorep, 1);
  EXPECT_EQ(engine->status().counters.accepted, 1U);
}

TEST(Repetition, AnotherPayloadOrKindIsAnotherJob) {
  SimulatedEngine engine(slow_setup());
  const Submission first = engine.submit(kPorep, 1, Priority::kByKind, "r");
  const Submission other = engine.submit(kPorep, 2, Priority::kByKind, "r");
  const Submission kind = engine.submit(kSnap, 1, Priority::kByKind, "r");
  EXPECT_EQ(other.outcome, Outcome::kAccepted);
  EXPECT_EQ(kind.outcome, Outcome::kAccepted);
  engine.expect_proved(first.job_id, kPorep, 1);
  engine.expect_proved(other.job_id, kPorep, 2);
  engine.expect_proved(kind.job_id, kSnap, 1);
}

TEST(Repetition, AnotherPayloadIsRefusedWhereTheConfigurationSaysSo) {
  EngineSetup setup = slow_setup();
  setup.config.on_conflict = OnConflict::kReject;
  SimulatedEngine engine(setup);
  const Submission first = engine.submit(kPorep, 1, Priority::kByKind, "r");
  const Submission other = engine.submit(kPorep, 2, Priority::kByKind, "r");
  EXPECT_EQ(other.outcome, Outcome::kConflict);
  EXPECT_THAT(other.message, HasSubstr(first.job_id));
  EXPECT_EQ(engine.submit(kPorep, 1, Priority::kByKind, "r").outcome, Outcome::kAttached);
  EXPECT_EQ(engine.submit(kSnap, 2, Priority::kByKind, "r").outcome, Outcome::kAccepted) << "of another kind";
}

TEST(Repetition, OfTwoPayloadsThatComeAtOnceTheSecondIsRefused) {
  EngineSetup setup = slow_setup();
  setup.config.on_conflict = OnConflict::kReject;
  setup.times.read = seconds(5);
  SimulatedEngine engine(setup);
  std::thread client = engine.clock().start_thread(
      [&] { EXPECT_EQ(engine.submit(kWindow, 1, Priority::kByKind, "id").outcome, Outcome::kAccepted); });
  engine.pass(seconds(1));
  EXPECT_EQ(engine.submit(kWindow, 2, Priority::kByKind, "id").outcome, Outcome::kConflict);
  EXPECT_EQ(engine.time(), 5.0) << "it waited for what becomes of the first";
  EXPECT_EQ(engine.submit(kWinning, 2, Priority::kByKind, "id").outcome, Outcome::kAccepted);
  engine.clock().join(client);
}

TEST(Repetition, WithoutARequestIdEveryRequestIsAJob) {
  SimulatedEngine engine(slow_setup());
  EXPECT_NE(engine.accepted(kWindow, 1), engine.accepted(kWindow, 1));
}

TEST(Repetition, RunsAgainAfterCancellationAsTheNextAttempt) {
  SimulatedEngine engine(slow_setup());
  const Submission first = engine.submit(kPorep, 1, Priority::kByKind, "r");
  ASSERT_TRUE(engine->cancel(first.job_id));
  EXPECT_EQ(engine.wait(first.job_id)->state, JobState::kCancelled);
  const Submission again = engine.submit(kPorep, 1, Priority::kByKind, "r");
  EXPECT_EQ(again.outcome, Outcome::kAccepted);
  EXPECT_NE(again.job_id, first.job_id);
  const auto result = engine.wait(again.job_id);
  EXPECT_EQ(result->state, JobState::kCompleted);
  EXPECT_EQ(result->identity.attempt, 2U);
  EXPECT_EQ(engine.wait(first.job_id)->state, JobState::kCancelled) << "the earlier job is untouched";
}

TEST(Repetition, ResultsAreRetainedForTheirTimeAndNoMoreThanTheirNumber) {
  EngineSetup setup;
  setup.config.result_retention = seconds(100);
  setup.config.max_results = 2;
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 3; ++tag) {
    jobs.push_back(engine.accepted(kWindow, tag));
    engine.expect_proved(jobs.back(), kWindow, tag);
  }
  engine.pass(milliseconds(1));
  EXPECT_FALSE(engine->job(jobs[0])) << "the third pushed the first out";
  EXPECT_TRUE(engine->job(jobs[1]));
  engine.pass(seconds(101));
  EXPECT_FALSE(engine->job(jobs[2]));
  EXPECT_EQ(engine->job(jobs[2]).error().code, ErrorCode::kUsage);
}

// ---- waiting

TEST(Await, TellsOfTimePassedAndTheJobGoesOn) {
  SimulatedEngine engine(slow_setup());
  const std::string job = engine.accepted(kWindow, 1);
  EXPECT_EQ(engine.wait(job, seconds(1)), nullptr);
  EXPECT_EQ(engine.time(), 1.0);
  engine.expect_proved(job, kWindow, 1);
  EXPECT_FALSE(engine->await("no such job", {}, [](const Awaited&) { FAIL(); }));
}

TEST(Await, EveryWaiterIsAnsweredOnceAndAForgottenOneNever) {
  SimulatedEngine engine(slow_setup());
  const std::string job = engine.accepted(kWindow, 1);
  std::atomic<int> answers{0};
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(engine->await(job, {}, [&](const Awaited&) { ++answers; }));
  const auto forgotten = engine->await(job, {}, [&](const Awaited&) { answers += 100; });
  EXPECT_TRUE(engine->forget(*forgotten));
  EXPECT_FALSE(engine->forget(*forgotten));
  engine.expect_proved(job, kWindow, 1);
  engine.pass(seconds(1));
  EXPECT_EQ(answers, 5);
}

TEST(Await, AnAbandonedJobIsCancelledAfterItsGrace) {
  EngineSetup setup = slow_setup();
  setup.times.synthesis = seconds(100);
  SimulatedEngine engine(setup);
  const auto submit = [&](std::uint64_t tag) {
    return engine
        ->submit(
            {std::to_string(tag) + "-r", Priority::kByKind, simulated_request(kWindow, tag), seconds(10)})
        .job_id;
  };
  const auto hang_up = [&](const std::string& job) {
    EXPECT_TRUE(engine->forget(*engine->await(job, {}, [](const Awaited&) { FAIL(); })));
  };
  const std::string abandoned = submit(1);
  const std::string returned = submit(2);
  const std::string kept = submit(3);
  hang_up(abandoned);
  hang_up(returned);
  hang_up(kept);
  engine.pass(seconds(9));
  EXPECT_EQ(engine->job(abandoned)->state, JobState::kRunning);
  // The client came back; and somebody else asked for the third without hanging on to it.
  ASSERT_TRUE(engine->await(returned, {}, [](const Awaited&) {}));
  EXPECT_EQ(engine.submit(kWindow, 3, Priority::kByKind, "3-r").outcome, Outcome::kAttached);
  engine.pass(seconds(2));
  EXPECT_EQ(engine->job(abandoned)->state, JobState::kCancelled);
  EXPECT_EQ(engine->job(abandoned)->message, "nobody waited for it");
  EXPECT_EQ(engine->job(returned)->state, JobState::kRunning);
  engine.expect_proved(kept, kWindow, 3);
}

TEST(Await, AWaiterWhoseTimePassedHasLeft) {
  EngineSetup setup = slow_setup();
  setup.times.synthesis = seconds(100);
  SimulatedEngine engine(setup);
  const std::string job =
      engine->submit({"r", Priority::kByKind, simulated_request(kWindow, 1), seconds(10)}).job_id;
  EXPECT_EQ(engine.wait(job, seconds(5)), nullptr);
  engine.pass(seconds(9));
  EXPECT_EQ(engine->job(job)->state, JobState::kRunning);
  engine.pass(seconds(2));
  EXPECT_EQ(engine->job(job)->message, "nobody waited for it");
}

// ---- cancellation and failure

TEST(Cancel, AQueuedJobEndsAtOnce) {
  EngineSetup setup = slow_setup();
  setup.config.partition_workers = 1;
  SimulatedEngine engine(setup);
  const std::string first = engine.accepted(kPorep, 1);
  const std::string queued = engine.accepted(kPorep, 2);
  engine.pass(seconds(1));
  const double before = engine.time();
  const auto cancelled = engine->cancel(queued);
  ASSERT_TRUE(cancelled);
  EXPECT_FALSE(cancelled->was_running);
  EXPECT_EQ(engine.wait(queued)->state, JobState::kCancelled);
  EXPECT_EQ(engine.time(), before);
  engine.expect_proved(first, kPorep, 1);
  engine.expect_idle();
  EXPECT_FALSE(engine->cancel(first)->was_running) << "what is final stays";
  EXPECT_EQ(engine.wait(first)->state, JobState::kCompleted);
  EXPECT_FALSE(engine->cancel("no such job"));
}

TEST(Cancel, SynthesisEndsWithinASecondAndTheDeviceFinishesItsPartition) {
  EngineSetup setup = slow_setup();
  setup.times.synthesis = seconds(60);
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(kPorep, 1);
  engine.pass(seconds(30));
  EXPECT_TRUE(engine->cancel(job)->was_running);
  EXPECT_EQ(engine.wait(job)->state, JobState::kCancelled);
  engine.pass(seconds(1));
  EXPECT_EQ(engine->status().synthesis_busy, 0U);
  engine.expect_idle();

  const std::string on_device = engine.accepted(kPorep, 2);
  engine.pass(seconds(62));  // four partitions are synthesised, two workers have one each
  EXPECT_TRUE(engine->cancel(on_device)->was_running);
  const std::string next = engine.accepted(kPorep, 3);
  engine.expect_proved(next, kPorep, 3);
  engine.expect_idle();
  std::size_t launches = 0;
  for (const timeline::Event& event : engine.events())
    if (event.kind == timeline::EventKind::kLockAcquired && event.job == on_device) ++launches;
  EXPECT_EQ(launches, 2U) << "what was with the prover ends, the rest is skipped";
}

TEST(Failure, OnePartitionFailsTheJobOnceAndOthersGoOn) {
  EngineSetup setup = slow_setup();
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == SimulatedStage::kSynthesis && tag == 1 && partition >= 3 ? SimulatedFault::kError
                                                                             : SimulatedFault::kNone;
  };
  std::atomic<int> results{0};
  setup.on_result = [&](const JobResult&) { ++results; };
  SimulatedEngine engine(setup);
  const std::string bad = engine.accepted(kPorep, 1);
  const std::string good = engine.accepted(kPorep, 2);
  const auto result = engine.wait(bad);
  EXPECT_EQ(result->state, JobState::kFailed);
  EXPECT_EQ(result->failure, FailureClass::kResource);
  EXPECT_THAT(result->message, StartsWith("RESOURCE: partition 3: "));
  engine.expect_proved(good, kPorep, 2);
  engine.expect_idle();
  EXPECT_EQ(engine->status().counters.failed[1], 1U);
  EXPECT_EQ(results, 2);
}

TEST(Failure, ABadRequestIsRefusedAndLeavesNothing) {
  SimulatedEngine engine;
  JobRequest request{"r", Priority::kByKind, {}, {}};
  const Submission refused = engine->submit(request);
  EXPECT_EQ(refused.outcome, Outcome::kInvalid);
  EXPECT_THAT(refused.message, StartsWith("INVALID_INPUT: vanilla_proof"));
  EXPECT_EQ(refused.job_id, "");
  EXPECT_EQ(engine->jobs(10).size(), 0U);
  EXPECT_EQ(engine->status().counters.refused, 1U);
  EXPECT_EQ(engine.submit(kPorep, 1, Priority::kByKind, "r").outcome, Outcome::kAccepted);
}

TEST(Failure, TooManyPendingJobs) {
  EngineSetup setup = slow_setup();
  setup.config.max_pending = 2;
  SimulatedEngine engine(setup);
  const std::string first = engine.accepted(kWindow, 1);
  EXPECT_EQ(engine.submit(kWindow, 2, Priority::kByKind, "r").queue_position, 1U);
  const Submission refused = engine.submit(kWindow, 3);
  EXPECT_EQ(refused.outcome, Outcome::kQueueFull);
  EXPECT_THAT(refused.message, HasSubstr("scheduler.max_pending"));
  EXPECT_EQ(engine.submit(kWindow, 2, Priority::kByKind, "r").outcome, Outcome::kAttached);
  engine.expect_proved(first, kWindow, 1);
  EXPECT_TRUE(engine.submit(kWindow, 3).accepted());
}

TEST(SelfCheck, AWrongProofIsProvedAgainOnAnotherDevice) {
  EngineSetup setup = slow_setup();
  setup.devices = 2;
  std::atomic<int> wrong{0};
  setup.faults = [&](SimulatedStage stage, std::uint64_t, unsigned partition) {
    return stage == SimulatedStage::kFinish && partition == 4 && wrong++ == 0 ? SimulatedFault::kWrongProof
                                                                              : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(kPorep, 1);
  engine.expect_proved(job, kPorep, 1);
  EXPECT_EQ(engine->status().counters.partitions_proved_again, 1U);
  std::vector<std::uint32_t> devices;
  for (const timeline::Event& event : engine.events())
    if (event.kind == timeline::EventKind::kLockAcquired && event.partition == 4U)
      devices.push_back(*event.device);
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_NE(devices[0], devices[1]);
  engine.expect_idle();
}

TEST(SelfCheck, OnTheOnlyDeviceAnotherWorkerProvesAgain) {
  EngineSetup setup = slow_setup();
  std::atomic<int> wrong{0};
  setup.faults = [&](SimulatedStage stage, std::uint64_t tag, unsigned) {
    return stage == SimulatedStage::kFinish && tag == 1 && wrong++ == 0 ? SimulatedFault::kWrongProof
                                                                        : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(kWindow, 1);
  engine.expect_proved(job, kWindow, 1);
  std::set<std::uint32_t> workers;
  for (const timeline::Event& event : engine.events())
    if (event.kind == timeline::EventKind::kGpuPickup && event.job == job) workers.insert(*event.worker);
  EXPECT_EQ(workers.size(), 2U);
  setup.config.workers_per_device = 1;
  wrong = 0;
  SimulatedEngine alone(setup);
  alone.expect_proved(alone.accepted(kWindow, 1), kWindow, 1);
}

TEST(SelfCheck, ASecondWrongProofFailsTheJobAndIsKept) {
  EngineSetup setup = slow_setup();
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == SimulatedStage::kFinish && tag == 1 && partition == 4 ? SimulatedFault::kWrongProof
                                                                          : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string bad = engine.accepted(kPorep, 1);
  const std::string good = engine.accepted(kPorep, 2);
  const auto result = engine.wait(bad);
  EXPECT_EQ(result->failure, FailureClass::kSelfCheck);
  EXPECT_THAT(result->message, StartsWith("SELF_CHECK: partition 4: "));
  EXPECT_TRUE(result->proof.empty());
  ASSERT_TRUE(result->evidence);
  EXPECT_EQ(result->evidence->partition, 4U);
  ASSERT_EQ(result->evidence->proofs.size(), 2U);
  for (const auto& proof : result->evidence->proofs) EXPECT_EQ(proof.size(), groth16::kProofBytes);
  EXPECT_EQ(result->evidence->devices, (std::vector<std::string>{"simulated 0", "simulated 0"}));
  engine.expect_proved(good, kPorep, 2);
  engine.expect_idle();
}

TEST(Quarantine, ASickDeviceLosesItsWorkToTheOthers) {
  EngineSetup setup = slow_setup();
  setup.devices = 2;
  std::atomic<int> launches{0};
  setup.faults = [&](SimulatedStage stage, std::uint64_t, unsigned) {
    return stage == SimulatedStage::kLaunch && launches++ == 3 ? SimulatedFault::kSick
                                                               : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(kPorep, 1);
  engine.expect_proved(job, kPorep, 1);
  const Status status = engine->status();
  EXPECT_NE(status.devices[0].quarantined, status.devices[1].quarantined);
  const std::size_t well = status.devices[0].quarantined ? 1 : 0;
  EXPECT_GE(status.devices[well].launches, 6U);
  engine.expect_idle();
}

TEST(Quarantine, AKeyIsNotLoadedOntoADeviceThatIsOut) {
  EngineSetup setup = slow_setup();
  setup.devices = 2;
  std::atomic<int> launches{0};
  setup.faults = [&](SimulatedStage stage, std::uint64_t, unsigned) {
    return stage == SimulatedStage::kLaunch && launches++ == 0 ? SimulatedFault::kSick
                                                               : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(kPorep, 1), kPorep, 1);
  engine.expect_proved(engine.accepted(kSnap, 2), kSnap, 2);
  engine.expect_idle();
}

TEST(Quarantine, WithoutAnyDeviceEverythingFailsAndNothingIsAccepted) {
  EngineSetup setup = slow_setup();
  std::atomic<int> launches{0};
  setup.faults = [&](SimulatedStage stage, std::uint64_t, unsigned) {
    return stage == SimulatedStage::kLaunch && launches++ == 3 ? SimulatedFault::kSick
                                                               : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string first = engine.accepted(kPorep, 1);
  const std::string second = engine.accepted(kSnap, 2);
  for (const std::string& job : {first, second}) {
    const auto result = engine.wait(job);
    EXPECT_EQ(result->failure, FailureClass::kDevice) << result->message;
  }
  EXPECT_EQ(engine.submit(kPorep, 3).outcome, Outcome::kNoDevice);
  engine.expect_idle();
}

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

TEST(Quarantine, APartitionDoesNotTakeMoreThanTwoDevicesAlong) {
  EngineSetup setup = slow_setup();
  setup.devices = 4;
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == SimulatedStage::kLaunch && tag == 1 && partition == 2 ? SimulatedFault::kSick
                                                                          : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string poison = engine.accepted(kPorep, 1);
  const std::string good = engine.accepted(kPorep, 2);
  const auto result = engine.wait(poison);
  EXPECT_EQ(result->failure, FailureClass::kDevice);
  EXPECT_THAT(result->message, HasSubstr("partition 2: two devices"));
  engine.expect_proved(good, kPorep, 2);
  engine.expect_idle();
  std::size_t well = 0;
  for (const DeviceStatus& device : engine->status().devices) well += device.quarantined ? 0 : 1;
  EXPECT_EQ(well, 2U);
}

// ---- the end

TEST(ShutDown, DrainsWhatWasAccepted) {
  SimulatedEngine engine(slow_setup());
  const std::string job = engine.accepted(kPorep, 1);
  engine->stop_admission();
  EXPECT_EQ(engine.submit(kPorep, 2).outcome, Outcome::kDraining);
  std::shared_ptr<const JobResult> result;
  ASSERT_TRUE(engine->await(job, {}, [&](const Awaited& awaited) { result = awaited.result; }));
  EXPECT_TRUE(engine->shut_down({}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, simulated_proof(1, 10));
}

TEST(ShutDown, AnswersPreloadsThatWaitOrAreUnderWay) {
  EngineSetup setup = slow_setup();
  setup.times.load_key = seconds(100);
  SimulatedEngine engine(setup);
  std::atomic<int> loaded{0};
  std::atomic<int> refused{0};
  for (const ProofKind kind : kProofKinds)
    engine->preload(simulated_circuit(kind),
                    [&](const Result<Preloaded>& answer) { ++(answer ? loaded : refused); });
  engine.pass(seconds(1));
  EXPECT_TRUE(engine->shut_down(seconds(0)));
  EXPECT_EQ(loaded, 0);
  EXPECT_EQ(refused, 4);
  EXPECT_LE(engine.time(), 2.0) << "the loads that were under way are stopped";
}

TEST(ShutDown, FailsTheRestWhenPatienceEndsAndAnswersEverybody) {
  EngineSetup setup = slow_setup();
  setup.times.kernels = seconds(30);
  SimulatedEngine engine(setup);
  std::vector<std::shared_ptr<const JobResult>> results;
  std::mutex mutex;
  for (std::uint64_t tag = 1; tag <= 3; ++tag)
    ASSERT_TRUE(
        engine->await(engine.accepted(tag == 3 ? kSnap : kPorep, tag), {}, [&](const Awaited& awaited) {
          const std::lock_guard lock(mutex);
          results.push_back(awaited.result);
        }));
  EXPECT_FALSE(engine->shut_down(seconds(60)));
  ASSERT_EQ(results.size(), 3U);
  for (const auto& result : results) {
    EXPECT_EQ(result->state, JobState::kFailed);
    EXPECT_THAT(result->message, StartsWith("SHUTDOWN: "));
  }
  engine.expect_idle();
  EXPECT_LE(engine.time(), 60 + 60 + 1) << "what a device has begun is waited for";
}

/// Starts so many threads and no more.
class RefusingClock : public VirtualClock {
 public:
  explicit RefusingClock(std::size_t threads) : left_(threads) {}
  [[nodiscard]] std::thread start_thread(std::function<void()> body) override {
    if (left_ == 0) throw std::system_error(EAGAIN, std::generic_category());
    --left_;
    return VirtualClock::start_thread(std::move(body));
  }

 private:
  std::size_t left_;
};

TEST(Start, EndsTheThreadsThatItHasWhenTheNextIsRefused) {
  constexpr std::size_t kThreads = 1 + 2 + 2 + 2 + 3;
  for (std::size_t threads = 0; threads <= kThreads; ++threads) {
    RefusingClock clock(threads);
    const VirtualClock::Participant participant(clock);
    ThreadPool pool(1);
    const auto simulation = std::make_shared<Simulation>(Simulation{clock, {}, {}});
    EngineConfig config;
    config.partition_workers = 1;
    const auto engine = Engine::create(config, {.pool = pool,
                                                .devices = {std::make_shared<SimulatedDevice>(simulation, 0)},
                                                .circuits = std::make_shared<SimulatedCircuits>(simulation),
                                                .read_request = simulated_reader(simulation),
                                                .clock = clock});
    EXPECT_EQ(engine.has_value(), threads == kThreads) << threads;
    if (!engine) {
      EXPECT_THAT(engine.error().message, HasSubstr("10 threads")) << threads;
    }
  }
}

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

// ---- modes

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

// ---- small parts

TEST(Assembler, RefusesDuplicateAndMisplacedPieces) {
  Assembler assembler(2);
  groth16::ProofBytes piece{};
  piece.fill(7);
  EXPECT_TRUE(assembler.place(1, piece));
  EXPECT_EQ(assembler.place(1, piece).error().code, ErrorCode::kInternal);
  EXPECT_THAT(assembler.place(2, piece).error().message, HasSubstr("a job of 2"));
  EXPECT_FALSE(assembler.complete());
  piece.fill(9);
  EXPECT_TRUE(assembler.place(0, piece));
  ASSERT_TRUE(assembler.complete());
  const std::vector<std::uint8_t> bytes = std::move(assembler).take();
  ASSERT_EQ(bytes.size(), 384U);
  EXPECT_EQ(bytes.front(), 9);
  EXPECT_EQ(bytes.back(), 7);
}

TEST(OrderKey, TheLocksUrgencyIsTheSameOrder) {
  std::vector<OrderKey> keys;
  for (std::uint8_t reverse_priority = 0; reverse_priority < 4; ++reverse_priority)
    for (const std::uint8_t kind : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{4}})
      for (const std::uint64_t job : {1UL, 2UL, 1UL << 40})
        for (const std::uint32_t partition : {0U, 9U})
          keys.push_back({reverse_priority, kind, job, partition, 0});
  for (std::size_t i = 1; i < keys.size(); ++i) {
    EXPECT_LT(keys[i - 1], keys[i]);
    EXPECT_GT(keys[i - 1].urgency(), keys[i].urgency());
  }
}

TEST(EngineConfig, NamesTheKeyOfAValueThatCannotBe) {
  const auto message = [](auto change) {
    EngineConfig config;
    change(config);
    const Result<void> checked = check(config);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(message([](EngineConfig&) {}), "");
  EXPECT_THAT(message([](EngineConfig& c) { c.workers_per_device = 0; }),
              HasSubstr("gpus.gpu_workers_per_device"));
  EXPECT_THAT(message([](EngineConfig& c) { c.max_batch_size = 0; }), HasSubstr("scheduler.max_batch_size"));
  EXPECT_THAT(message([](EngineConfig& c) { c.max_gpu_queue_depth = 0; }),
              HasSubstr("pipeline.max_gpu_queue_depth"));
  EXPECT_THAT(message([](EngineConfig& c) { c.partition_workers = 5000; }),
              HasSubstr("synthesis.partition_workers"));
  EXPECT_THAT(message([](EngineConfig& c) { c.result_retention = seconds(-1); }),
              HasSubstr("scheduler.result_retention"));
}

}  // namespace
}  // namespace cuzk::engine
