#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "cuzk/cuda/field32.h"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

// Values and pure functions of them, for any thread.

/// Bits of the widest and the narrowest windows. A bucket among those of all windows, and a sign, have less
/// than 32 bits.
inline constexpr unsigned kMostWindowBits = 26;
inline constexpr unsigned kLeastWindowBits = 3;
/// Digits of a sum that are sorted, and whose buckets are summed, at a time: enough to keep every round busy.
inline constexpr std::uint64_t kDigitsAtATime = std::uint64_t{1} << 27;

/// Signed digits of scalars, as msm/internal/digits.h has them on the host, but in windows whose widths
/// differ by one bit where that covers a scalar with fewer bits left over: a digit of b bits lies in
/// [-2^(b-1), 2^(b-1)]; a scalar k above (r-1)/2 stands for -(r - k). Adding 2^(b-1) in every window but the
/// top one turns the carries of the recoding into one addition.
///
/// Where 2^(shift j) P stands beside every base P, for j = 0 to multiples - 1, a digit of window s + j sets
/// of P is one of window s of that multiple: the windows s, s + sets, s + 2 sets, ... share buckets and make
/// set s. So they lie `shift` bits apart and are equally wide: the widths repeat after `sets` windows, whose
/// first `narrow` have narrow_bits bits and the others one more. The first `whole` sets have `multiples`
/// windows, the others one less.
struct DigitWindows {
  unsigned count;
  unsigned sets;
  unsigned multiples;
  unsigned whole;
  unsigned shift;
  unsigned narrow_bits;
  unsigned narrow;
  std::uint32_t bias[8];

  /// `windows` (from 1) of them at the most, in the fewest sets that at most `most_multiples` (from 1) allow,
  /// with as few bits as cover a scalar, and as few windows and multiples as these need.
  DigitWindows(unsigned windows, unsigned most_multiples)
      : count(windows), sets((windows + most_multiples - 1) / most_multiples), bias{} {
    for (shift = std::max(254 / ((windows + sets - 1) / sets), 2 * sets);; ++shift) {
      narrow_bits = shift / sets;
      narrow = sets - shift % sets;
      if (covers(count)) break;
    }
    while (covers(count - 1)) --count;
    multiples = (count + sets - 1) / sets;
    whole = count - sets * (multiples - 1);
    for (unsigned w = 0; w + 1 < count; ++w) {
      const unsigned position = place(w % sets, w / sets) + width(w % sets) - 1;
      bias[position / 32] |= std::uint32_t{1} << (position % 32);
    }
  }
  explicit DigitWindows(const MsmWindows& windows) : DigitWindows(windows.count, windows.multiples) {}

  /// Bits of a window of a set.
  [[nodiscard]] CUZK_HD unsigned width(unsigned set) const { return narrow_bits + (set < narrow ? 0 : 1); }
  [[nodiscard]] CUZK_HD unsigned widest() const { return width(sets - 1); }
  /// The lowest bit of the window of `set` that is about multiple `multiple`.
  [[nodiscard]] CUZK_HD unsigned place(unsigned set, unsigned multiple) const {
    return multiple * shift + set * narrow_bits + (set < narrow ? 0 : set - narrow);
  }
  /// Magnitudes of digits other than zero are 1 to buckets(set).
  [[nodiscard]] CUZK_HD std::uint32_t buckets(unsigned set) const {
    return std::uint32_t{1} << (width(set) - 1);
  }
  /// Of the sets before `set`.
  [[nodiscard]] CUZK_HD std::uint64_t buckets_before(unsigned set) const {
    return std::uint64_t{set + (set < narrow ? 0 : set - narrow)} << (narrow_bits - 1);
  }
  [[nodiscard]] CUZK_HD std::uint64_t all_buckets() const { return buckets_before(sets); }
  /// Buckets are combined in rows of 2^low_bits(), and in columns, of which a wide set has two for each place
  /// in a row: so many rows and columns of all sets.
  [[nodiscard]] unsigned low_bits() const { return (widest() - 1) / 2; }
  [[nodiscard]] std::uint64_t rows() const { return all_buckets() >> low_bits(); }
  [[nodiscard]] std::uint64_t columns() const { return std::uint64_t{2 * sets - narrow} << low_bits(); }
  /// Windows in the sets before `set`: where its first one lies, where windows are in the order of sets.
  [[nodiscard]] CUZK_HD unsigned windows_before(unsigned set) const {
    return set * (multiples - 1) + (set < whole ? set : whole);
  }

  /// How many sets of `bases` bases are worked on together where there is memory.
  [[nodiscard]] unsigned sets_at_a_time(std::uint64_t bases) const {
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(kDigitsAtATime / std::max<std::uint64_t>(multiples * bases, 1), 1, sets));
  }
  /// Of any `group` sets that are, the most.
  [[nodiscard]] std::uint64_t most_buckets(unsigned group) const {
    std::uint64_t most = 0;
    for (unsigned set = 0; set < sets; set += group)
      most = std::max(most, buckets_before(std::min(set + group, sets)) - buckets_before(set));
    return most;
  }

 private:
  /// The top one of so many windows holds what is left of (r - 1) / 2 and a carry; it must not exceed the
  /// largest digit.
  [[nodiscard]] bool covers(unsigned windows) const {
    if (windows == 0) return false;
    const unsigned set = (windows - 1) % sets;
    return width(set) > 32 || half_above(place(set, (windows - 1) / sets)) + 1 <= buckets(set);
  }
  /// (r - 1) / 2 without its low bits, saturated.
  static std::uint64_t half_above(unsigned low_bits) {
    std::uint64_t top = 0;
    for (unsigned bit = 254; bit-- > low_bits;) {
      top = top << 1 | static_cast<std::uint64_t>(FrParams::kModulus.bit(bit + 1));
      if (top >= std::uint64_t{1} << 32) return std::uint64_t{1} << 32;
    }
    return top;
  }
};

