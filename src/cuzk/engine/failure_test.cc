// What fails, and how far: a partition, a check, a device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "cuzk/engine/engine_fixture.h"
#include "cuzk/engine/memory_journal_fixture.h"

namespace cuzk::engine {
namespace {

using Outcome = Submission::Outcome;
using testing::HasSubstr;
using testing::StartsWith;

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
  setup.faults = device_lost_at_launch(3);
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
  setup.faults = device_lost_at_launch(0);
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(kPorep, 1), kPorep, 1);
  engine.expect_proved(engine.accepted(kSnap, 2), kSnap, 2);
  engine.expect_idle();
}

TEST(Quarantine, WithoutAnyDeviceEverythingFailsAndNothingIsAccepted) {
  EngineSetup setup = slow_setup();
  setup.faults = device_lost_at_launch(3);
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

/// One whose device is lost in the given stage.
void expect_two_devices_lost(SimulatedStage sick_stage) {
  EngineSetup setup = slow_setup();
  setup.devices = 4;
  setup.faults = [sick_stage](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == sick_stage && tag == 1 && partition == 2 ? SimulatedFault::kSick : SimulatedFault::kNone;
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

TEST(Quarantine, APartitionDoesNotTakeMoreThanTwoDevicesAlong) {
  expect_two_devices_lost(SimulatedStage::kLaunch);
}

TEST(Quarantine, NorInItsEpilogue) {
  expect_two_devices_lost(SimulatedStage::kFinish);
}

// ---- every device at once

/// Stands for who ends the process: what it was told, and when the virtual clock said what.
struct Owner {
  std::mutex mutex;
  std::vector<DevicesLost> told;

  [[nodiscard]] std::vector<DevicesLost> heard() {
    const std::lock_guard lock(mutex);
    return told;
  }
  void listen(EngineSetup& setup) {
    setup.on_devices_lost = [this](const DevicesLost& lost) {
      const std::lock_guard lock(mutex);
      told.push_back(lost);
    };
  }
};

/// The n-th launch takes every device along.
EngineSetup fatal_setup(Owner& owner, Journal* journal, int n) {
  EngineSetup setup = slow_setup();
  setup.devices = 2;
  setup.journal = journal;
  setup.faults = device_lost_at_launch(n, SimulatedFault::kFatal);
  owner.listen(setup);
  return setup;
}

std::uint32_t starts_of(const MemoryJournal& journal, const std::string& job) {
  for (const MemoryJournal::Row& row : journal.copy())
    if (row.identity.job_id == job) return row.starts;
  ADD_FAILURE() << job << " is not in the journal";
  return 0;
}

TEST(ProcessFault, NoJobFailsAndTheNextProcessProvesThemAll) {
  MemoryJournal journal;
  std::string running;
  std::string queued;
  {
    Owner owner;
    EngineSetup setup = fatal_setup(owner, &journal, 3);
    setup.times.load_key = seconds(20);
    SimulatedEngine engine(setup);
    running = engine.accepted(kPorep, 1);
    engine.pass(seconds(15));  // so that its key comes to devices that are gone
    queued = engine.accepted(kSnap, 2, Priority::kLow);
    const Awaited awaited = engine.awaited(running);
    EXPECT_TRUE(awaited.kept);
    EXPECT_EQ(awaited.result, nullptr);
    EXPECT_TRUE(engine.awaited(queued).kept) << "who comes later is told at once";
    engine.pass(seconds(100));
    const std::vector<DevicesLost> told = owner.heard();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].process_wide);
    EXPECT_EQ(told[0].jobs_kept, 2U);
    EXPECT_THAT(told[0].message, HasSubstr("simulated"));
    EXPECT_EQ(engine.submit(kPorep, 3).outcome, Outcome::kNoDevice);
    const Status status = engine->status();
    EXPECT_TRUE(status.devices[0].quarantined && status.devices[1].quarantined);
    EXPECT_EQ(status.synthesis_busy, 0U) << "nothing more is begun";
    EXPECT_EQ(status.counters.failed, CountByKind{});
    // It waits for none of what is kept.
    const double before = engine.time();
    EXPECT_FALSE(engine->shut_down(std::chrono::minutes(10)));
    EXPECT_LT(engine.time() - before, 60);
  }
  EXPECT_EQ(starts_of(journal, running), 1U) << "as in a process that died";
  EXPECT_EQ(starts_of(journal, queued), 0U);
  EngineSetup setup = slow_setup();
  setup.journal = &journal;
  SimulatedEngine next(setup);
  next.expect_proved(running, kPorep, 1);
  next.expect_proved(queued, kSnap, 2);
  next.expect_idle();
}

/// A proof in its epilogue while another one's launch takes the devices along, a second after its own.
std::shared_ptr<const JobResult> finished_meanwhile(Duration finish, double& told_after) {
  MemoryJournal journal;
  Owner owner;
  EngineSetup setup = fatal_setup(owner, &journal, 1);
  setup.devices = 1;
  setup.times.kernels = seconds(1);
  setup.times.finish = finish;
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned) {
    return stage == SimulatedStage::kLaunch && tag == 2 ? SimulatedFault::kFatal : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string first = engine.accepted(kWindow, 1);
  engine.pass(milliseconds(100));
  const std::string second = engine.accepted(kWindow, 2);
  while (!engine->status().devices[0].quarantined) engine.pass(milliseconds(10));
  const double lost_at = engine.time();
  EXPECT_TRUE(owner.heard().empty());
  EXPECT_TRUE(engine.awaited(second).kept);
  told_after = engine.time() - lost_at;
  while (owner.heard().empty()) engine.pass(milliseconds(10));
  return engine.wait(first);
}

TEST(ProcessFault, WhatADeviceHadFinishedIsDeliveredFirst) {
  double told_after = 0;
  const auto result = finished_meanwhile(seconds(4), told_after);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->proof, simulated_proof(1, 1));
  EXPECT_NEAR(told_after, 3.1, 0.2);
}

