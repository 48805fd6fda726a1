#pragma once

#include <atomic>
#include <cstdint>

namespace cuzk::cuda {

/// Bytes of host memory that streamed keys may still have page-locked. What is page-locked cannot be swapped
/// out, so a program that locks most of a machine's memory hurts everybody: devices of one machine share one
/// budget. Thread-safe.
class PinnedBudget {
 public:
  explicit PinnedBudget(std::uint64_t bytes) : left_(static_cast<std::int64_t>(bytes)) {}
  PinnedBudget(const PinnedBudget&) = delete;
  PinnedBudget& operator=(const PinnedBudget&) = delete;

  /// What may be page-locked of so much memory: three quarters.
  static constexpr std::uint64_t share_of(std::uint64_t memory) { return memory / 4 * 3; }
  /// Of the machine's physical memory. Does not know a cgroup's limit, which is the caller's to ask for.
  static std::uint64_t of_machine();

  /// All of it or nothing.
  [[nodiscard]] bool take(std::uint64_t bytes) {
    std::int64_t left = left_;
    while (left >= 0 && static_cast<std::uint64_t>(left) >= bytes)
      if (left_.compare_exchange_weak(left, left - static_cast<std::int64_t>(bytes))) return true;
    return false;
  }
  /// For what must be page-locked; others get nothing until enough came back.
  void take_anyway(std::uint64_t bytes) { left_ -= static_cast<std::int64_t>(bytes); }
  void give_back(std::uint64_t bytes) { left_ += static_cast<std::int64_t>(bytes); }

 private:
  std::atomic<std::int64_t> left_;
};

}  // namespace cuzk::cuda
