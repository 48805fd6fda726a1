// The arithmetic of the pipeline and of the interlock, exactly: the engine's own threads, locks and queues
// under a virtual clock, with stages that last a given time.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cuzk/engine/engine_fixture.h"
#include "cuzk/engine/internal/order.h"
#include "cuzk/timeline/analysis.h"

namespace cuzk::engine {
namespace {

using timeline::EventKind;

struct Held {
  std::int64_t acquired = 0;
  std::int64_t released = 0;
};

/// When the lock was held, in order of time.
std::vector<Held> held_intervals(const std::vector<timeline::Event>& events) {
  std::vector<Held> out;
  for (const timeline::Event& event : events)
    if (event.kind == EventKind::kLockAcquired) out.push_back({event.time_ns, 0});
  std::sort(out.begin(), out.end(), [](const Held& a, const Held& b) { return a.acquired < b.acquired; });
  std::vector<std::int64_t> ends;
  for (const timeline::Event& event : events)
    if (event.kind == EventKind::kLockReleased) ends.push_back(event.time_ns);
  std::sort(ends.begin(), ends.end());
  CUZK_CHECK(ends.size() == out.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i].released = ends[i];
  return out;
}

/// 3 PoRep jobs of 10 partitions on one device.
std::vector<timeline::Event> run(unsigned workers, Duration prepare, Duration kernels) {
  EngineSetup setup;
  setup.config.workers_per_device = workers;
  setup.times = {.synthesis = milliseconds(100),
                 .prepare = prepare,
                 .kernels = kernels,
                 .finish = milliseconds(200),
                 .verify = milliseconds(10)};
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 3; ++tag)
    jobs.push_back(engine.accepted(ProofKind::porep_seal_commit, tag));
  for (std::uint64_t tag = 1; tag <= 3; ++tag)
    engine.expect_proved(jobs[tag - 1], ProofKind::porep_seal_commit, tag);
  return engine.events();
}

struct Steady {
  std::int64_t busy = 0;
  std::int64_t span = 0;
};

/// Lock efficiency in steady state: from the first acquire to the acquire of a later turn of the same worker.
Steady steady_state(const std::vector<Held>& held, unsigned workers) {
  const std::size_t turns = (held.size() - 1) / workers;
  const std::size_t last = turns * workers;
  Steady out;
  for (std::size_t i = 0; i < last; ++i) {
    EXPECT_LE(held[i].released, held[i + 1].acquired) << "two launches at a time";
    out.busy += held[i].released - held[i].acquired;
  }
  out.span = held[last].acquired - held[0].acquired;
  return out;
}

constexpr auto kPrepare = milliseconds(1300);
constexpr auto kKernels = milliseconds(2100);

TEST(Interlock, OneWorkerLeavesTheDeviceIdleWhilePreparing) {
  const std::vector<Held> held = held_intervals(run(1, kPrepare, kKernels));
  ASSERT_EQ(held.size(), 30U);
  const Steady steady = steady_state(held, 1);
  EXPECT_EQ(steady.busy * 34, steady.span * 21);  // 2.1 / 3.4 = 61.8 %
}

TEST(Interlock, TwoWorkersKeepTheDeviceBusyAndThreeChangeNothing) {
  const std::vector<Held> two = held_intervals(run(2, kPrepare, kKernels));
  ASSERT_EQ(two.size(), 30U);
  EXPECT_EQ(two.back().released - two.front().acquired,
            30 * std::chrono::nanoseconds(kKernels).count());  // 100 %
  const std::vector<Held> three = held_intervals(run(3, kPrepare, kKernels));
  ASSERT_EQ(three.size(), 30U);
  EXPECT_EQ(three.back().released - three.front().acquired, two.back().released - two.front().acquired);
}

TEST(Interlock, ALongCpuPartStarvesTwoWorkers) {
  const std::vector<timeline::Event> events = run(2, milliseconds(4500), kKernels);
  const std::vector<Held> held = held_intervals(events);
  ASSERT_EQ(held.size(), 30U);
  const Steady steady = steady_state(held, 2);
  EXPECT_EQ(steady.busy * 66, steady.span * 42);  // 4.2 / 6.6 = 63.6 %

  const timeline::Analysis analysis = timeline::analyse({events, 0});
  ASSERT_FALSE(analysis.starved_by.empty());
  EXPECT_EQ(analysis.starved_by[0].stage, "prepare");
}

TEST(Interlock, JobsOverlap) {
  EngineSetup setup;
  setup.times = {
      .synthesis = seconds(3), .prepare = kPrepare, .kernels = kKernels, .finish = milliseconds(200)};
  SimulatedEngine engine(setup);
  const std::string first = engine.accepted(ProofKind::porep_seal_commit, 1);
  const std::string second = engine.accepted(ProofKind::porep_seal_commit, 2);
  engine.expect_proved(first, ProofKind::porep_seal_commit, 1);
  engine.expect_proved(second, ProofKind::porep_seal_commit, 2);
  std::int64_t first_end = 0;
  std::int64_t second_start = std::numeric_limits<std::int64_t>::max();
  for (const timeline::Event& event : engine.events()) {
    if (event.kind == EventKind::kGpuEnd && event.job == first)
      first_end = std::max(first_end, event.time_ns);
    if (event.kind == EventKind::kGpuStart && event.job == second)
      second_start = std::min(second_start, event.time_ns);
  }
  EXPECT_LT(second_start, first_end);
}

TEST(Interlock, TheLockShowsWhileALaunchHasIt) {
  EngineSetup setup;
  setup.times = {.synthesis = milliseconds(100), .prepare = kPrepare, .kernels = kKernels};
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(ProofKind::porep_seal_commit, 1);
  const auto lock_events = [&] {
    std::vector<EventKind> kinds;
    for (const timeline::Event& event : engine.events())
      if (event.kind >= EventKind::kLockWait && event.kind <= EventKind::kKernelEnd)
        kinds.push_back(event.kind);
    return kinds;
  };
  const auto expect_lock = [&](bool taken, std::uint32_t waiting) {
    const DeviceStatus device = engine->status().devices.at(0);
    EXPECT_EQ(device.lock_taken, taken) << engine.time();
    EXPECT_EQ(device.lock_waiting, waiting) << engine.time();
  };
  engine.pass(milliseconds(1000));  // both workers prepare
  expect_lock(false, 0);
  EXPECT_TRUE(lock_events().empty());
  engine.pass(milliseconds(1000));  // one launch runs, the other waits
  expect_lock(true, 1);
  std::vector<EventKind> told = lock_events();
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told, (std::vector{EventKind::kLockWait, EventKind::kLockWait, EventKind::kLockAcquired}));
  engine.expect_proved(job, ProofKind::porep_seal_commit, 1);
  expect_lock(false, 0);
}

