#pragma once

#include <atomic>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "cuzk/base/result.h"

namespace cuzk::groth16 {

/// The failure of the lowest index, whatever the order in which the threads of a loop find theirs.
class FirstFailure {
 public:
  void note(std::size_t index, Error error) {
    const std::lock_guard lock(mutex_);
    if (index >= index_.load(std::memory_order_relaxed)) return;
    index_.store(index, std::memory_order_relaxed);
    error_ = std::move(error);
  }
  /// Whether something below `index` has failed already.
  [[nodiscard]] bool before(std::size_t index) const {
    return index_.load(std::memory_order_relaxed) < index;
  }
  /// After the loop.
  [[nodiscard]] Result<void> result() const {
    if (error_) return *error_;
    return {};
  }

 private:
  std::mutex mutex_;
  std::atomic<std::size_t> index_{std::numeric_limits<std::size_t>::max()};
  std::optional<Error> error_;  // guarded by mutex_
};

}  // namespace cuzk::groth16
