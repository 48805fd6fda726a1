#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "cuzk/cpu/isa.h"

namespace cuzk {

/// What a program lends to a computation: a fixed set of threads for data-parallel loops, and the instruction
/// set that batch kernels use on them. The library owns no global pool: callers make one and pass
/// it down. Several threads may call parallel_for on one pool at the same time; each call's work is shared by
/// the caller and whatever workers are free, so a call inside a loop body cannot deadlock.
class ThreadPool {
 public:
  /// `threads` counts the calling thread: 1 means no extra thread. 0 means one per processor this process may
  /// use. When the operating system refuses a thread, the pool has fewer; size() says how many. `isa` must be
  /// supported here (checked).
  explicit ThreadPool(unsigned threads = 0, Isa isa = best_isa());
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that take part in a loop, the caller included.
  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  [[nodiscard]] Isa isa() const { return isa_; }

  /// Calls body(begin, end) for disjoint ranges that cover [0, count), each of `grain` items (the last may be
  /// shorter; grain 0 counts as 1). Ranges are handed out in order, one at a time. Returns when all are done.
  ///
  /// When body throws, on whichever thread, no further range begins; those that run are waited for, then the
  /// first exception is thrown to the caller. The pool stays usable.
  void parallel_for(std::size_t count, std::size_t grain,
                    const std::function<void(std::size_t begin, std::size_t end)>& body);

  /// parallel_for with a grain that gives every thread a few ranges.
  void parallel_for(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& body) {
    parallel_for(count, count / (size() * 4U) + 1, body);
  }

  /// Processors this process may use: affinity mask and cgroup quota taken into account.
  static unsigned available_processors();

  /// `processors`, or fewer by the quota in a cgroup's cpu.max ("QUOTA PERIOD" or "max PERIOD"), rounded and
  /// at least 1. A text of any other form limits nothing.
  static unsigned limited_by_quota(unsigned processors, std::string_view cpu_max);

 private:
  struct Loop;
  void work();
  static void run(Loop& loop) noexcept;

  const Isa isa_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Loop*> loops_;  // guarded by mutex_: loops that still have ranges to hand out
  bool stop_ = false;         // guarded by mutex_
  std::vector<std::thread> workers_;
};

}  // namespace cuzk
