#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <vector>

#include "cuzk/cpu/thread_pool.h"

namespace cuzk {
namespace {

TEST(ThreadPool, CoversEveryIndexOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), threads);
    for (const std::size_t count : {0UL, 1UL, 2UL, 7UL, 1000UL}) {
      for (const std::size_t grain : {0UL, 1UL, 3UL, 5000UL}) {
        std::vector<std::atomic<int>> seen(count);
        pool.parallel_for(count, grain, [&](std::size_t b, std::size_t e) {
          for (std::size_t i = b; i < e; ++i) ++seen[i];
        });
        for (auto& s : seen) EXPECT_EQ(s.load(), 1);
      }
    }
  }
}

TEST(ThreadPool, NestedAndConcurrentLoops) {
  ThreadPool pool(3);
  std::atomic<std::size_t> total{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        pool.parallel_for(8, 1, [&](std::size_t, std::size_t) {
          pool.parallel_for(16, 2, [&](std::size_t b, std::size_t e) { total += e - b; });
        });
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(total.load(), 4U * 50U * 8U * 16U);
}

}  // namespace
}  // namespace cuzk
