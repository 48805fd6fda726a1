#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cuzk/engine/memory_budget.h"

namespace cuzk::engine {

/// Memory that was let go and still counts as taken, because somebody may hold it: it goes back to the budget
/// when the last reference is gone. Not thread-safe: the engine's mutex guards it.
class FreedMemory {
 public:
  explicit FreedMemory(MemoryBudget& budget) : budget_(budget) {}

  /// `bytes` are free when nobody holds any of `owners`.
  void add(MemoryUse use, std::uint64_t bytes, std::vector<std::weak_ptr<const void>> owners) {
    bytes_[static_cast<std::size_t>(use)] += bytes;
    entries_.push_back({use, bytes, std::move(owners)});
  }

  /// Gives back what nobody holds any more; whether that was anything.
  bool collect() {
    return std::erase_if(entries_, [&](const Entry& entry) {
             for (const auto& owner : entry.owners)
               if (!owner.expired()) return false;
             bytes_[static_cast<std::size_t>(entry.use)] -= entry.bytes;
             budget_.release(entry.use, entry.bytes);
             return true;
           }) > 0;
  }

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] std::uint64_t bytes(MemoryUse use) const { return bytes_[static_cast<std::size_t>(use)]; }
  /// Of what is for proving: not for requests and results.
  [[nodiscard]] std::uint64_t for_proving() const {
    return bytes() - bytes(MemoryUse::kRequests) - bytes(MemoryUse::kResults);
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : bytes_) sum += bytes;
    return sum;
  }

 private:
  struct Entry {
    MemoryUse use;
    std::uint64_t bytes;
    std::vector<std::weak_ptr<const void>> owners;
  };
  MemoryBudget& budget_;
  std::vector<Entry> entries_;
  std::array<std::uint64_t, kMemoryUses> bytes_{};
};

}  // namespace cuzk::engine
