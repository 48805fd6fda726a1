// What fails, and how far: a partition, a check, a device.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "cuzk/engine/engine_fixture.h"

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

}  // namespace
}  // namespace cuzk::engine
