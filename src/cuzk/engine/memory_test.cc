// The memory budget and the circuits that it is for: who gets in, who waits, what goes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <new>

#include "cuzk/engine/engine_fixture.h"
#include "cuzk/engine/internal/freed_memory.h"

namespace cuzk::engine {
namespace {

using Outcome = Submission::Outcome;
using testing::HasSubstr;

/// Partitions of `bits` boolean variables: a partition takes 4 * (bits / 8 + 32). `budget` is for proving.
EngineSetup memory_setup(std::uint64_t budget) {
  EngineSetup setup = slow_setup();
  setup.config.request_memory = 100'000;
  setup.config.memory_budget = budget + 100'000;
  setup.config.eviction_min_idle = seconds(50);
  for (const ProofKind kind : kProofKinds)
    setup.circuits[simulated_circuit(kind)] = {.params_bytes = 1'000'000, .bits = 800'000};
  return setup;
}

TEST(Memory, AdmitsWhatFits) {
  SimulatedEngine engine(memory_setup(2'500'000));
  const std::string job = engine.accepted(kPorep, 1);
  engine.pass(seconds(1));
  const Status status = engine->status();
  const CircuitStatus& circuit = status.circuits.at(0);
  ASSERT_EQ(circuit.circuit_id, "porep-2k");
  const std::uint64_t partition = 4 * (800'000 / 8 + 32);
  const std::uint64_t room = 2'500'000 - 1'000'000 - circuit.shape_bytes;
  EXPECT_EQ(status.synthesis_busy, room / partition);
  EXPECT_LT(status.synthesis_busy, 4U) << "the budget is what limits it";
  engine.expect_proved(job, kPorep, 1);
  EXPECT_LE(engine->status().memory_peak, 2'600'000U);
  engine.expect_idle();
}

TEST(Memory, WhatCanNeverFitIsRefusedOrFails) {
  SimulatedEngine engine(memory_setup(1'300'000));
  // The parameters fit; that a partition beside them does not shows when the shape is there.
  const auto result = engine.wait(engine.accepted(kPorep, 1));
  EXPECT_EQ(result->failure, FailureClass::kResource);
  EXPECT_THAT(result->message, HasSubstr("the budget is 1300000"));
  EXPECT_EQ(engine.submit(kPorep, 2).outcome, Outcome::kTooLarge) << "now it is known";
  SimulatedEngine tiny(memory_setup(900'000));
  const Submission refused = tiny.submit(kPorep, 1);
  EXPECT_EQ(refused.outcome, Outcome::kTooLarge);
  EXPECT_THAT(refused.message,
              HasSubstr("porep-2k needs 1000000 bytes of memory for its parameters alone, beside which its "
                        "shape and what is proved have to fit, the budget is 900000: memory.total_budget "
                        "less memory.safety_margin and 100000 bytes for requests"));
}

std::uint64_t reserved(SimulatedEngine& engine, MemoryUse use) {
  return engine->status().memory_by_use[static_cast<std::size_t>(use)];
}

TEST(Memory, WhatDevicesKeepOfKeysIsReservedFromLoadToDrop) {
  EngineSetup setup = memory_setup(5'000'000);
  setup.devices = 2;
  setup.key_host = {400'000, 50'000};
  setup.faults = device_lost_at_launch(0);
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(kPorep, 1);
  engine.pass(seconds(1));
  EXPECT_EQ(reserved(engine, MemoryUse::kKeys), 1'000'000U + 2 * 400'000);
  EXPECT_EQ(reserved(engine, MemoryUse::kLaunches), 2 * 50'000U);
  engine.expect_proved(job, kPorep, 1);
  // Nothing is launched on the device that was lost; what it has of the key it keeps.
  EXPECT_EQ(reserved(engine, MemoryUse::kLaunches), 50'000U);
  EXPECT_EQ(reserved(engine, MemoryUse::kKeys), 1'000'000U + 2 * 400'000);
  ASSERT_TRUE(engine->evict(simulated_circuit(kPorep)));
  engine.pass(seconds(1));
  EXPECT_EQ(reserved(engine, MemoryUse::kLaunches) + reserved(engine, MemoryUse::kKeys), 0U);
}

TEST(Memory, WhatIsLoadedAfterADeviceWasLostTakesNothingForIt) {
  EngineSetup setup = memory_setup(2'800'000);
  setup.config.eviction_min_idle = seconds(0);
  for (auto& [id, sizes] : setup.circuits) sizes.bits = 800;
  setup.devices = 2;
  setup.key_host = {400'000, 50'000};
  setup.faults = device_lost_at_launch(0);
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(kWinning, 1), kWinning, 1);
  EXPECT_EQ(reserved(engine, MemoryUse::kKeys), 1'000'000U + 2 * 400'000);
  // Each key makes the other one go, and not its shape.
  for (const ProofKind kind : {kWindow, kWinning}) {
    engine.expect_proved(engine.accepted(kind, 2), kind, 2);
    engine.pass(seconds(5));
    EXPECT_EQ(reserved(engine, MemoryUse::kKeys), 1'000'000U + 400'000);
  }
  EXPECT_EQ(engine->status().counters.shapes_recorded, 2U);
}

TEST(Memory, AKeyThatDevicesCannotKeepIsTooLarge) {
  EngineSetup setup = memory_setup(2'500'000);
  setup.key_host = {1'500'000, 0};
  SimulatedEngine engine(setup);
  const auto result = engine.wait(engine.accepted(kPorep, 1));
  EXPECT_EQ(result->failure, FailureClass::kResource);
  EXPECT_EQ(reserved(engine, MemoryUse::kKeys), 0U);
}

/// A simulated request with 200 KB of text around it.
JobRequest padded_request(std::uint64_t tag, Priority priority = Priority::kByKind) {
  JobRequest request{"", priority, simulated_request(kWindow, tag), {}};
  request.proof.vanilla_proofs = {std::vector<std::uint8_t>(200'000, ' ')};
  return request;
}

TEST(Memory, RequestsTakeTurnsWhereTheyWouldNotFitTogether) {
  EngineSetup setup = slow_setup();
  setup.config.memory_budget = 100'000'000;
  setup.config.request_memory = 2'000'000;  // 600 KB while one is read: three at a time
  setup.times.read = seconds(2);
  SimulatedEngine engine(setup);
  std::vector<std::thread> clients;
  std::atomic<int> accepted{0};
  for (std::uint64_t tag = 1; tag <= 20; ++tag)
    clients.push_back(engine.clock().start_thread([&engine, &accepted, tag] {
      if (engine->submit(padded_request(tag)).accepted()) ++accepted;
    }));
  engine.pass(seconds(1));
  EXPECT_GE(reserved(engine, MemoryUse::kRequests), 3 * 600'000U);
  for (int step = 0; step < 14; ++step) {
    EXPECT_LE(reserved(engine, MemoryUse::kRequests), 2'000'000U);
    EXPECT_LE(accepted, 3 * ((step + 1) / 2));
    engine.pass(seconds(1));
  }
  EXPECT_EQ(accepted, 20) << "seven rounds of two seconds";
  for (std::thread& client : clients) engine.clock().join(client);
  engine.expect_idle();
}

TEST(Memory, TheMostUrgentRequestIsReadNext) {
  EngineSetup setup = slow_setup();
  setup.config.memory_budget = 100'000'000;
  setup.config.request_memory = 700'000;
  setup.times.read = seconds(2);
  SimulatedEngine engine(setup);
  std::vector<std::thread> clients;
  std::vector<std::uint64_t> order;
  std::mutex mutex;
  const auto submit = [&](std::uint64_t tag, Priority priority) {
    clients.push_back(engine.clock().start_thread([&engine, &order, &mutex, tag, priority] {
      EXPECT_TRUE(engine->submit(padded_request(tag, priority)).accepted());
      const std::lock_guard lock(mutex);
      order.push_back(tag);
    }));
    engine.pass(milliseconds(100));
  };
  submit(1, Priority::kLow);
  submit(2, Priority::kLow);
  submit(3, Priority::kNormal);
  submit(4, Priority::kCritical);
  submit(5, Priority::kNormal);
  for (std::thread& client : clients) engine.clock().join(client);
  EXPECT_EQ(order, (std::vector<std::uint64_t>{1, 4, 3, 5, 2}));
}

TEST(Memory, RequestsThatWaitLeaveRoomOrNewOnesAreRefused) {
  EngineSetup setup = slow_setup();
  setup.config.memory_budget = 100'000'000;
  setup.config.request_memory = 5 * kSimulatedStatementBytes;
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 5; ++tag) jobs.push_back(engine.accepted(kPorep, tag));
  EXPECT_EQ(reserved(engine, MemoryUse::kRequests), 5 * kSimulatedStatementBytes);
  const Submission refused = engine.submit(kPorep, 6);
  EXPECT_EQ(refused.outcome, Outcome::kQueueFull);
  EXPECT_THAT(refused.message, HasSubstr("the budget for requests is 5000"));
  EXPECT_EQ(engine->submit(padded_request(7)).outcome, Outcome::kTooLarge);
  EXPECT_TRUE(engine->cancel(jobs.back()));
  engine.pass(milliseconds(1));
  engine.expect_proved(engine.accepted(kPorep, 8), kPorep, 8);
  for (std::uint64_t tag = 1; tag <= 4; ++tag) engine.expect_proved(jobs[tag - 1], kPorep, tag);
  engine.expect_idle();
}

TEST(Memory, WhatIsLetGoCountsUntilNobodyHoldsIt) {
  MemoryBudget budget(100, 20);
  FreedMemory freed(budget);
  auto key = std::make_shared<const int>(1);
  auto other = key;
  budget.take(MemoryUse::kKeys, 70);
  freed.add(MemoryUse::kKeys, 70, {key});
  key.reset();
  EXPECT_FALSE(freed.collect());
  EXPECT_EQ(budget.available(MemoryUse::kWitnesses), 10U);
  EXPECT_EQ(budget.available(MemoryUse::kRequests), 20U) << "the two parts do not borrow";
  EXPECT_EQ(freed.for_proving(), 70U);
  other.reset();
  EXPECT_TRUE(freed.collect());
  EXPECT_EQ(budget.available(MemoryUse::kWitnesses), 80U);
  EXPECT_EQ(freed.bytes(), 0U);
  EXPECT_EQ(budget.peak(), 70U);
}

TEST(Memory, AnIdleCircuitMakesRoomAtOnceWhenNothingIsInFlight) {
  SimulatedEngine engine(memory_setup(2'500'000));
  engine.expect_proved(engine.accepted(kWindow, 1), kWindow, 1);
  const double before = engine.time();
  const std::string other = engine.accepted(kSnap, 2);
  engine.pass(seconds(1));
  EXPECT_EQ(engine->job(other)->state, JobState::kRunning) << "it would have stayed for 50 s";
  EXPECT_GE(engine->status().counters.evictions, 1U);
  engine.expect_proved(other, kSnap, 2);
  // A critical job gets the room as well.
  engine.expect_proved(engine.accepted(kWinning, 3), kWinning, 3);
  EXPECT_LT(engine.time(), before + 16 * 7 + 20);
  engine.expect_idle();
}

TEST(Memory, AnIdleCircuitStaysForItsIdleAgeWhileOthersRun) {
  std::uint64_t shape = 0;
  {
    SimulatedEngine probe(memory_setup(10'000'000));
    probe.expect_proved(probe.accepted(kWindow, 1), kWindow, 1);
    for (const CircuitStatus& circuit : probe->status().circuits)
      shape = std::max(shape, circuit.shape_bytes);
  }
  // Room for three shapes, two keys and a few partitions.
  EngineSetup setup = memory_setup(3'100'000 + 3 * shape);
  setup.times = {.synthesis = seconds(1), .kernels = seconds(100)};
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(kWindow, 1), kWindow, 1);
  const std::string running = engine.accepted(kWinning, 2, Priority::kNormal);
  engine.pass(seconds(2));
  const std::string other = engine.accepted(kPorep, 3);
  engine.pass(seconds(45));
  EXPECT_EQ(engine->job(other)->state, JobState::kQueued);
  EXPECT_EQ(engine->status().counters.evictions, 0U);
  engine.pass(seconds(5));
  EXPECT_EQ(engine->job(running)->state, JobState::kRunning);
  EXPECT_EQ(engine->job(other)->state, JobState::kRunning);
  EXPECT_GE(engine->status().counters.evictions, 1U);
  engine.expect_proved(other, kPorep, 3);
  engine.expect_idle();
}

TEST(Memory, AnUrgentCircuitGetsInBetweenThePartitionsOfALongJob) {
  EngineSetup setup = memory_setup(3'000'000);
  setup.config.eviction_min_idle = seconds(0);
  SimulatedEngine engine(setup);
  const std::string low = engine.accepted(kPorep, 1, Priority::kLow);
  engine.pass(seconds(5));
  const std::string high = engine.accepted(kWindow, 2, Priority::kHigh);
  engine.expect_proved(high, kWindow, 2);
  EXPECT_EQ(engine->job(low)->state, JobState::kRunning);
  engine.expect_proved(low, kPorep, 1);
  engine.expect_idle();
}

TEST(Circuits, AreLoadedOncePreloadedAndEvicted) {
  EngineSetup setup = slow_setup();
  setup.times.load_shape = seconds(5);
  setup.times.load_key = seconds(10);
  SimulatedEngine engine(setup);
  std::vector<Duration> loads;
  std::mutex mutex;
  const auto preload = [&](const std::string& id) {
    engine->preload(id, [&](const Result<Preloaded>& answer) {
      const std::lock_guard lock(mutex);
      loads.push_back(answer ? answer->load_time : Duration(-1));
    });
  };
  preload("porep-2k");
  preload("porep-2k");
  preload("no-such-circuit");
  EXPECT_EQ(loads, (std::vector<Duration>{Duration(-1)}));
  const auto tier = [&] {
    for (const CircuitStatus& circuit : engine->status().circuits)
      if (circuit.circuit_id == "porep-2k") return circuit.tier;
    return ParamsTier::kCold;
  };
  EXPECT_EQ(tier(), ParamsTier::kCold);
  EXPECT_FALSE(engine->evict("porep-2k")) << "it is being loaded";
  engine.pass(seconds(6));
  EXPECT_EQ(tier(), ParamsTier::kWarm);
  const std::string job = engine.accepted(kPorep, 1);
  engine.pass(seconds(10));
  EXPECT_EQ(loads, (std::vector<Duration>{Duration(-1), seconds(15), seconds(15)}));
  EXPECT_EQ(tier(), ParamsTier::kHot);
  EXPECT_EQ(engine->status().counters.key_loads, 1U);
  const auto in_use = engine->evict("porep-2k");
  ASSERT_FALSE(in_use);
  EXPECT_THAT(in_use.error().message, HasSubstr("in use"));
  engine.expect_proved(job, kPorep, 1);
  engine.pass(milliseconds(1));
  const auto evicted = engine->evict("porep-2k");
  ASSERT_TRUE(evicted) << evicted.error().message;
  EXPECT_TRUE(evicted->was_loaded);
  EXPECT_GE(evicted->freed_bytes, std::uint64_t{1} << 20);
  EXPECT_EQ(tier(), ParamsTier::kCold);
  EXPECT_FALSE(engine->evict("porep-2k")->was_loaded);
  EXPECT_FALSE(engine->evict("no-such-circuit"));
  preload("porep-2k");
  engine.pass(seconds(16));
  EXPECT_EQ(engine->status().counters.key_loads, 2U);
}

/// Counts what it is asked for; with `refuse` it has no room for keys.
class CountingDevice : public SimulatedDevice {
 public:
  using SimulatedDevice::SimulatedDevice;
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>&,
                    const groth16::LaunchOptions&) override {
    ++holds;
    if (refuse && throws) throw std::bad_alloc();
    if (refuse) return io_error("no room");
    return {};
  }
  void drop(const std::shared_ptr<const groth16::ProvingKey>&, const groth16::LaunchOptions&) override {
    ++drops;
  }
  std::atomic<int> holds{0};
  std::atomic<int> drops{0};
  bool refuse = false;
  bool throws = false;
};

TEST(Circuits, AKeyThatTheSecondDeviceRefusesIsTakenFromTheFirst) {
  for (const bool throws : {false, true}) {
    VirtualClock clock;
    const VirtualClock::Participant here(clock);
    ThreadPool pool(1);
    const auto simulation = std::make_shared<Simulation>(Simulation{clock, {}, {}});
    const auto first = std::make_shared<CountingDevice>(simulation, 0);
    const auto second = std::make_shared<CountingDevice>(simulation, 1);
    second->refuse = true;
    second->throws = throws;
    EngineConfig config;
    config.partition_workers = 1;
    const auto engine = Engine::create(config, {.pool = pool,
                                                .devices = {first, second},
                                                .circuits = std::make_shared<SimulatedCircuits>(simulation),
                                                .read_request = simulated_reader(simulation),
                                                .clock = clock});
    ASSERT_TRUE(engine);
    std::atomic<int> refused{0};
    (*engine)->preload(simulated_circuit(kPorep),
                       [&](const Result<Preloaded>& answer) { refused += answer ? 0 : 1; });
    clock.sleep_for(seconds(1));
    EXPECT_EQ(refused, 1);
    EXPECT_EQ(first->holds, 1);
    EXPECT_EQ(first->drops, 1);
    EXPECT_EQ((*engine)->status().memory_by_use[static_cast<std::size_t>(MemoryUse::kKeys)], 0U);
  }
}

TEST(Circuits, AKeyThatAProofFailsWithIsLoadedAnewForWhatComesNext) {
  EngineSetup setup = slow_setup();
  setup.times.load_key = seconds(10);
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned partition) {
    return stage == SimulatedStage::kLaunch && tag == 1 && partition == 2 ? SimulatedFault::kParams
                                                                          : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const std::string failing = engine.accepted(kPorep, 1);
  const std::string beside = engine.accepted(kPorep, 2);
  const auto result = engine.wait(failing);
  EXPECT_EQ(result->failure, FailureClass::kParams);
  EXPECT_EQ(result->message, "PARAMS: partition 2: simulated: the file has become shorter");
  const CircuitStatus row = engine->status().circuits.front();
  ASSERT_EQ(row.circuit_id, "porep-2k");
  EXPECT_GT(row.ref_count, 0U) << "what is in flight ends with the key that it began with";
  EXPECT_EQ(row.tier, ParamsTier::kCold);
  EXPECT_EQ(row.last_error, "simulated: the file has become shorter");
  std::optional<bool> already_loaded;
  engine->preload("porep-2k",
                  [&](const Result<Preloaded>& answer) { already_loaded = answer.value().already_loaded; });
  const std::string next = engine.accepted(kPorep, 3, Priority::kHigh);
  const double before = engine.time();
  engine.expect_proved(next, kPorep, 3);
  EXPECT_GE(engine.time(), before + 10);
  EXPECT_EQ(already_loaded, false);
  engine.expect_proved(beside, kPorep, 2);
  const Status status = engine->status();
  EXPECT_EQ(status.counters.key_loads, 2U);
  EXPECT_EQ(status.counters.evictions, 1U);
  EXPECT_EQ(status.circuits.front().last_error, "");
  engine.expect_idle();
}

TEST(Circuits, AKeyWhoseProofsFailTheirCheckTwiceIsLoadedAnew) {
  EngineSetup setup = slow_setup();
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned) {
    return stage == SimulatedStage::kFinish && tag == 1 ? SimulatedFault::kWrongProof : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  const auto result = engine.wait(engine.accepted(kWindow, 1));
  EXPECT_EQ(result->failure, FailureClass::kSelfCheck);
  EXPECT_THAT(result->message, HasSubstr("the parameters of wpost-2k may be wrong"));
  engine.expect_proved(engine.accepted(kWindow, 2), kWindow, 2);
  EXPECT_EQ(engine->status().counters.key_loads, 2U);
  engine.expect_idle();
}

TEST(Circuits, ALostDeviceDoesNotSpoilTheKey) {
  EngineSetup setup = slow_setup();
  setup.devices = 2;
  setup.faults = [](SimulatedStage stage, std::uint64_t, unsigned partition) {
    static std::atomic<bool> once{true};
    return stage == SimulatedStage::kLaunch && partition == 1 && once.exchange(false) ? SimulatedFault::kSick
                                                                                      : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(kPorep, 1), kPorep, 1);
  EXPECT_EQ(engine->status().counters.key_loads, 1U);
  engine.expect_idle();
}

TEST(Circuits, ALoadDoesNotHoldUpOthers) {
  EngineSetup setup = slow_setup();
  setup.times.load_key = seconds(1000);
  SimulatedEngine engine(setup);
  engine->preload("wpost-2k", [](const Result<Preloaded>&) {});
  engine.pass(seconds(1001));
  const std::string slow = engine.accepted(kPorep, 1);
  engine.pass(seconds(1));
  engine.expect_proved(engine.accepted(kWindow, 2), kWindow, 2);
  EXPECT_LT(engine.time(), 1001 + 1 + 10);
  engine.expect_proved(slow, kPorep, 1);
}

}  // namespace
}  // namespace cuzk::engine
