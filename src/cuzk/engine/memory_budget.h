#pragma once

#include <algorithm>
#include <cstdint>

#include "cuzk/base/result.h"

namespace cuzk::engine {

/// The bytes that the engine may plan with, and those that are spoken for. Not thread-safe: the engine's
/// mutex guards it.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::uint64_t total) : total_(total) {}

  [[nodiscard]] bool fits(std::uint64_t bytes) const {
    return reserved_ <= total_ && bytes <= total_ - reserved_;
  }
  [[nodiscard]] bool reserve(std::uint64_t bytes) {
    if (!fits(bytes)) return false;
    take(bytes);
    return true;
  }
  /// For what exists already: may exceed the total, and then nothing is admitted until enough came back.
  void take(std::uint64_t bytes) {
    reserved_ += bytes;
    peak_ = std::max(peak_, reserved_);
  }
  void release(std::uint64_t bytes) {
    CUZK_CHECK(bytes <= reserved_);
    reserved_ -= bytes;
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] std::uint64_t reserved() const { return reserved_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  std::uint64_t total_;
  std::uint64_t reserved_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace cuzk::engine
