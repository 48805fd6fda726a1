#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace cuzk::server {

/// Threads for work that must not run on the RPC library's own threads, of which there are few: reading and
/// checking a request of 200 MB takes seconds, and GetStatus must not wait for it. First come, first served.
class WorkPool {
 public:
  /// Throws std::system_error when not even one thread can be had.
  explicit WorkPool(unsigned threads);
  /// Runs everything that was posted, then ends.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// Thread-safe. `work` must not throw anything but std::bad_alloc, which ends the process.
  void post(std::function<void()> work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> work_;  // guarded by mutex_
  bool stop_ = false;                       // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace cuzk::server