/// A scalar with the bias added and its sign taken out.
struct BiasedScalar {
  std::uint32_t word[9];  ///< the last one is zero: windows may reach beyond
  std::uint32_t negative;
};

CUZK_HD inline BiasedScalar biased(const DigitWindows& windows, const Fr32& scalar) {
  Fr32 unit = Fr32::zero();
  unit.limb[0] = 1;
  const Fr32 k = scalar * unit;  // out of Montgomery form
  Carry c;
  Fr32 opposite;  // r - k
  opposite.limb[0] = sub_cc(c, Fr32::modulus(0), k.limb[0]);
  CUZK_UNROLL
  for (int i = 1; i < 7; ++i) opposite.limb[i] = subc_cc(c, Fr32::modulus(i), k.limb[i]);
  opposite.limb[7] = subc(c, Fr32::modulus(7), k.limb[7]);
  // k > r - k, that is, k > (r - 1) / 2
  (void)sub_cc(c, opposite.limb[0], k.limb[0]);
  CUZK_UNROLL
  for (int i = 1; i < 8; ++i) (void)subc_cc(c, opposite.limb[i], k.limb[i]);
  const std::uint32_t negative = subc(c, 0, 0) & 1;
  BiasedScalar r;
  r.negative = negative;
  r.word[0] = add_cc(c, negative != 0 ? opposite.limb[0] : k.limb[0], windows.bias[0]);
  CUZK_UNROLL
  for (int i = 1; i < 8; ++i)
    r.word[i] = addc_cc(c, negative != 0 ? opposite.limb[i] : k.limb[i], windows.bias[i]);
  r.word[8] = 0;
  return r;
}

/// The digit of the window of `set` that is about multiple `multiple`: magnitude * 2, plus 1 when negative.
CUZK_HD inline std::uint32_t digit_code(const DigitWindows& windows, const BiasedScalar& k, unsigned set,
                                        unsigned multiple) {
  const unsigned position = windows.place(set, multiple);
  const unsigned at = position / 32;
  // Selected by comparison: the words stay in registers.
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  CUZK_UNROLL
  for (unsigned i = 0; i < 8; ++i)
    if (i == at) {
      low = k.word[i];
      high = k.word[i + 1];
    }
  const auto pair = static_cast<std::uint64_t>(high) << 32 | low;
  const std::uint32_t largest = windows.buckets(set);
  const std::uint32_t window = static_cast<std::uint32_t>(pair >> (position % 32)) & (2 * largest - 1);
  const bool top = multiple * windows.sets + set + 1 == windows.count;
  const auto digit = static_cast<std::int32_t>(window) - (top ? 0 : static_cast<std::int32_t>(largest));
  const std::int32_t sign = digit >> 31;
  const auto magnitude = static_cast<std::uint32_t>((digit ^ sign) - sign);
  return magnitude << 1 | ((static_cast<std::uint32_t>(sign) & 1) ^ k.negative);
}

/// The sums that are computed side by side: where all but the first one begin among the bases.
struct SumBorders {
  unsigned sums;
  std::uint64_t at[kMostSums - 1];

  /// Over counts[0], counts[1], ... bases, kMostSums times at most.
  explicit SumBorders(std::span<const std::uint64_t> counts)
      : sums(static_cast<unsigned>(counts.size())), at{} {
    std::uint64_t end = 0;
    for (unsigned i = 0; i + 1 < sums; ++i) at[i] = end += counts[i];
  }
  [[nodiscard]] CUZK_HD unsigned sum_of(std::uint64_t base) const {
    unsigned sum = 0;
    for (unsigned next = 0; next + 1 < sums; ++next) sum += base >= at[next] ? 1 : 0;
    return sum;
  }
};

/// Where the buckets of the sets first <= set < last of a sum lie that are worked on together, and those of
/// all sums that are computed side by side, each with buckets of its own: set after set, of each set sum
/// after sum, of each sum the magnitudes from 1 on. Digits of zero are behind all buckets.
struct BucketGroup {
  unsigned first;
  unsigned last;

  [[nodiscard]] CUZK_HD std::uint32_t buckets(const DigitWindows& windows, unsigned sums) const {
    return static_cast<std::uint32_t>(sums * (windows.buckets_before(last) - windows.buckets_before(first)));
  }
  /// The digit's number among the group's buckets, times 2, plus 1 when it is negative.
  [[nodiscard]] CUZK_HD std::uint32_t code(const DigitWindows& windows, unsigned sums, unsigned sum,
                                           unsigned set, std::uint32_t digit) const {
    if (digit < 2) return 2 * buckets(windows, sums);
    const std::uint64_t before = sums * (windows.buckets_before(set) - windows.buckets_before(first)) +
                                 std::uint64_t{sum} * windows.buckets(set);
    return digit - 2 + 2 * static_cast<std::uint32_t>(before);
  }
};

}  // namespace cuzk::cuda
