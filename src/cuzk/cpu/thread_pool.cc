#include "cuzk/cpu/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string>

namespace cuzk {

struct ThreadPool::Loop {
  std::size_t count;
  std::size_t grain;
  const std::function<void(std::size_t, std::size_t)>* body;
  std::atomic<std::size_t> next{0};

  std::mutex mutex;
  std::condition_variable done;
  unsigned helpers = 0;  // guarded by ThreadPool::mutex_ for entering, by `mutex` for leaving
};

unsigned ThreadPool::available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned n = std::max(1U, std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof set, &set) == 0) n = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (quota_file >> quota >> period && quota != "max" && period > 0) {
    const double processors = std::stod(quota) / period;
    n = std::min(n, std::max(1U, static_cast<unsigned>(processors + 0.5)));
  }
  return n;
}

ThreadPool::ThreadPool(unsigned threads) {
  if (threads == 0) threads = available_processors();
  workers_.reserve(threads - 1);
  for (unsigned i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run(Loop& loop) {
  while (true) {
    const std::size_t begin = loop.next.fetch_add(loop.grain, std::memory_order_relaxed);
    if (begin >= loop.count) return;
    (*loop.body)(begin, std::min(loop.count, begin + loop.grain));
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
  Loop loop{count, grain, &body, {}, {}, {}, 0};
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
}

}  // namespace cuzk
