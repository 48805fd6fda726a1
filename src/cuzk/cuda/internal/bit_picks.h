#pragma once

#include <bit>
#include <cstdint>

#include "cuzk/base/hd.h"

namespace cuzk::cuda {

/// The zeros below the lowest one; x is not 0.
CUZK_HD inline unsigned low_zeros(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__ffsll(static_cast<long long>(x))) - 1;
#else
  return static_cast<unsigned>(std::countr_zero(x));
#endif
}
CUZK_HD inline unsigned ones_in(std::uint64_t x) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popcll(x));
#else
  return static_cast<unsigned>(std::popcount(x));
#endif
}

/// Word i of `count` bits; those behind the last are zero.
CUZK_HD inline std::uint64_t word_of(const std::uint64_t* words, std::uint64_t count, std::uint64_t i) {
  const std::uint64_t left = count - 64 * i;
  return left >= 64 ? words[i] : words[i] & ((std::uint64_t{1} << left) - 1);
}
/// Of the pairs of neighbours 2 i and 2 i + 1 in a word, those with a one: the bits 2 i.
CUZK_HD inline std::uint64_t pairs_with_ones(std::uint64_t word) {
  return (word | word >> 1) & 0x5555'5555'5555'5555;
}

/// Which points a sum over a bitmap adds, by index. Of bits without sums of pairs it is the base of every
/// one. Of the others it is a single point for every pair of neighbours 2 i and 2 i + 1 that has a one: the
/// base of the only one, or, of two, the sum of both bases. Of n bits half of which are set that is 3/8 n
/// points in place of n/2, and n/2 (rounded up) at the most.
class BitPicks {
 public:
  /// The first `paired` bits are in pairs, all bits or a multiple of 64 of them; the sum of the first pair is
  /// point `pairs_at`.
  CUZK_HD BitPicks(std::uint32_t paired, std::uint32_t pairs_at) : paired_(paired), pairs_at_(pairs_at) {}

  /// Of word i.
  [[nodiscard]] CUZK_HD unsigned count(std::uint64_t i, std::uint64_t word) const {
    return ones_in(in_pairs(i) ? pairs_with_ones(word) : word);
  }
  /// visit(index) for every point of word i, in the order of the bits.
  template <class Visit>
  CUZK_HD void each(std::uint64_t i, std::uint64_t word, const Visit& visit) const {
    const bool pairs = in_pairs(i);
    for (std::uint64_t left = pairs ? pairs_with_ones(word) : word; left != 0; left &= left - 1) {
      const unsigned bit = low_zeros(left);
      std::uint32_t index = static_cast<std::uint32_t>(64 * i) + bit;
      if (pairs) {
        const auto two = static_cast<unsigned>(word >> bit) & 3;
        index = two == 3 ? pairs_at_ + index / 2 : index + two / 2;
      }
      visit(index);
    }
  }

 private:
  [[nodiscard]] CUZK_HD bool in_pairs(std::uint64_t i) const { return 64 * i < paired_; }

  std::uint32_t paired_;
  std::uint32_t pairs_at_;
};

}  // namespace cuzk::cuda
