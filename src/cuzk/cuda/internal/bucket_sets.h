#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"

namespace cuzk::cuda {

/// Digits of a sum that are sorted, and whose buckets are summed, at a time: enough to keep every round busy.
inline constexpr std::uint64_t kDigitsAtATime = std::uint64_t{1} << 27;

/// Which windows of a sum share buckets. Where 2^(bits count j) P stands beside every base P, for j = 0 to
/// arrays - 1, a digit of window s + count j of P is one of window s of that multiple: the windows s, s +
/// count, s + 2 count, ... make set s. The first `whole` sets have `arrays` windows, the others one less.
struct BucketSets {
  unsigned windows;
  unsigned count;   ///< sets
  unsigned arrays;  ///< of bases, the first one that of P itself
  unsigned whole;

  /// The fewest sets for `windows` windows and at most `most_arrays` (from 1) arrays, and as many arrays as
  /// these need.
  CUZK_HD BucketSets(unsigned windows_, unsigned most_arrays)
      : windows(windows_),
        count((windows_ + most_arrays - 1) / most_arrays),
        arrays((windows_ + count - 1) / count),
        whole(windows_ - count * (arrays - 1)) {}

  /// Windows in the sets before `set`: where its first one lies, where windows are in the order of sets.
  [[nodiscard]] CUZK_HD unsigned windows_before(unsigned set) const {
    return set * (arrays - 1) + (set < whole ? set : whole);
  }
};

}  // namespace cuzk::cuda
