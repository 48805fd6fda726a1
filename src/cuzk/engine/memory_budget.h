#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cuzk/base/result.h"

namespace cuzk::engine {

/// What the engine's memory is reserved for.
enum class MemoryUse : std::uint8_t {
  kKeys,       ///< parameters that are loaded or being loaded, and what devices keep of them in host memory
  kShapes,     ///< recorded circuits
  kLaunches,   ///< one launch of each loaded circuit on every device, beside witness and Prepared
  kWitnesses,  ///< partitions between admission and the end of their launch
  kRequests,   ///< requests that are being read, and the statements of jobs that are not settled
  kResults,    ///< retained results
};
inline constexpr std::size_t kMemoryUses = 6;
/// "keys", "shapes", "launches", "witnesses", "requests", "results".
[[nodiscard]] constexpr std::string_view to_string(MemoryUse use) {
  constexpr std::string_view kNames[] = {"keys", "shapes", "launches", "witnesses", "requests", "results"};
  return kNames[static_cast<std::size_t>(use)];
}

/// The bytes that the engine may plan with, and those that are spoken for. Two parts that do not borrow from
/// one another: one for requests and results, the rest for what proves. So requests that wait cannot take the
/// memory without which none of them could be proved, and proving never keeps requests out. Not thread-safe:
/// the engine's mutex guards it.
class MemoryBudget {
 public:
  /// `requests` of the `total` bytes are the part for requests and results.
  MemoryBudget(std::uint64_t total, std::uint64_t requests) : total_(total), requests_(requests) {
    CUZK_CHECK(requests <= total);
  }

  [[nodiscard]] bool fits(MemoryUse use, std::uint64_t bytes) const { return bytes <= available(use); }
  /// Bytes of the part that `use` belongs to which are not spoken for.
  [[nodiscard]] std::uint64_t available(MemoryUse use) const {
    const std::uint64_t taken =
        for_requests(use) ? reserved(MemoryUse::kRequests) + reserved(MemoryUse::kResults)
                          : reserved() - reserved(MemoryUse::kRequests) - reserved(MemoryUse::kResults);
    return taken < room(use) ? room(use) - taken : 0;
  }
  /// For what fits, or is there already: may exceed the total, and then nothing more fits until enough came
  /// back.
  void take(MemoryUse use, std::uint64_t bytes) {
    reserved_[static_cast<std::size_t>(use)] += bytes;
    peak_ = std::max(peak_, reserved());
  }
  void release(MemoryUse use, std::uint64_t bytes) {
    CUZK_CHECK(bytes <= reserved(use));
    reserved_[static_cast<std::size_t>(use)] -= bytes;
  }

  [[nodiscard]] std::uint64_t total() const { return total_; }
  /// The part that `use` belongs to.
  [[nodiscard]] std::uint64_t room(MemoryUse use) const {
    return for_requests(use) ? requests_ : total_ - requests_;
  }
  [[nodiscard]] std::uint64_t reserved() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t bytes : reserved_) sum += bytes;
    return sum;
  }
  [[nodiscard]] std::uint64_t reserved(MemoryUse use) const {
    return reserved_[static_cast<std::size_t>(use)];
  }
  [[nodiscard]] const std::array<std::uint64_t, kMemoryUses>& by_use() const { return reserved_; }
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

 private:
  static bool for_requests(MemoryUse use) {
    return use == MemoryUse::kRequests || use == MemoryUse::kResults;
  }

  std::uint64_t total_;
  std::uint64_t requests_;
  std::array<std::uint64_t, kMemoryUses> reserved_{};
  std::uint64_t peak_ = 0;
};

}  // namespace cuzk::engine
