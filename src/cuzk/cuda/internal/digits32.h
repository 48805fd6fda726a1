#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"

namespace cuzk::cuda {

/// Of the widest windows. A bucket among those of all windows, and a sign, have less than 32 bits.
inline constexpr unsigned kMostWindowBits = 26;

/// Signed digits of scalars, as msm/internal/digits.h has them on the host: radix 2^bits, digits in
/// [-2^(bits-1), 2^(bits-1)]; a scalar k above (r-1)/2 stands for -(r - k). Adding 2^(bits-1) in every window
/// but the top one turns the carries of the recoding into one addition.
struct DigitWindows {
  unsigned bits;
  unsigned count;
  std::uint32_t bias[8];

  /// 2 <= bits <= kMostWindowBits.
  explicit DigitWindows(unsigned window_bits) : bits(window_bits), count(1), bias{} {
    // The top window holds what is left of (r - 1) / 2 and a carry; it must not exceed the largest digit.
    while (half_above(bits * (count - 1)) + 1 > buckets()) ++count;
    for (unsigned w = 0; w + 1 < count; ++w) {
      const unsigned position = w * bits + bits - 1;
      bias[position / 32] |= std::uint32_t{1} << (position % 32);
    }
  }
  /// Magnitudes of digits other than zero are 1 to buckets().
  [[nodiscard]] CUZK_HD std::uint32_t buckets() const { return std::uint32_t{1} << (bits - 1); }

 private:
  /// (r - 1) / 2 without its low bits, saturated.
  static std::uint64_t half_above(unsigned shift) {
    std::uint64_t top = 0;
    for (unsigned bit = 254; bit-- > shift;) {
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

/// Digit w: magnitude * 2, plus 1 when negative.
CUZK_HD inline std::uint32_t digit_code(const DigitWindows& windows, const BiasedScalar& k, unsigned w) {
  const unsigned position = w * windows.bits;
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
  const std::uint32_t window =
      static_cast<std::uint32_t>(pair >> (position % 32)) & ((std::uint32_t{1} << windows.bits) - 1);
  const auto digit = static_cast<std::int32_t>(window) -
                     (w + 1 < windows.count ? static_cast<std::int32_t>(windows.buckets()) : 0);
  const std::int32_t sign = digit >> 31;
  const auto magnitude = static_cast<std::uint32_t>((digit ^ sign) - sign);
  return magnitude << 1 | ((static_cast<std::uint32_t>(sign) & 1) ^ k.negative);
}

}  // namespace cuzk::cuda
