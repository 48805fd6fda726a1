#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "cuzk/engine/job.h"

namespace cuzk::server {

/// Threads for work that must not run on the RPC library's own threads, of which there are few: reading and
/// checking a request of 200 MB takes seconds, and GetStatus must not wait for it. The most urgent first,
/// then first come, first served. One more thread takes nothing but what is critical, so that this waits for
/// nothing that has begun and is not. It has no bound of its own: whoever posts has a place at the gate.
class WorkPool {
 public:
  /// `threads`: for all, beside the one. Throws std::system_error when not even one thread can be had.
  explicit WorkPool(unsigned threads);
  /// Runs everything that was posted, then ends.
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  /// Thread-safe. `work` must not throw anything but std::bad_alloc, which ends the process.
  void post(engine::Priority priority, std::function<void()> work);

 private:
  /// Less is sooner: how much the priority lacks of the highest, and when it was posted.
  using Rank = std::pair<unsigned, std::uint64_t>;
  static constexpr unsigned kMostUrgent = static_cast<unsigned>(engine::Priority::kCritical);

  void run(bool only_critical);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Rank, std::function<void()>> work_;  // guarded by mutex_
  std::uint64_t posted_ = 0;                    // guarded by mutex_
  bool stop_ = false;                           // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace cuzk::server
