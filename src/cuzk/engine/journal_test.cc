// What survives the process: the engine's side of the journal's contract.

#include "cuzk/engine/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "cuzk/engine/engine_fixture.h"
#include "cuzk/engine/memory_journal_fixture.h"

namespace cuzk::engine {
namespace {

using Outcome = Submission::Outcome;
using testing::HasSubstr;

constexpr ProofKind kKind = ProofKind::window_post_partition;

EngineSetup journal_setup(MemoryJournal& journal) {
  EngineSetup setup;
  setup.journal = &journal;
  setup.times = {.synthesis = seconds(2), .prepare = seconds(1), .kernels = seconds(3)};
  return setup;
}

TEST(JournalContract, JobsOfAKilledProcessRunAgainAndResultsAreStillThere) {
  MemoryJournal journal;
  std::string done;
  std::string running;
  std::string queued;
  std::vector<MemoryJournal::Row> left;
  {
    SimulatedEngine engine(journal_setup(journal));
    done = engine.submit(kKind, 1, Priority::kByKind, "1").job_id;
    engine.expect_proved(done, kKind, 1);
    running = engine.submit(ProofKind::porep_seal_commit, 2, Priority::kByKind, "2").job_id;
    queued = engine.submit(kKind, 3, Priority::kLow, "3").job_id;
    engine.pass(seconds(1));
    left = journal.copy();
  }
  journal.restore(left);
  SimulatedEngine engine(journal_setup(journal));
  EXPECT_EQ(engine->job(queued)->identity.priority, Priority::kLow);
  EXPECT_EQ(engine.submit(kKind, 1, Priority::kByKind, "1").outcome, Outcome::kStored);
  const Submission again = engine.submit(ProofKind::porep_seal_commit, 2, Priority::kByKind, "2");
  EXPECT_EQ(again.outcome, Outcome::kAttached);
  EXPECT_EQ(again.job_id, running);
  engine.expect_proved(done, kKind, 1);
  engine.expect_proved(running, ProofKind::porep_seal_commit, 2);
  engine.expect_proved(queued, kKind, 3);
  EXPECT_EQ(engine->status().counters.recovered, 2U);
  EXPECT_EQ(engine->status().counters.accepted, 0U);
  engine.expect_idle();
}

TEST(JournalContract, AJobThatAShutdownEndedRunsAtTheNextStart) {
  MemoryJournal journal;
  std::string job;
  {
    SimulatedEngine engine(journal_setup(journal));
    job = engine.submit(ProofKind::porep_seal_commit, 1, Priority::kByKind, "1").job_id;
    EXPECT_FALSE(engine->shut_down(seconds(3)));
    EXPECT_EQ(engine.wait(job)->failure, FailureClass::kShutdown);
  }
  SimulatedEngine engine(journal_setup(journal));
  engine.expect_proved(job, ProofKind::porep_seal_commit, 1);
}

TEST(JournalContract, FailedAndCancelledJobsStayEnded) {
  MemoryJournal journal;
  std::string cancelled;
  {
    SimulatedEngine engine(journal_setup(journal));
    cancelled = engine.submit(kKind, 1, Priority::kByKind, "1").job_id;
    EXPECT_TRUE(engine->cancel(cancelled));
    EXPECT_EQ(engine.wait(cancelled)->state, JobState::kCancelled);
  }
  SimulatedEngine engine(journal_setup(journal));
  EXPECT_EQ(engine.wait(cancelled)->state, JobState::kCancelled);
  EXPECT_EQ(engine.submit(kKind, 1, Priority::kByKind, "1").outcome, Outcome::kAccepted);
}

TEST(JournalContract, AJobThatEndsTheProcessEachTimeIsGivenUp) {
  MemoryJournal journal;
  const ProofRequest request = simulated_request(kKind, 1);
  ASSERT_TRUE(journal.accept({"poison", "1", kKind, payload_digest(request), Priority::kHigh, 1}, request));
  for (int start = 0; start < 19; ++start) ASSERT_TRUE(journal.begin("poison"));
  SimulatedEngine engine(journal_setup(journal));
  const auto result = engine.wait("poison");
  EXPECT_EQ(result->failure, FailureClass::kInternal);
  EXPECT_EQ(result->message,
            "INTERNAL: the process has died 19 times after it was begun, the last 16 when nothing else was");
}

/// One job ends the process whenever it comes to the device; those that are begun beside it do not suffer.
TEST(JournalContract, AJobThatEndsTheProcessTakesNoOtherAlong) {
  MemoryJournal journal;
  std::mutex mutex;
  std::optional<std::vector<MemoryJournal::Row>> left;  // by the process that died
  EngineSetup setup = journal_setup(journal);
  setup.faults = [&](SimulatedStage stage, std::uint64_t tag, unsigned) {
    const std::lock_guard lock(mutex);
    if (stage == SimulatedStage::kLaunch && tag == 9 && !left) left = journal.copy();
    return SimulatedFault::kNone;
  };
  const auto died = [&] {
    const std::lock_guard lock(mutex);
    return left.has_value();
  };
  std::string poison;
  std::map<std::string, std::uint64_t> healthy;
  unsigned deaths = 0;
  for (;; ++deaths) {
    ASSERT_LT(deaths, 100U);
    SimulatedEngine engine(setup);
    if (deaths == 0) {
      poison = engine.submit(kKind, 9, Priority::kCritical).job_id;
      for (std::uint64_t tag = 1; tag <= 6; ++tag) healthy[engine.accepted(kKind, tag)] = tag;
    }
    for (int i = 0; i < 600 && !died() && engine->job(poison)->state != JobState::kFailed; ++i)
      engine.pass(milliseconds(100));
    if (!died()) {
      EXPECT_EQ(engine.wait(poison)->failure, FailureClass::kInternal);
      for (const auto& [job, tag] : healthy) engine.expect_proved(job, kKind, tag);
      break;
    }
    // What the engine does from now on no longer happens.
    engine->shut_down(seconds(0));
    const std::lock_guard lock(mutex);
    journal.restore(*std::exchange(left, std::nullopt));
    for (const MemoryJournal::Row& row : journal.copy())
      if (row.identity.job_id != poison && !row.result) {
        EXPECT_LE(row.starts, 3U);
      }
  }
  EXPECT_EQ(deaths, 19U);
}

/// Killed again and again before anything is done: nothing of it is a job's fault.
TEST(JournalContract, AStormOfRestartsFailsNoJob) {
  MemoryJournal journal;
  std::vector<std::string> jobs;
  for (int start = 0; start < 40; ++start) {
    SimulatedEngine engine(journal_setup(journal));
    if (start == 0) {
      for (std::uint64_t tag = 1; tag <= 6; ++tag) jobs.push_back(engine.accepted(kKind, tag));
    }
    engine.pass(milliseconds(500 + start % 5 * 1000));  // a job takes six seconds
    std::vector<MemoryJournal::Row> left = journal.copy();
    EXPECT_FALSE(engine->shut_down(seconds(0)));
    if (start % 4 != 3) journal.restore(std::move(left));  // else it was stopped in good order
  }
  SimulatedEngine engine(journal_setup(journal));
  for (std::uint64_t tag = 1; tag <= jobs.size(); ++tag) engine.expect_proved(jobs[tag - 1], kKind, tag);
}

TEST(JournalContract, ASuspectRunsAloneInItsTurn) {
  for (const PipelineMode mode : {PipelineMode::kMonolithic, PipelineMode::kBatched, PipelineMode::kSlotted,
                                  PipelineMode::kWholeJob, PipelineMode::kPerPartition}) {
    SCOPED_TRACE(std::string(to_string(mode)));
    MemoryJournal journal;
    EngineSetup setup = journal_setup(journal);
    setup.config.pipeline_enabled = mode != PipelineMode::kMonolithic;
    if (mode == PipelineMode::kBatched) setup.config.max_batch_size = 4;
    if (mode == PipelineMode::kSlotted) setup.config.slot_size = 2;
    if (mode == PipelineMode::kSlotted || mode == PipelineMode::kWholeJob) setup.config.partition_workers = 0;
    ASSERT_EQ(pipeline_mode(setup.config), mode);
    std::uint64_t tag = 0;
    const auto left = [&](const char* id, ProofKind kind, Priority priority, int starts) {
      const ProofRequest request = simulated_request(kind, ++tag);
      ASSERT_TRUE(journal.accept({id, id, kind, payload_digest(request), priority, 1}, request));
      for (int i = 0; i < starts; ++i) ASSERT_TRUE(journal.begin(id));
    };
    left("twice as suspect", kPorep, Priority::kCritical, 5);
    left("suspect", kPorep, Priority::kCritical, 3);
    left("other", kPorep, Priority::kLow, 2);
    SimulatedEngine engine(setup);
    engine.expect_proved("other", kPorep, 3);
    std::map<std::string, std::uint64_t> later;
    for (std::uint64_t n = 11; n <= 14; ++n) {
      later[engine.accepted(kKind, n, Priority::kCritical)] = n;
      engine.pass(milliseconds(1300));
    }
    engine.expect_proved("suspect", kPorep, 2);
    engine.expect_proved("twice as suspect", kPorep, 1);
    for (const auto& [job, n] : later) engine.expect_proved(job, kKind, n);
    engine.expect_idle();

    // From its first synthesis to its end nothing of another job happens.
    std::map<std::string, Duration> begun;
    std::map<std::string, Duration> done;
    for (const timeline::Event& event : engine.events()) {
      if (event.job.empty()) continue;
      if (event.kind == timeline::EventKind::kSynthStart)
        begun.try_emplace(event.job, Duration(event.time_ns));
      if (event.kind == timeline::EventKind::kJobDone) done[event.job] = Duration(event.time_ns);
    }
    EXPECT_LE(done.at("suspect"), begun.at("other"));
    EXPECT_LE(done.at("other"), begun.at("twice as suspect"));
    for (const char* suspect : {"suspect", "twice as suspect"})
      for (const auto& [job, end] : done)
        if (job != suspect) {
          EXPECT_TRUE(end <= begun.at(suspect) || begun.at(job) >= done.at(suspect))
              << suspect << " and " << job;
        }
  }
}

/// More work than the devices can do, and more urgent than what the journal has: how long a suspect waits.
TEST(JournalContract, NewJobsDoNotKeepASuspectFromItsTurn) {
  struct Case {
    Priority priority;
    int deaths;
    Duration after;
  };
  for (const Case& suspect :
       {Case{Priority::kCritical, 3, seconds(0)}, Case{Priority::kCritical, 5, seconds(120)},
        Case{Priority::kLow, 3, seconds(300)}, Case{Priority::kLow, 4, seconds(360)}}) {
    SCOPED_TRACE(suspect.after.count());
    MemoryJournal journal;
    std::uint64_t tag = 0;
    const auto left = [&](const std::string& id, Priority priority, int starts) {
      const ProofRequest request = simulated_request(kKind, ++tag);
      ASSERT_TRUE(journal.accept({id, id, kKind, payload_digest(request), priority, 1}, request));
      for (int i = 0; i < starts; ++i) ASSERT_TRUE(journal.begin(id));
    };
    // More than can have begun before the others come.
    for (int i = 1; i < 40; ++i) left("other-" + std::to_string(i), Priority::kLow, 1);
    left("other", Priority::kLow, 1);
    left("suspect", suspect.priority, suspect.deaths);
    SimulatedEngine engine(journal_setup(journal));
    std::vector<std::pair<std::string, std::uint64_t>> stream;
    const auto submit = [&] {
      ++tag;
      stream.emplace_back(engine.accepted(kKind, tag, Priority::kHigh), tag);
    };
    for (int i = 0; i < 10; ++i) submit();
    while (engine->job("suspect")->state != JobState::kCompleted) {
      ASSERT_LT(stream.size(), 600U);
      submit();
      engine.pass(seconds(1));
    }
    EXPECT_EQ(engine->job("other")->state, JobState::kQueued);
    Duration first = Duration::max();  // work of all
    Duration begun{};                  // the suspect
    for (const timeline::Event& event : engine.events()) {
      if (event.kind != timeline::EventKind::kSynthStart) continue;
      first = std::min(first, Duration(event.time_ns));
      if (event.job == "suspect") begun = Duration(event.time_ns);
    }
    EXPECT_GE(begun - first, suspect.after - seconds(5));
    EXPECT_LE(begun - first, suspect.after + seconds(60));
    for (const auto& [job, n] : stream) engine.expect_proved(job, kKind, n);
    engine.expect_proved("other", kKind, 40);
    engine.expect_idle();
  }
}

/// What was begun before a suspect's turn ends first: else its next death would be counted for that one too.
TEST(JournalContract, ASuspectWaitsForWhatHasBegun) {
  MemoryJournal journal;
  const ProofRequest request = simulated_request(kPorep, 1);
  const ProofRequest critical = simulated_request(kKind, 2);
  ASSERT_TRUE(journal.accept({"long", "1", kPorep, payload_digest(request), Priority::kLow, 1}, request));
  ASSERT_TRUE(
      journal.accept({"suspect", "2", kKind, payload_digest(critical), Priority::kCritical, 1}, critical));
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(journal.begin("suspect"));
  EngineSetup setup = journal_setup(journal);
  setup.times.kernels = seconds(100);
  SimulatedEngine engine(setup);
  engine.expect_proved("suspect", kKind, 2);
  EXPECT_EQ(engine->job("long")->state, JobState::kCompleted);
  engine.expect_proved("long", kPorep, 1);
  engine.expect_idle();
}

TEST(JournalContract, AJobWhoseResultIsBeingStoredIsNotCancelled) {
  class SlowJournal : public MemoryJournal {
   public:
    Result<Place> finish(const JobResult& result) override {
      clock->sleep_for(seconds(10));
      return MemoryJournal::finish(result);
    }
    Clock* clock = nullptr;
  };
  SlowJournal journal;
  SimulatedEngine engine(journal_setup(journal));
  journal.clock = &engine.clock();
  const std::string job = engine.accepted(kKind, 1);
  engine.pass(seconds(10));  // proved after 6
  EXPECT_EQ(engine->job(job)->state, JobState::kRunning);
  const auto cancelled = engine->cancel(job);
  ASSERT_TRUE(cancelled);
  EXPECT_TRUE(cancelled->was_settled);
  EXPECT_FALSE(cancelled->was_running);
  engine.expect_proved(job, kKind, 1);
  EXPECT_TRUE(engine->cancel(job)->was_settled);
}

TEST(JournalContract, AWaiterLearnsWhetherThisResultIsStored) {
  MemoryJournal journal;
  SimulatedEngine engine(journal_setup(journal));
  const std::string unstored = engine.accepted(kKind, 1);
  engine.pass(seconds(5));
  const std::string cancelled = engine.accepted(kKind, 2);
  std::map<std::string, bool> stored;
  std::mutex mutex;
  const auto ask = [&](const std::string& job) {
    ASSERT_TRUE(engine->await(job, {}, [&, job](const Awaited& awaited) {
      const std::lock_guard lock(mutex);
      stored[job] = awaited.stored;
    }));
  };
  const auto answer = [&](const std::string& job) {
    const std::lock_guard lock(mutex);
    return stored.at(job);
  };
  journal.set_full(true);
  ask(unstored);
  engine.pass(milliseconds(1500));
  EXPECT_FALSE(answer(unstored));
  journal.set_full(false);
  ask(cancelled);
  EXPECT_FALSE(engine->cancel(cancelled)->was_settled);
  engine.pass(milliseconds(100));
  EXPECT_TRUE(answer(cancelled)) << "whatever became of the other's";
  ask(unstored);
  EXPECT_FALSE(answer(unstored)) << "before it is tried again";
  engine.pass(seconds(1));
  ask(unstored);
  EXPECT_TRUE(answer(unstored));
}

TEST(JournalContract, AResultThatIsKeptElsewhereSurvivesAndIsStoredLater) {
  MemoryJournal journal;
  std::string job;
  {
    SimulatedEngine engine(journal_setup(journal));
    job = engine.accepted(kKind, 1);
    engine.pass(seconds(1));
    journal.set_full(true, true);
    EXPECT_FALSE(engine->cancel(job)->was_settled);
    bool stored = false;
    std::mutex mutex;
    ASSERT_TRUE(engine->await(job, {}, [&](const Awaited& awaited) {
      const std::lock_guard lock(mutex);
      stored = awaited.stored;
    }));
    engine.pass(seconds(3));
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(stored) << "no crash brings it back";
    EXPECT_TRUE(engine->status().journal_failing);
  }
  ASSERT_EQ(journal.copy().at(0).place, Journal::Place::kElsewhere);
  SimulatedEngine engine(journal_setup(journal));
  EXPECT_EQ(engine->job(job)->state, JobState::kCancelled);
  EXPECT_TRUE(engine->status().journal_failing) << "as long as it is not where it belongs";
  EXPECT_EQ(engine.submit(kKind, 2).outcome, Outcome::kJournalFailed);
  journal.set_full(false);
  engine.pass(seconds(2));
  EXPECT_EQ(journal.copy().at(0).place, Journal::Place::kStored);
  EXPECT_FALSE(engine->status().journal_failing);
  EXPECT_EQ(engine.submit(kKind, 2).outcome, Outcome::kAccepted);
}

TEST(JournalContract, AStartIsCountedWhenTheJobIsBegun) {
  MemoryJournal journal;
  std::string first;
  std::string second;
  std::uint32_t second_starts = 0;
  for (std::uint32_t start = 1; start <= 3; ++start) {
    EngineSetup setup = journal_setup(journal);
    setup.config.partition_workers = 1;
    SimulatedEngine engine(setup);
    if (start == 1) {
      first = engine.submit(ProofKind::porep_seal_commit, 1, Priority::kHigh).job_id;
      engine.pass(milliseconds(1));
      second = engine.submit(kKind, 2, Priority::kLow).job_id;
    }
    engine.pass(seconds(3));
    // At the first start it only waits. Later ones read both requests at a time, and may read its first.
    const JobState state = engine->job(second)->state;
    EXPECT_TRUE(start > 1 || state == JobState::kQueued);
    const bool second_begun = state != JobState::kQueued;
    std::vector<MemoryJournal::Row> left = journal.copy();
    EXPECT_EQ(left.at(0).starts, start);
    EXPECT_EQ(left.at(1).starts, second_starts + (second_begun ? 1 : 0));
    EXPECT_FALSE(engine->shut_down(seconds(0)));
    EXPECT_EQ(journal.copy().at(0).starts, start - 1) << "a stop in good order takes it back";
    EXPECT_EQ(journal.copy().at(1).starts, second_starts);
    if (start == 3) continue;
    journal.restore(std::move(left));
    if (second_begun) ++second_starts;
  }
  SimulatedEngine engine(journal_setup(journal));
  engine.expect_proved(second, kKind, 2);
  engine.expect_proved(first, ProofKind::porep_seal_commit, 1);
}

TEST(JournalContract, AJobThatCannotBeReadNowStaysForTheNextStart) {
  MemoryJournal journal;
  const ProofRequest request = simulated_request(kKind, 1);
  ASSERT_TRUE(journal.accept({"J", "1", kKind, payload_digest(request), Priority::kHigh, 1}, request));
  {
    EngineSetup unmounted = journal_setup(journal);
    unmounted.circuits["porep-2k"] = {};
    unmounted.config.result_retention = seconds(100);
    SimulatedEngine engine(unmounted);
    const auto result = engine.wait("J");
    EXPECT_EQ(result->failure, FailureClass::kParams);
    EXPECT_THAT(result->message, HasSubstr("the next start tries again"));
    engine.pass(seconds(102));
    EXPECT_FALSE(engine->job("J")) << "the end of its retention";
    engine.pass(seconds(1));
    ASSERT_EQ(journal.rows(), 1U);
    EXPECT_EQ(journal.copy().at(0).result, nullptr);
  }
  {
    journal.set_unreadable(true);
    SimulatedEngine engine(journal_setup(journal));
    EXPECT_EQ(engine.wait("J")->failure, FailureClass::kResource);
    journal.set_unreadable(false);
  }
  SimulatedEngine engine(journal_setup(journal));
  engine.expect_proved("J", kKind, 1);
}

TEST(JournalContract, AKeptJobMakesWayForItsNextAttempt) {
  MemoryJournal journal;
  const ProofRequest request = simulated_request(kKind, 1);
  ASSERT_TRUE(journal.accept({"J", "1", kKind, payload_digest(request), Priority::kHigh, 1}, request));
  journal.set_unreadable(true);
  EngineSetup setup = journal_setup(journal);
  setup.config.result_retention = seconds(100);
  setup.config.on_conflict = OnConflict::kReject;
  SimulatedEngine engine(setup);
  EXPECT_EQ(engine.wait("J")->failure, FailureClass::kResource);
  EXPECT_EQ(engine.submit(kKind, 2, Priority::kByKind, "1").outcome, Outcome::kConflict);
  // However long that takes.
  engine.pass(seconds(200));
  EXPECT_FALSE(engine->job("J"));
  ASSERT_EQ(journal.rows(), 1U);
  const Submission other = engine.submit(kKind, 2, Priority::kByKind, "1");
  EXPECT_EQ(other.outcome, Outcome::kAccepted) << "there is no such job any more";
  engine.expect_proved(other.job_id, kKind, 2);
  engine.pass(seconds(200));
  const Submission again = engine.submit(kKind, 1, Priority::kByKind, "1");
  EXPECT_EQ(again.outcome, Outcome::kAccepted);
  engine.expect_proved(again.job_id, kKind, 1);
  ASSERT_EQ(journal.rows(), 1U);
  EXPECT_EQ(journal.copy().at(0).identity.job_id, again.job_id);
  EXPECT_EQ(journal.copy().at(0).identity.attempt, 2U);
}

TEST(JournalContract, ARequestThatDoesNotReadIsFinal) {
  MemoryJournal journal;
  ProofRequest request = simulated_request(kKind, 1);
  request.vanilla_proof.clear();
  ASSERT_TRUE(journal.accept({"J", "1", kKind, payload_digest(request), Priority::kHigh, 1}, request));
  SimulatedEngine engine(journal_setup(journal));
  EXPECT_EQ(engine.wait("J")->failure, FailureClass::kInvalidInput);
  ASSERT_NE(journal.copy().at(0).result, nullptr);
}

TEST(JournalContract, ADamagedRequestIsFinalAndMakesWayForTheNextAttempt) {
  MemoryJournal journal;
  const ProofRequest request = simulated_request(kKind, 1);
  ASSERT_TRUE(journal.accept({"J", "1", kKind, payload_digest(request), Priority::kHigh, 1}, request));
  journal.set_damaged();
  {
    SimulatedEngine engine(journal_setup(journal));
    const auto result = engine.wait("J");
    EXPECT_EQ(result->failure, FailureClass::kInternal);
    EXPECT_EQ(result->message, "INTERNAL: read again from the journal: broken at offset 9; kept as /x");
  }
  ASSERT_NE(journal.copy().at(0).result, nullptr);
  SimulatedEngine engine(journal_setup(journal));
  EXPECT_EQ(engine->status().counters.recovered, 0U) << "not once more";
  const Submission again = engine.submit(kKind, 1, Priority::kByKind, "1");
  EXPECT_EQ(again.outcome, Outcome::kAccepted);
  engine.expect_proved(again.job_id, kKind, 1);
}

TEST(JournalContract, ADiskThatIsFullRefusesJobsAndKeepsNoResultBack) {
  MemoryJournal journal;
  SimulatedEngine engine(journal_setup(journal));
  const std::string job = engine.submit(kKind, 1, Priority::kByKind, "1").job_id;
  journal.set_full(true);
  const Submission refused = engine.submit(kKind, 2, Priority::kByKind, "2");
  EXPECT_EQ(refused.outcome, Outcome::kJournalFailed);
  EXPECT_THAT(refused.message, HasSubstr("no space left"));
  engine.expect_proved(job, kKind, 1);
  EXPECT_TRUE(engine->status().journal_failing);
  EXPECT_EQ(engine.submit(kKind, 2, Priority::kByKind, "2").outcome, Outcome::kJournalFailed);
  EXPECT_EQ(journal.copy().at(0).result, nullptr) << "a process that ended now would prove it again";
  journal.set_full(false);
  engine.pass(seconds(2));
  EXPECT_FALSE(engine->status().journal_failing);
  EXPECT_NE(journal.copy().at(0).result, nullptr);
  engine.expect_proved(engine.submit(kKind, 2, Priority::kByKind, "2").job_id, kKind, 2);
}

TEST(JournalContract, ADiskThatIsTooFullForARequestIsTold) {
  MemoryJournal journal;
  SimulatedEngine engine(journal_setup(journal));
  EXPECT_EQ(engine->status().journal_refusal, "");
  journal.set_full(true);
  EXPECT_EQ(engine.submit(kKind, 1).outcome, Outcome::kJournalFailed);
  EXPECT_THAT(engine->status().journal_refusal, HasSubstr("no space left"));
  EXPECT_FALSE(engine->status().journal_failing) << "no result waits";
  engine.pass(seconds(3));
  EXPECT_THAT(engine->status().journal_refusal, HasSubstr("no space left"));
  ASSERT_FALSE(journal.probed().empty());
  EXPECT_EQ(journal.probed().front(), simulated_request(kKind, 1).vanilla_proof.size());
  // Nobody submits anything, as it is not ready.
  journal.set_full(false);
  engine.pass(seconds(2));
  EXPECT_EQ(engine->status().journal_refusal, "");
  const std::size_t probed = journal.probed().size();
  engine.pass(seconds(3));
  EXPECT_EQ(journal.probed().size(), probed);

  // An acceptance says as much.
  journal.set_full(true);
  EXPECT_EQ(engine.submit(kKind, 2).outcome, Outcome::kJournalFailed);
  journal.set_full(false);
  EXPECT_EQ(engine.submit(kKind, 3).outcome, Outcome::kAccepted);
  EXPECT_EQ(engine->status().journal_refusal, "");
}

TEST(JournalContract, WhatIsNoLongerRetainedLeavesIt) {
  MemoryJournal journal;
  EngineSetup setup = journal_setup(journal);
  setup.config.result_retention = seconds(100);
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.submit(kKind, 1).job_id, kKind, 1);
  EXPECT_EQ(journal.rows(), 1U);
  engine.pass(seconds(101));
  engine.pass(seconds(1));
  EXPECT_EQ(journal.rows(), 0U);
}

/// At every 100 ms of a run the process might have been killed: nothing that was accepted is ever lost, and
/// nothing that was reported complete.
TEST(JournalContract, NothingIsLostWheneverTheProcessIsKilled) {
  struct Moment {
    std::vector<MemoryJournal::Row> rows;
    std::vector<std::string> accepted;
    std::vector<std::string> completed;
  };
  std::vector<Moment> moments;
  MemoryJournal journal;
  {
    EngineSetup setup = journal_setup(journal);
    std::mutex mutex;
    std::vector<std::string> completed;
    setup.on_result = [&](const JobResult& result) {
      const std::lock_guard lock(mutex);
      if (result.state == JobState::kCompleted) completed.push_back(result.identity.job_id);
    };
    SimulatedEngine engine(setup);
    std::vector<std::string> accepted;
    for (int i = 0; i < 50; ++i) {
      if (i % 5 == 0) accepted.push_back(engine.submit(kKind, static_cast<std::uint64_t>(i + 1)).job_id);
      engine.pass(milliseconds(400));
      const std::lock_guard lock(mutex);
      moments.push_back({journal.copy(), accepted, completed});
    }
  }
  for (const Moment& moment : moments) {
    journal.restore(moment.rows);
    SimulatedEngine engine(journal_setup(journal));
    for (const std::string& job : moment.completed) EXPECT_EQ(engine->job(job)->state, JobState::kCompleted);
    for (const std::string& job : moment.accepted)
      EXPECT_EQ(engine.wait(job)->state, JobState::kCompleted) << job;
  }
}

}  // namespace
}  // namespace cuzk::engine
