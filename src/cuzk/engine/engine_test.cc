// How an engine starts, what it answers to whom, and how it ends.

#include "cuzk/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "cuzk/engine/engine_fixture.h"
#include "cuzk/engine/internal/assembler.h"

namespace cuzk::engine {
namespace {

using Outcome = Submission::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

// ---- the start

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

TEST(Start, EndsTheThreadsThatItHasWhenTheNextIsRefused) {
  constexpr int kThreads = 1 + 2 + 2 + 2 + 3;
  for (int threads = 0; threads <= kThreads; ++threads) {
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

// ---- proofs

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
  EXPECT_EQ(result->times.device_wait, seconds(0));
  EXPECT_EQ(result->times.gpu_compute, seconds(3));
  EXPECT_EQ(result->times.total, seconds(10 + 2 + 1 + 3) + milliseconds(600));
  EXPECT_EQ(engine->status().counters.shape_hits, 0U);
  const auto second = engine.wait(engine.accepted(kWindow, 2));
  EXPECT_EQ(second->times.srs_load, seconds(0));
  EXPECT_EQ(engine->status().counters.shape_hits, 1U) << "the second proof finds its shape";
  EXPECT_EQ(engine->status().counters.shapes_recorded, 1U);
  EXPECT_EQ(engine->status().counters.key_loads, 1U);
}

TEST(Engine, TimesOfJobsThatWaitForTheDevice) {
  EngineSetup setup = slow_setup();
  setup.config.partition_workers = 3;
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 3; ++tag) jobs.push_back(engine.accepted(kWindow, tag));
  std::vector<Duration> waited;
  for (const std::string& job : jobs) {
    const StageTimes times = engine.wait(job)->times;
    EXPECT_EQ(times.gpu_compute, seconds(3));
    waited.push_back(times.device_wait);
  }
  std::sort(waited.begin(), waited.end());
  // All have their witness after 2 s. Of two workers one waits for the lock behind the other; the third job
  // waits for a worker, and then for the lock while that worker's fellow has it.
  EXPECT_EQ(waited, (std::vector<Duration>{seconds(0), seconds(3), seconds(6)}));
  for (const timeline::Event& event : engine.events()) {
    if (event.kind == timeline::EventKind::kGpuEnd) {
      EXPECT_EQ(timeline::detail_of(event, "gpu_ms"), "3000") << event.detail;
    }
  }
}

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

TEST(Repetition, AJobThatFailedOrWasCancelledIsInNoOtherPayloadsWay) {
  EngineSetup setup = slow_setup();
  setup.config.on_conflict = OnConflict::kReject;
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned) {
    return stage == SimulatedStage::kSynthesis && tag == 2 ? SimulatedFault::kError : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const Submission cancelled = engine.submit(kWindow, 1, Priority::kByKind, "r");
  EXPECT_TRUE(engine->cancel(cancelled.job_id));
  const Submission fails = engine.submit(kWindow, 2, Priority::kByKind, "r");
  ASSERT_EQ(fails.outcome, Outcome::kAccepted) << "a corrected payload under its id";
  EXPECT_EQ(engine.submit(kWindow, 3, Priority::kByKind, "r").outcome, Outcome::kConflict) << "while it runs";
  EXPECT_EQ(engine.wait(fails.job_id)->state, JobState::kFailed);
  const Submission proved = engine.submit(kWindow, 3, Priority::kByKind, "r");
  ASSERT_EQ(proved.outcome, Outcome::kAccepted);
  engine.expect_proved(proved.job_id, kWindow, 3);
  EXPECT_EQ(engine.submit(kWindow, 1, Priority::kByKind, "r").outcome, Outcome::kConflict) << "it succeeded";
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

TEST(Times, BeyondWhatTheClockCanSayAreNone) {
  EngineSetup setup = slow_setup();
  setup.config.result_retention = Duration::max();
  setup.config.eviction_min_idle = Duration::max();
  setup.config.max_batch_wait = Duration::max();
  setup.config.max_batch_size = 2;
  SimulatedEngine engine(setup);
  engine.pass(seconds(1));
  const Submission first =
      engine->submit({"r", Priority::kByKind, simulated_request(kPorep, 1), Duration::max()});
  EXPECT_TRUE(engine->forget(*engine->await(first.job_id, Duration::max(), [](const Awaited&) { FAIL(); })));
  engine.pass(seconds(1000));
  EXPECT_EQ(engine->job(first.job_id)->state, JobState::kQueued) << "it waits for company";
  engine.expect_proved(engine.accepted(kPorep, 2), kPorep, 2);
  engine.expect_proved(first.job_id, kPorep, 1);
  engine.pass(seconds(1000));
  EXPECT_TRUE(engine->job(first.job_id));
  (void)engine.accepted(kPorep, 3);
  EXPECT_TRUE(engine->shut_down(Duration::max()));
}

// ---- refusals

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

TEST(Failure, AReaderThatThrowsIsADefectAndKeepsNobodyWaiting) {
  ThreadPool pool(1);
  const auto simulation = std::make_shared<Simulation>();
  EngineConfig config;
  config.partition_workers = 1;
  const auto engine = Engine::create(
      config, {.pool = pool,
               .devices = {std::make_shared<SimulatedDevice>(simulation, 0)},
               .circuits = std::make_shared<SimulatedCircuits>(simulation),
               .read_request = [](ThreadPool&, ProofRequest) -> Result<std::shared_ptr<const Statement>> {
                 throw std::logic_error("of the reader");
               }});
  ASSERT_TRUE(engine);
  for (int i = 0; i < 2; ++i) {
    const Submission refused = (*engine)->submit({"r", Priority::kByKind, simulated_request(kWindow, 1), {}});
    EXPECT_EQ(refused.outcome, Outcome::kDefect);
    EXPECT_EQ(refused.message, "INTERNAL: unexpected: of the reader");
  }
  EXPECT_TRUE((*engine)->shut_down({}));
}

TEST(Failure, ACallbackThatThrowsKeepsNobodyElseFromItsAnswer) {
  EngineSetup setup = slow_setup();
  std::atomic<int> calls{0};
  const auto throws = [&](const auto&) {
    ++calls;
    throw std::logic_error("of a callback");
  };
  setup.on_result = throws;
  SimulatedEngine engine(setup);
  engine->preload(simulated_circuit(kPorep), throws);
  const std::string job = engine.accepted(kPorep, 1);
  ASSERT_TRUE(engine->await(job, seconds(1), throws));
  ASSERT_TRUE(engine->await(job, {}, throws));
  engine.expect_proved(job, kPorep, 1);
  engine.expect_idle();
  EXPECT_EQ(calls, 4);
}

// ---- the order that is shown

TEST(Jobs, AreListedAsTheyRunThenAsTheyWillRun) {
  EngineSetup setup = slow_setup();
  setup.config.sort_by_type = true;
  setup.config.partition_workers = 1;
  SimulatedEngine engine(setup);
  const std::string running = engine.accepted(kPorep, 1);
  engine.pass(seconds(1));
  const Submission snap = engine.submit(kSnap, 2);
  const Submission porep = engine.submit(kPorep, 3);
  const Submission urgent = engine.submit(kSnap, 4, Priority::kCritical);
  EXPECT_EQ(porep.queue_position, 1U) << "before the other kind, which came first";
  std::vector<std::string> listed;
  for (const JobStatus& job : engine->jobs(10)) listed.push_back(job.identity.job_id);
  EXPECT_EQ(listed, (std::vector{running, urgent.job_id, porep.job_id, snap.job_id}));
}

// ---- waiting

TEST(Await, TellsOfTimePassedAndTheJobGoesOn) {
  SimulatedEngine engine(slow_setup());
  const std::string job = engine.accepted(kWindow, 1);
  EXPECT_EQ(engine.wait(job, seconds(1)), nullptr);
  EXPECT_EQ(engine.time(), 1.0);
  EXPECT_TRUE(engine.wait(job, Duration::max())) << "as without a limit";
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
  const std::string repeated = submit(4);
  hang_up(abandoned);
  hang_up(returned);
  hang_up(kept);
  hang_up(repeated);
  engine.pass(seconds(9));
  EXPECT_EQ(engine->job(abandoned)->state, JobState::kRunning);
  // The client came back; and somebody else asked for the third without hanging on to it.
  ASSERT_TRUE(engine->await(returned, {}, [](const Awaited&) {}));
  EXPECT_EQ(engine.submit(kWindow, 3, Priority::kByKind, "3-r").outcome, Outcome::kAttached);
  // A repetition that hangs on to its job, and does not wait yet, has as long for that as the first had.
  EXPECT_EQ(submit(4), repeated);
  engine.pass(seconds(2));
  EXPECT_EQ(engine->job(abandoned)->state, JobState::kCancelled);
  EXPECT_EQ(engine->job(abandoned)->message, "nobody waited for it");
  EXPECT_EQ(engine->job(returned)->state, JobState::kRunning);
  EXPECT_EQ(engine->job(repeated)->state, JobState::kRunning);
  engine.pass(seconds(9));
  EXPECT_EQ(engine->job(repeated)->message, "nobody waited for it");
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

// ---- cancellation

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

// ---- the end

TEST(ShutDown, DrainsWhatWasAccepted) {
  SimulatedEngine engine(slow_setup());
  const std::string job = engine.accepted(kPorep, 1);
  engine->stop_submissions();
  EXPECT_EQ(engine.submit(kPorep, 2).outcome, Outcome::kDraining);
  std::shared_ptr<const JobResult> result;
  ASSERT_TRUE(engine->await(job, {}, [&](const Awaited& awaited) { result = awaited.result; }));
  EXPECT_TRUE(engine->shut_down({}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, simulated_proof(1, 10));
}

/// A client whose connection broke has nothing but its request id.
TEST(ShutDown, RepetitionsAreAnsweredWhileItDrains) {
  SimulatedEngine engine(slow_setup());
  const Submission stored = engine.submit(kWindow, 1, Priority::kByKind, "stored");
  engine.expect_proved(stored.job_id, kWindow, 1);
  const Submission running = engine.submit(kPorep, 2, Priority::kByKind, "running");
  const Submission cancelled = engine.submit(kWindow, 3, Priority::kByKind, "cancelled");
  EXPECT_TRUE(engine->cancel(cancelled.job_id));
  engine->stop_submissions();
  const Submission again = engine.submit(kPorep, 2, Priority::kByKind, "running");
  EXPECT_EQ(again.outcome, Outcome::kAttached);
  EXPECT_EQ(again.job_id, running.job_id);
  const Submission answered = engine.submit(kWindow, 1, Priority::kByKind, "stored");
  EXPECT_EQ(answered.outcome, Outcome::kStored);
  EXPECT_EQ(answered.job_id, stored.job_id);
  EXPECT_EQ(engine.submit(kWindow, 3, Priority::kByKind, "cancelled").outcome, Outcome::kDraining)
      << "it would be a new job";
  EXPECT_EQ(engine.submit(kWindow, 4, Priority::kByKind, "running").outcome, Outcome::kDraining);
  EXPECT_TRUE(engine->shut_down({}));
  EXPECT_EQ(engine.submit(kPorep, 2, Priority::kByKind, "running").outcome, Outcome::kStored);
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

TEST(ShutDown, AnswersAPreloadWhoseShapeComesWhenNobodyIsLeftToLoadItsKey) {
  // Room for one key: the other one's has to go first, which its dropper says when the loaders have ended.
  EngineSetup setup = slow_setup();
  setup.times.load_shape = seconds(10);
  setup.config.request_memory = 100'000;
  setup.config.memory_budget = 100'000 + 2'000'000;
  setup.config.eviction_min_idle = seconds(5);
  for (const ProofKind kind : kProofKinds)
    setup.circuits[simulated_circuit(kind)] = {.params_bytes = 1'000'000, .bits = 80'000};
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(kWinning, 1), kWinning, 1);
  engine.pass(seconds(60));
  std::atomic<int> stopped{0};
  engine->preload(simulated_circuit(kPorep), [&](const Result<Preloaded>& answer) {
    stopped += !answer && answer.error().code == ErrorCode::kStopped ? 1 : 0;
  });
  engine.pass(milliseconds(9700));  // past the last look for a stop
  EXPECT_TRUE(engine->shut_down(seconds(0)));
  EXPECT_EQ(stopped, 1);
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

}  // namespace
}  // namespace cuzk::engine
