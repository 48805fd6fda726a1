#include "cuzk/cpu/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>

#include "cuzk/base/result.h"

namespace cuzk {

struct ThreadPool::Loop {
  std::size_t count;
  std::size_t grain;
  const std::function<void(std::size_t, std::size_t)>* body;
  std::atomic<std::size_t> next{0};

  std::mutex mutex;
  std::condition_variable done;
  unsigned helpers = 0;      // guarded by ThreadPool::mutex_ for entering, by `mutex` for leaving
  std::exception_ptr error;  // guarded by `mutex` while helpers run: the first that a range threw
};

unsigned ThreadPool::available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned n = std::max(1U, std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");
  std::string cpu_max;
  if (std::getline(quota_file, cpu_max)) n = limited_by_quota(n, cpu_max);
  return n;
}

unsigned ThreadPool::limited_by_quota(unsigned processors, std::string_view cpu_max) {
  std::uint64_t quota = 0;
  std::uint64_t period = 0;
  const char* const end = cpu_max.data() + cpu_max.size();
  const auto [after_quota, quota_error] = std::from_chars(cpu_max.data(), end, quota);
  if (quota_error != std::errc() || after_quota == end || *after_quota != ' ') return processors;
  const auto [after_period, period_error] = std::from_chars(after_quota + 1, end, period);
  if (period_error != std::errc() || after_period != end || period == 0) return processors;
  const std::uint64_t whole = quota / period + (quota % period >= period - period / 2 ? 1 : 0);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(whole, 1, processors));
}

ThreadPool::ThreadPool(unsigned threads, Isa isa) : isa_(isa) {
  CUZK_CHECK(isa_supported(isa));
  if (threads == 0) threads = available_processors();
  workers_.reserve(threads - 1);
  try {
    for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads for this process; loops take longer, their results are the same.
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(Loop& loop) noexcept {
  while (true) {
    const std::size_t begin = loop.next.fetch_add(loop.grain, std::memory_order_relaxed);
    if (begin >= loop.count) return;
    try {
      (*loop.body)(begin, std::min(loop.count, begin + loop.grain));
    } catch (...) {
      // No range is handed out any more. This thread's hold on the exception ends with the block, before it
      // leaves the loop: the caller, who waits for that, is then the only owner.
      loop.next.store(loop.count, std::memory_order_relaxed);
      const std::lock_guard lock(loop.mutex);
      if (!loop.error) loop.error = std::current_exception();
    }
  }
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stop_ || !loops_.empty(); });
    if (stop_) return;
    // The newest loop first: it is the innermost one, and its caller is waiting for it.
    Loop* loop = loops_.back();
    {
      const std::lock_guard loop_lock(loop->mutex);
      ++loop->helpers;
    }
    lock.unlock();
    run(*loop);
    lock.lock();
    // All ranges are handed out: nobody else needs to join.
    std::erase(loops_, loop);
    const std::lock_guard loop_lock(loop->mutex);
    if (--loop->helpers == 0) loop->done.notify_all();
  }
}

void ThreadPool::parallel_for(std::size_t count, std::size_t grain,
                              const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  grain = std::max<std::size_t>(grain, 1);
  if (workers_.empty() || count <= grain) {
    for (std::size_t begin = 0; begin < count; begin += grain) body(begin, std::min(count, begin + grain));
    return;
  }
  Loop loop{count, grain, &body, {}, {}, {}, 0, {}};
  {
    const std::lock_guard lock(mutex_);
    loops_.push_back(&loop);
  }
  wake_.notify_all();
  run(loop);
  {
    const std::lock_guard lock(mutex_);
    std::erase(loops_, &loop);
  }
  // No worker can join any more; wait for those that did.
  std::unique_lock lock(loop.mutex);
  loop.done.wait(lock, [&loop] { return loop.helpers == 0; });
  lock.unlock();
  if (loop.error) std::rethrow_exception(std::move(loop.error));
}

}  // namespace cuzk