TEST(Interlock, TheStatusNamesTheJobThatHasTheLock) {
  EngineSetup setup;
  setup.times = {.synthesis = milliseconds(100), .prepare = kPrepare, .kernels = kKernels};
  SimulatedEngine engine(setup);
  std::vector<std::string> jobs;
  for (std::uint64_t tag = 1; tag <= 4; ++tag) jobs.push_back(engine.accepted(ProofKind::winning_post, tag));
  engine.pass(milliseconds(1000));  // both workers prepare
  DeviceStatus device = engine->status().devices.at(0);
  EXPECT_EQ(device.lock_job_id, "");
  EXPECT_EQ(std::count(jobs.begin(), jobs.end(), device.current_job_id), 1);
  // The lock goes from one worker to the other and back, and the other one has a launch that waits for it.
  std::set<std::string> named;
  for (int i = 0; i < 100 && named.size() < jobs.size(); ++i) {
    engine.pass(milliseconds(170));
    device = engine->status().devices.at(0);
    std::string holder;
    for (const timeline::Event& event : engine.events()) {
      if (event.kind == EventKind::kLockAcquired) holder = event.job;
      if (event.kind == EventKind::kLockReleased) holder.clear();
    }
    EXPECT_EQ(device.lock_taken, !holder.empty()) << engine.time();
    EXPECT_EQ(device.lock_job_id, holder) << engine.time();
    if (holder.empty()) continue;
    EXPECT_EQ(device.current_job_id, holder) << engine.time();
    named.insert(holder);
  }
  EXPECT_EQ(named.size(), jobs.size());
  for (std::uint64_t tag = 1; tag <= 4; ++tag)
    engine.expect_proved(jobs[tag - 1], ProofKind::winning_post, tag);
  device = engine->status().devices.at(0);
  EXPECT_EQ(device.lock_job_id, "");
  EXPECT_EQ(device.current_job_id, "");
}

