#include "cuzk/engine/virtual_clock.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "cuzk/groth16/device_lock.h"

namespace cuzk::engine {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(VirtualClock, SleepersWakeAtTheirTimesInOrder) {
  VirtualClock clock;
  const Clock::TimePoint start = clock.now();
  std::mutex mutex;
  std::vector<std::pair<int, Clock::Duration>> woken;
  std::vector<std::thread> threads;
  {
    const VirtualClock::Participant here(clock);
    for (const int s : {3, 1, 2})
      threads.push_back(clock.start_thread([&, s] {
        clock.sleep_for(hours(s));
        const std::lock_guard lock(mutex);
        woken.emplace_back(s, clock.now() - start);
      }));
    EXPECT_EQ(clock.now(), start) << "time stands still while a participant runs";
    for (std::thread& thread : threads) clock.join(thread);
  }
  EXPECT_EQ(woken,
            (std::vector<std::pair<int, Clock::Duration>>{{1, hours(1)}, {2, hours(2)}, {3, hours(3)}}));
}

TEST(VirtualClock, ANotifiedThreadRunsBeforeTimePasses) {
  // One passes the turn to the other; the other's answer must come at the same time, whatever the scheduler
  // of the machine does. A thousand turns of a second each.
  constexpr int kTurns = 1000;
  VirtualClock clock;
  std::mutex mutex;
  const std::unique_ptr<Condition> changed = clock.make_condition();
  int turn = 0;
  std::vector<Clock::Duration> lag;
  Clock::TimePoint passed = clock.now();
  const VirtualClock::Participant here(clock);
  std::thread other = clock.start_thread([&] {
    std::unique_lock lock(mutex);
    for (int i = 0; i < kTurns; ++i) {
      while (turn != 2 * i + 1) changed->wait(lock);
      lag.push_back(clock.now() - passed);
      ++turn;
      changed->notify_all();
    }
  });
  {
    std::unique_lock lock(mutex);
    for (int i = 0; i < kTurns; ++i) {
      while (turn != 2 * i) changed->wait(lock);
      lock.unlock();
      clock.sleep_for(seconds(1));
      lock.lock();
      passed = clock.now();
      ++turn;
      changed->notify_all();
    }
  }
  clock.join(other);
  EXPECT_EQ(lag, std::vector<Clock::Duration>(kTurns, Clock::Duration::zero()));
  EXPECT_EQ(clock.now().time_since_epoch(), seconds(kTurns));
}

TEST(VirtualClock, WaitingEndsAtTheDeadlineAndNotBefore) {
  VirtualClock clock;
  const VirtualClock::Participant here(clock);
  std::mutex mutex;
  const std::unique_ptr<Condition> never = clock.make_condition();
  std::unique_lock lock(mutex);
  const Clock::TimePoint start = clock.now();
  never->wait_until(lock, start + milliseconds(1500));
  EXPECT_EQ(clock.now() - start, milliseconds(1500));
  never->wait_until(lock, start);  // past: at once
  EXPECT_EQ(clock.now() - start, milliseconds(1500));
  EXPECT_TRUE(lock.owns_lock());
}

/// The real device lock under the clock: holders follow one another without a moment between them, the most
/// urgent first.
TEST(VirtualClock, TheDeviceLockIsHandedOverWithoutTimePassing) {
  VirtualClock clock;
  const groth16::DeviceLock lock(clock);
  std::mutex mutex;
  std::vector<std::pair<std::uint64_t, Clock::Duration>> held;
  std::vector<std::thread> threads;
  {
    const VirtualClock::Participant here(clock);
    for (const std::uint64_t urgency : {5U, 9U, 7U})
      threads.push_back(clock.start_thread([&, urgency] {
        clock.sleep_for(milliseconds(10 - urgency));  // the urgent ones come first, and find it taken
        const groth16::DeviceLock::Hold hold = lock.acquire(urgency);
        {
          const std::lock_guard guard(mutex);
          held.emplace_back(urgency, clock.now().time_since_epoch());
        }
        clock.sleep_for(seconds(2));
      }));
    for (std::thread& thread : threads) clock.join(thread);
  }
  EXPECT_EQ(held, (std::vector<std::pair<std::uint64_t, Clock::Duration>>{
                      {9, milliseconds(1)}, {7, milliseconds(2001)}, {5, milliseconds(4001)}}));
}

}  // namespace
}  // namespace cuzk::engine
