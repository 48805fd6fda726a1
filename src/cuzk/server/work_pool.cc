#include "cuzk/server/work_pool.h"

#include <system_error>

namespace cuzk::server {

WorkPool::WorkPool(unsigned threads) {
  for (unsigned i = 0; i <= threads; ++i) {
    try {
      threads_.emplace_back([this, only_critical = i == threads] { run(only_critical); });
    } catch (const std::system_error&) {
      if (threads_.empty()) throw;
      break;  // fewer will do
    }
  }
}

WorkPool::~WorkPool() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
}

void WorkPool::post(engine::Priority priority, std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    work_.emplace(Rank{kMostUrgent - static_cast<unsigned>(priority), posted_++}, std::move(work));
  }
  wake_.notify_all();  // one might be the thread that does not take it
}

void WorkPool::run(bool only_critical) {
  std::unique_lock guard(mutex_);
  const auto has_work = [&] { return !work_.empty() && (!only_critical || work_.begin()->first.first == 0); };
  for (;;) {
    wake_.wait(guard, [&] { return stop_ || has_work(); });
    if (!has_work()) return;
    const std::function<void()> work = std::move(work_.begin()->second);
    work_.erase(work_.begin());
    guard.unlock();
    work();
    guard.lock();
  }
}

}  // namespace cuzk::server