TEST(Interlock, AKeyIsCopiedUnderTheLock) {
  EngineSetup setup;
  setup.times = {.synthesis = milliseconds(100), .kernels = seconds(2), .hold = seconds(5)};
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(ProofKind::porep_seal_commit, 1);
  engine.pass(seconds(6));
  const std::string other = engine.accepted(ProofKind::winning_post, 2);
  engine.expect_proved(job, ProofKind::porep_seal_commit, 1);
  engine.expect_proved(other, ProofKind::winning_post, 2);
  // Its copy begins when the launch that runs is over, and no launch has the lock meanwhile.
  const std::vector<Held> held = held_intervals(engine.events());
  ASSERT_EQ(held.size(), 11U);
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < held.size(); ++i)
    if (held[i].acquired != held[i - 1].released) gaps.push_back(held[i].acquired - held[i - 1].released);
  EXPECT_EQ(gaps, (std::vector<std::int64_t>{5'000'000'000}));
}

TEST(Interlock, TheTimelineShowsKeysUnderTheLock) {
  EngineSetup setup;
  setup.config.partition_workers = 1;
  setup.times = {
      .synthesis = milliseconds(100), .kernels = seconds(2), .hold = seconds(5), .drop = seconds(1)};
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(ProofKind::winning_post, 1), ProofKind::winning_post, 1);
  engine.expect_proved(engine.accepted(ProofKind::porep_seal_commit, 2), ProofKind::porep_seal_commit, 2);
  ASSERT_TRUE(engine->evict(simulated_circuit(ProofKind::winning_post)));
  engine.pass(seconds(10));

  std::vector<std::string> told;
  for (const timeline::Event& event : engine.events())
    if (event.kind == EventKind::kKeyStart || event.kind == EventKind::kKeyEnd)
      told.push_back(std::string(timeline::name_of(event.kind)) + " " + event.detail);
  EXPECT_EQ(told, (std::vector<std::string>{
                      "KEY_START circuit=winning-2k,what=copy", "KEY_END circuit=winning-2k,what=copy",
                      "KEY_START circuit=porep-2k,what=copy", "KEY_END circuit=porep-2k,what=copy",
                      "KEY_START circuit=winning-2k,what=drop", "KEY_END circuit=winning-2k,what=drop"}));
  EXPECT_EQ(engine->status().devices.at(0).key_held, seconds(5 + 5 + 1));
  // The copy between the two jobs is what the device was idle for.
  const timeline::Analysis analysis = timeline::analyse({engine.events(), 0});
  ASSERT_FALSE(analysis.starved_by.empty());
  EXPECT_EQ(analysis.starved_by[0].stage, "key");
  EXPECT_EQ(analysis.starved_by[0].idle_ns, 5'000'000'000);
}

TEST(Interlock, AKeyThatIsTakenAwayKeepsNobodyElseWaiting) {
  EngineSetup setup;
  setup.times = {.kernels = seconds(100), .drop = seconds(1)};
  SimulatedEngine engine(setup);
  engine.expect_proved(engine.accepted(ProofKind::winning_post, 1), ProofKind::winning_post, 1);
  const std::string job = engine.accepted(ProofKind::window_post_partition, 2);
  engine.pass(seconds(10));  // its launch has the lock
  ASSERT_TRUE(engine->evict(simulated_circuit(ProofKind::winning_post)));
  engine.pass(seconds(1));
  const double before = engine.time();
  EXPECT_EQ(engine.wait(job, seconds(3)), nullptr);
  EXPECT_EQ(engine.time() - before, 3);
  engine.expect_proved(job, ProofKind::window_post_partition, 2);
  engine.expect_idle();
}

TEST(Interlock, ALaunchThatFailsGivesTheLockBackInTheTimelineToo) {
  EngineSetup setup;
  setup.times = {.synthesis = milliseconds(100), .prepare = kPrepare, .kernels = kKernels};
  setup.faults = [](SimulatedStage stage, std::uint64_t tag, unsigned) {
    return stage == SimulatedStage::kLaunch && tag == 1 ? SimulatedFault::kError : SimulatedFault::kNone;
  };
  SimulatedEngine engine(setup);
  EXPECT_EQ(engine.wait(engine.accepted(ProofKind::winning_post, 1))->failure, FailureClass::kResource);
  engine.expect_proved(engine.accepted(ProofKind::winning_post, 2), ProofKind::winning_post, 2);
  EXPECT_FALSE(engine->status().devices.at(0).lock_taken);
  EXPECT_EQ(held_intervals(engine.events()).size(), 2U);
}

/// How often each kind of event is there for a job, and that every begin has its end.
std::map<EventKind, int> paired_events(SimulatedEngine& engine, const std::string& job) {
  engine.expect_idle();
  const std::vector<timeline::Event> events = engine.events();
  EXPECT_EQ(timeline::analyse({events, 0}).unpaired, 0U);
  std::map<EventKind, int> count;
  for (const timeline::Event& event : events)
    if (event.job == job) ++count[event.kind];
  return count;
}

TEST(Interlock, AWorkerThatLetsALaunchGoSaysSo) {
  EngineSetup setup;
  setup.times = {.synthesis = milliseconds(100), .prepare = kPrepare, .kernels = kKernels};
  for (const SimulatedStage failing : {SimulatedStage::kPrepare, SimulatedStage::kLaunch}) {
    setup.faults = [failing](SimulatedStage stage, std::uint64_t, unsigned) {
      return stage == failing ? SimulatedFault::kError : SimulatedFault::kNone;
    };
    SimulatedEngine engine(setup);
    const std::string job = engine.accepted(ProofKind::winning_post, 1);
    EXPECT_EQ(engine.wait(job)->state, JobState::kFailed);
    EXPECT_EQ(paired_events(engine, job)[EventKind::kGpuEnd], 1);
  }
  setup.faults = {};
  SimulatedEngine engine(setup);
  const std::string job = engine.accepted(ProofKind::winning_post, 1);
  engine.pass(kPrepare);
  EXPECT_TRUE(engine->cancel(job)->was_running);
  std::map<EventKind, int> count = paired_events(engine, job);
  EXPECT_EQ(count[EventKind::kGpuEnd], 1);
  EXPECT_EQ(count[EventKind::kLockWait], 0);
}

TEST(Interlock, ALaunchThatLosesTheJobThatNamedItGoesOnUnderAnotherName) {
  EngineSetup setup;
  setup.times = {.synthesis = milliseconds(100), .prepare = milliseconds(100), .kernels = milliseconds(100)};
  setup.config.max_batch_size = 2;
  setup.config.partition_workers = 20;
  SimulatedEngine engine(setup);
  const std::string gone = engine.accepted(ProofKind::porep_seal_commit, 1);
  const std::string stays = engine.accepted(ProofKind::porep_seal_commit, 2);
  engine.pass(milliseconds(500));  // synthesised; 20 partitions are prepared one after the other
  EXPECT_TRUE(engine->cancel(gone)->was_running);
  engine.expect_proved(stays, ProofKind::porep_seal_commit, 2);
  EXPECT_EQ(paired_events(engine, gone)[EventKind::kLockWait], 0);
  std::map<EventKind, int> count = paired_events(engine, stays);
  EXPECT_EQ(count[EventKind::kGpuPickup], 1);
  EXPECT_EQ(count[EventKind::kGpuStart], 1);
  EXPECT_EQ(count[EventKind::kLockReleased], 1);
  EXPECT_EQ(count[EventKind::kGpuEnd], 1);
}

TEST(Interlock, EveryPartitionLeavesEveryEventInOrder) {
  const std::vector<timeline::Event> events = run(2, kPrepare, kKernels);
  const EventKind order[] = {EventKind::kSynthStart,   EventKind::kSynthEnd,    EventKind::kGpuQueue,
                             EventKind::kGpuPickup,    EventKind::kGpuStart,    EventKind::kLockWait,
                             EventKind::kLockAcquired, EventKind::kKernelStart, EventKind::kKernelEnd,
                             EventKind::kLockReleased, EventKind::kEpilogueEnd, EventKind::kGpuEnd,
                             EventKind::kVerifyEnd};
  // Kernel times are told when the launch is over; everything else when it happens.
  std::map<std::pair<std::string, std::uint32_t>, std::map<EventKind, std::int64_t>> by_partition;
  std::size_t done = 0;
  std::int64_t last = 0;
  for (const timeline::Event& event : events) {
    if (event.kind == EventKind::kJobDone) {
      ++done;
      continue;
    }
    const auto [at, first] =
        by_partition[{event.job, event.partition.value()}].emplace(event.kind, event.time_ns);
    EXPECT_TRUE(first) << timeline::name_of(event.kind) << " twice";
    if (event.kind == EventKind::kKernelStart || event.kind == EventKind::kKernelEnd) continue;
    EXPECT_LE(last, event.time_ns) << timeline::name_of(event.kind);
    last = event.time_ns;
  }
  EXPECT_EQ(done, 3U);
  ASSERT_EQ(by_partition.size(), 30U);
  for (const auto& [partition, mine] : by_partition) {
    ASSERT_EQ(mine.size(), std::size(order)) << partition.first << " " << partition.second;
    for (std::size_t i = 1; i < std::size(order); ++i) EXPECT_LE(mine.at(order[i - 1]), mine.at(order[i]));
  }
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

/// Launches of a device in the order in which they took the lock.
std::vector<std::string> launch_order(const std::vector<timeline::Event>& events) {
  std::vector<const timeline::Event*> acquired;
  for (const timeline::Event& event : events)
    if (event.kind == EventKind::kLockAcquired) acquired.push_back(&event);
  std::stable_sort(acquired.begin(), acquired.end(),
                   [](const auto* a, const auto* b) { return a->time_ns < b->time_ns; });
  std::vector<std::string> out;
  for (const timeline::Event* event : acquired) out.push_back(event->job);
  return out;
}

TEST(Order, AnUrgentJobOvertakesInEveryQueue) {
  EngineSetup setup;
  setup.config.partition_workers = 1;
  setup.config.max_gpu_queue_depth = 2;
  setup.times = {.synthesis = seconds(1), .prepare = seconds(1), .kernels = seconds(5)};
  SimulatedEngine engine(setup);
  const std::string low = engine.accepted(ProofKind::porep_seal_commit, 1, Priority::kLow);
  engine.pass(seconds(12));  // the device queue is full, synthesis holds one more
  const std::string urgent = engine.accepted(ProofKind::winning_post, 2);
  const double submitted = engine.time();
  engine.expect_proved(urgent, ProofKind::winning_post, 2);
  // At most: the permit is held until the next pickup; its own synthesis; then the launch that has the lock
  // ends, and one that is prepared goes first.
  EXPECT_LE(engine.time() - submitted, 5 + 1 + 5 + 5 + 5);
  engine.expect_proved(low, ProofKind::porep_seal_commit, 1);
  const std::vector<std::string> order = launch_order(engine.events());
  EXPECT_LT(std::find(order.begin(), order.end(), urgent) - order.begin(), 6);
}

TEST(Order, PriorityThenSubmission) {
  EngineSetup setup;
  setup.config.partition_workers = 1;
  setup.config.workers_per_device = 1;
  setup.times = {.synthesis = seconds(1), .kernels = seconds(1)};
  setup.times.load_key = seconds(10);  // everything is submitted before anything begins
  SimulatedEngine engine(setup);
  const auto submit = [&](std::uint64_t tag, Priority priority) {
    return engine.accepted(ProofKind::window_post_partition, tag, priority);
  };
  const std::string normal_1 = submit(1, Priority::kNormal);
  const std::string low = submit(2, Priority::kLow);
  const std::string critical = submit(3, Priority::kCritical);
  const std::string normal_2 = submit(4, Priority::kNormal);
  const std::string high = submit(5, Priority::kHigh);
  EXPECT_EQ(engine->job(low)->state, JobState::kQueued);
  std::uint64_t tag = 1;
  for (const std::string& job : {normal_1, low, critical, normal_2, high})
    engine.expect_proved(job, ProofKind::window_post_partition, tag++);
  EXPECT_EQ(launch_order(engine.events()), (std::vector{critical, high, normal_1, normal_2, low}));
}

}  // namespace
}  // namespace cuzk::engine
