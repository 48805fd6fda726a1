#pragma once

#include <cstddef>
#include <cstdint>

#include "cuzk/field/fr.h"

namespace cuzk::msm_detail {

/// A digit of a scalar: magnitude * 2, plus 1 when negative. Codes 0 and 1 are the digit zero.
using DigitCode = std::uint32_t;

/// Radix 2^bits with signed digits in [-2^(bits-1), 2^(bits-1)], `count` of them, for every scalar below r.
///
/// A scalar k above r/2 stands for -(r - k), so that the value recoded is below 2^254 and its sign goes to
/// the digits. Adding 2^(bits-1) in every window but the top one turns the carries of the signed recoding
/// into one addition: digit w is window w of the sum less 2^(bits-1), independently of the others.
class SignedWindows {
 public:
  /// 1 <= bits <= 24.
  explicit SignedWindows(unsigned bits);

  [[nodiscard]] unsigned bits() const { return bits_; }
  [[nodiscard]] unsigned count() const { return count_; }
  /// Magnitudes of non-zero digits are 1 to buckets().
  [[nodiscard]] std::size_t buckets() const { return std::size_t{1} << (bits_ - 1); }

  /// The digits of k (canonical), least significant first, to out[0], out[stride], ...
  void recode(const FrInt& k, DigitCode* out, std::size_t stride) const {
    FrInt v = k;
    std::uint32_t negative = 0;
    if (FrInt::compare(v, kHalf) > 0) {
      std::uint64_t borrow = 0;
      for (std::size_t i = 0; i < 4; ++i)
        v.limb[i] = detail::sub_borrow(FrParams::kModulus.limb[i], k.limb[i], borrow);
      negative = 1;
    }
    std::uint64_t carry = 0;
    std::uint64_t words[5];
    for (std::size_t i = 0; i < 4; ++i) words[i] = detail::add_carry(v.limb[i], bias_.limb[i], carry);
    words[4] = 0;  // the sum is below 2^255
    const std::uint32_t mask = (std::uint32_t{1} << bits_) - 1;
    const auto half = static_cast<std::int32_t>(buckets());
    for (unsigned w = 0; w < count_; ++w) {
      const unsigned position = w * bits_;
      const unsigned shift = position % 64;
      std::uint64_t low = words[position / 64] >> shift;
      if (shift != 0) low |= words[position / 64 + 1] << (64 - shift);
      const auto window = static_cast<std::int32_t>(static_cast<std::uint32_t>(low) & mask);
      const std::int32_t digit = w + 1 < count_ ? window - half : window;
      const std::int32_t sign = digit >> 31;
      const auto magnitude = static_cast<std::uint32_t>((digit ^ sign) - sign);
      out[w * stride] = magnitude << 1 | ((static_cast<std::uint32_t>(sign) & 1) ^ negative);
    }
  }

 private:
  /// (r - 1) / 2, the largest value that is recoded as it is.
  static constexpr FrInt kHalf{
      {0x7fffffff80000000, 0xa9ded2017fff2dff, 0x199cec0404d0ec02, 0x39f6d3a994cebea4}};

  unsigned bits_;
  unsigned count_;
  FrInt bias_{};
};

}  // namespace cuzk::msm_detail
