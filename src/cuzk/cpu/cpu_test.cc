#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/atomic_min.h"
#include "cuzk/cpu/isa.h"
#include "cuzk/cpu/thread_pool.h"

namespace cuzk {
namespace {

// Tests of kernels run over the instruction sets that are supported; here a run says which ones it lacked.
TEST(Isa, EveryOneIsTestedOnThisProcessor) {
  std::string missing;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
    if (!isa_supported(isa)) missing += std::string(" ") + isa_name(isa);
  EXPECT_EQ(missing.find("portable"), std::string::npos);
  EXPECT_TRUE(isa_supported(best_isa()));
  if (!missing.empty())
    GTEST_SKIP() << "not on this processor or not in this build, and so in no test of kernels:" << missing;
}

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

/// Runs a loop of two ranges, one on the caller and one on a worker; returns what the loop threw.
template <class OnCaller, class OnWorker>
std::string thrown_by(ThreadPool& pool, OnCaller&& on_caller, OnWorker&& on_worker) {
  CUZK_CHECK(pool.size() == 2);
  const auto caller = std::this_thread::get_id();
  try {
    pool.parallel_for(2, 1, [&](std::size_t, std::size_t) {
      std::this_thread::get_id() == caller ? on_caller() : on_worker();
    });
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing";
}

void wait_for(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

TEST(ThreadPool, ExceptionOfAWorkerReachesTheCaller) {
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> worker_began{false};
    EXPECT_EQ(thrown_by(
                  pool, [&] { wait_for(worker_began); },
                  [&] {
                    worker_began = true;
                    throw std::runtime_error("of the worker");
                  }),
              "of the worker");
  }
}

TEST(ThreadPool, ExceptionOfTheCallerWaitsForTheWorkers) {
  ThreadPool pool(2);
  for (int round = 0; round < 5; ++round) {
    std::atomic<bool> worker_began{false};
    std::atomic<bool> caller_throws{false};
    bool worker_done = false;  // no atomic: the loop's end orders it
    EXPECT_EQ(thrown_by(
                  pool,
                  [&] {
                    wait_for(worker_began);
                    caller_throws = true;
                    throw std::runtime_error("of the caller");
                  },
                  [&] {
                    worker_began = true;
                    wait_for(caller_throws);
                    for (int i = 0; i < 10; ++i) std::this_thread::yield();
                    worker_done = true;
                  }),
              "of the caller");
    EXPECT_TRUE(worker_done);
  }
}

TEST(ThreadPool, AfterAnExceptionNoRangeBegins) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    ThreadPool pool(threads);
    std::atomic<unsigned> ranges{0};
    EXPECT_THROW(pool.parallel_for(1000000, 1,
                                   [&](std::size_t, std::size_t) {
                                     ++ranges;
                                     throw std::bad_alloc();
                                   }),
                 std::bad_alloc);
    EXPECT_GE(ranges.load(), 1U);
    EXPECT_LE(ranges.load(), threads);
    std::atomic<std::size_t> total{0};
    pool.parallel_for(100, 1, [&](std::size_t b, std::size_t e) { total += e - b; });
    EXPECT_EQ(total.load(), 100U) << "the pool stays usable";
  }
}

TEST(ThreadPool, NestedExceptionsAndOtherLoops) {
  ThreadPool pool(3);
  std::atomic<std::size_t> total{0};
  std::atomic<int> caught{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&, throws = c % 2 == 0] {
      for (int round = 0; round < 50; ++round) {
        try {
          pool.parallel_for(8, 1, [&](std::size_t outer, std::size_t) {
            pool.parallel_for(16, 2, [&](std::size_t b, std::size_t e) {
              if (!throws) total += e - b;
              if (throws && outer == 3 && b == 4) throw std::runtime_error("inner");
            });
          });
        } catch (const std::runtime_error&) {
          ++caught;
        }
      }
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(total.load(), 2U * 50U * 8U * 16U);
  EXPECT_EQ(caught.load(), 2 * 50);
}

TEST(ThreadPool, QuotaLimitsProcessors) {
  EXPECT_EQ(ThreadPool::limited_by_quota(8, "max 100000"), 8U);
  EXPECT_EQ(ThreadPool::limited_by_quota(8, "200000 100000"), 2U);
  EXPECT_EQ(ThreadPool::limited_by_quota(8, "250000 100000"), 3U);
  EXPECT_EQ(ThreadPool::limited_by_quota(8, "249999 100000"), 2U);
  EXPECT_EQ(ThreadPool::limited_by_quota(8, "1000 100000"), 1U);
  EXPECT_EQ(ThreadPool::limited_by_quota(8, "1600000 100000"), 8U);
  for (const char* odd : {"", "max", "x 100000", "200000", "200000 ", "200000 0", "200000 x", "-1 100000",
                          "99999999999999999999999 1", "200000 100000 7", "nan 1", "1e400 1"})
    EXPECT_EQ(ThreadPool::limited_by_quota(8, odd), 8U) << odd;
  EXPECT_GE(ThreadPool::available_processors(), 1U);
}

TEST(AtomicMin, KeepsTheSmallest) {
  ThreadPool pool(3);
  std::atomic<std::size_t> least{1000};
  pool.parallel_for(1000, 1, [&](std::size_t i, std::size_t) { atomic_min(least, 7 + (i * 37) % 1000); });
  EXPECT_EQ(least.load(), 7U);
  atomic_min(least, std::size_t{8});
  EXPECT_EQ(least.load(), 7U);
}

}  // namespace
}  // namespace cuzk
