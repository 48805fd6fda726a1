#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "cuzk/engine/job.h"

namespace cuzk::server {

/// The latest results, for the status page. Thread-safe.
class History {
 public:
  static constexpr std::size_t kEntries = 100;

  struct Entry {
    std::shared_ptr<const engine::JobResult> result;  ///< without the proof's bytes
    std::chrono::steady_clock::time_point finished;
    std::size_t proof_bytes = 0;
  };

  void add(const engine::JobResult& result);
  /// Newest first.
  [[nodiscard]] std::vector<Entry> latest() const;

 private:
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // guarded by mutex_; newest first
};

}  // namespace cuzk::server