TEST(ProcessFault, ButNotWaitedForAsLongAsItLikes) {
  double told_after = 0;
  EXPECT_EQ(finished_meanwhile(seconds(400), told_after), nullptr);
  EXPECT_NEAR(told_after, 5, 0.2);
}

TEST(ProcessFault, WithNothingToKeepThemJobsFailAndTheOwnerIsTold) {
  Owner owner;
  SimulatedEngine engine(fatal_setup(owner, nullptr, 3));
  const std::string first = engine.accepted(kPorep, 1);
  const std::string second = engine.accepted(kSnap, 2);
  for (const std::string& job : {first, second}) {
    const auto result = engine.wait(job);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->failure, FailureClass::kDevice) << result->message;
    EXPECT_THAT(result->message, HasSubstr("until the process is started again"));
  }
  engine.pass(seconds(10));
  ASSERT_EQ(owner.heard().size(), 1U);
  EXPECT_EQ(owner.heard()[0].jobs_kept, 0U);
  engine.expect_idle();
}

TEST(ProcessFault, WithNobodyToEndTheProcessJobsFail) {
  MemoryJournal journal;
  Owner owner;
  EngineSetup setup = fatal_setup(owner, &journal, 3);
  setup.on_devices_lost = nullptr;
  SimulatedEngine engine(setup);
  const auto result = engine.wait(engine.accepted(kPorep, 1));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->failure, FailureClass::kDevice);
}

TEST(ProcessFault, DevicesThatAreLostOneByOneComeToTheSame) {
  MemoryJournal journal;
  Owner owner;
  EngineSetup setup = fatal_setup(owner, &journal, 0);
  // A partition that takes two along fails where others are left, but these are all.
  setup.faults = [](SimulatedStage stage, std::uint64_t, unsigned partition) {
    return stage == SimulatedStage::kLaunch && partition == 2 ? SimulatedFault::kSick : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  EXPECT_TRUE(engine.awaited(engine.accepted(kPorep, 1)).kept);
  while (owner.heard().empty()) engine.pass(milliseconds(10));
  ASSERT_EQ(owner.heard().size(), 1U);
  EXPECT_FALSE(owner.heard()[0].process_wide);
  EXPECT_EQ(engine->status().counters.failed, CountByKind{});
}

TEST(ProcessFault, AJobThatEndsTheProcessEachTimeFailsInTheEndAndOthersAreProved) {
  MemoryJournal journal;
  std::string poison;
  std::string good;
  for (int death = 0; death < 19; ++death) {
    Owner owner;
    EngineSetup setup = fatal_setup(owner, &journal, 0);
    setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned) {
      return stage == SimulatedStage::kLaunch && tag == 1 ? SimulatedFault::kFatal : SimulatedFault::kNone;
    };
    SimulatedEngine engine(setup);
    if (death == 0) {
      poison = engine.accepted(kWindow, 1);
      good = engine.accepted(kPorep, 2);
    }
    EXPECT_TRUE(engine.awaited(poison).kept) << death;
    EXPECT_EQ(starts_of(journal, poison), static_cast<std::uint32_t>(death) + 1);
  }
  EngineSetup setup = slow_setup();
  setup.journal = &journal;
  SimulatedEngine engine(setup);
  engine.expect_proved(good, kPorep, 2);
  const auto result = engine.wait(poison);
  EXPECT_EQ(result->failure, FailureClass::kInternal);
  EXPECT_THAT(result->message, HasSubstr("died 19 times"));
}

}  // namespace
}  // namespace cuzk::engine
