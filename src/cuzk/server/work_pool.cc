#include "cuzk/server/work_pool.h"

#include <system_error>
#include <utility>

namespace cuzk::server {

WorkPool::WorkPool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) {
    try {
      threads_.emplace_back([this] { run(); });
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

void WorkPool::post(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
  }
  wake_.notify_one();
}

void WorkPool::run() {
  std::unique_lock guard(mutex_);
  for (;;) {
    wake_.wait(guard, [this] { return stop_ || !work_.empty(); });
    if (work_.empty()) return;
    const std::function<void()> work = std::move(work_.front());
    work_.pop_front();
    guard.unlock();
    work();
    guard.lock();
  }
}

}  // namespace cuzk::server
