#include "cuzk/groth16/device_lock.h"

#include <gtest/gtest.h>

#include <mutex>
#include <thread>
#include <vector>

namespace cuzk::groth16 {
namespace {

TEST(DeviceLock, OneHolderAtATime) {
  const DeviceLock lock;
  int inside = 0;  // guarded by the lock; a race would show as a wrong total or under the thread sanitizer
  int total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([lock, &inside, &total] {
      for (int i = 0; i < 200; ++i) {
        const DeviceLock::Hold hold = lock.acquire();
        EXPECT_EQ(++inside, 1);
        ++total;
        --inside;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(total, 800);
}

TEST(DeviceLock, CopiesNameOneLockAndSurviveIt) {
  DeviceLock::Hold hold;
  {
    const DeviceLock lock;
    const DeviceLock copy = lock;
    EXPECT_TRUE(copy == lock);
    EXPECT_FALSE(copy == DeviceLock());
    hold = copy.acquire();
  }
  EXPECT_TRUE(hold);
  hold.release();
  EXPECT_FALSE(hold);
  hold.release();
}

TEST(DeviceLock, AnotherThreadMayRelease) {
  const DeviceLock lock;
  DeviceLock::Hold hold = lock.acquire();
  std::thread([moved = std::move(hold)]() mutable { moved.release(); }).join();
  EXPECT_TRUE(lock.acquire());
}

TEST(DeviceLock, MostUrgentFirstThenOrderOfArrival) {
  const DeviceLock lock;
  DeviceLock::Hold hold = lock.acquire();
  std::vector<int> order;
  std::vector<std::thread> threads;
  const std::vector<std::pair<int, std::uint64_t>> waiters{{0, 1}, {1, 5}, {2, 1}, {3, 5}, {4, 9}};
  for (const auto& [id, urgency] : waiters) {
    threads.emplace_back([&, id = id, urgency = urgency] {
      const DeviceLock::Hold mine = lock.acquire(urgency);
      order.push_back(id);
    });
    while (lock.waiting() < threads.size()) std::this_thread::yield();
  }
  hold.release();
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(order, (std::vector<int>{4, 1, 3, 0, 2}));
}

TEST(DeviceLock, TellsItsWatcherOfEveryStepWhenItIsTaken) {
  using Step = DeviceLock::Step;
  const DeviceLock lock;
  std::mutex mutex;
  std::vector<std::pair<int, Step>> steps;
  const auto watched = [&](int id) {
    return lock.watched_by([&, id](Step step) {
      const std::lock_guard guard(mutex);
      steps.emplace_back(id, step);
    });
  };
  const DeviceLock first = watched(1);
  EXPECT_TRUE(first == lock);
  EXPECT_FALSE(lock.held());
  DeviceLock::Hold hold = first.acquire();
  EXPECT_TRUE(lock.held());
  std::thread second([lock = watched(2)] { (void)lock.acquire(); });
  while (lock.waiting() < 1) std::this_thread::yield();
  {
    const std::lock_guard guard(mutex);
    EXPECT_EQ(steps, (std::vector<std::pair<int, Step>>{
                         {1, Step::kWaiting}, {1, Step::kAcquired}, {2, Step::kWaiting}}));
  }
  DeviceLock::Hold moved = std::move(hold);
  moved.release();
  second.join();
  (void)lock.acquire();  // watched by nobody
  EXPECT_FALSE(lock.held());
  EXPECT_EQ(steps, (std::vector<std::pair<int, Step>>{{1, Step::kWaiting},
                                                      {1, Step::kAcquired},
                                                      {2, Step::kWaiting},
                                                      {1, Step::kReleasing},
                                                      {2, Step::kAcquired},
                                                      {2, Step::kReleasing}}));
}

}  // namespace
}  // namespace cuzk::groth16
