#include "cuzk/msm/internal/digits.h"

#include "cuzk/base/result.h"

namespace cuzk::msm_detail {
namespace {

/// (r - 1) / 2 shifted down by `shift` bits, saturated to 32 bits.
std::uint64_t half_modulus_above(unsigned shift) {
  std::uint64_t top = 0;
  for (unsigned bit = 254; bit-- > shift;) {
    // Bit `bit` of (r - 1) / 2 is bit + 1 of r.
    top = top << 1 | static_cast<std::uint64_t>(FrParams::kModulus.bit(bit + 1));
    if (top >= std::uint64_t{1} << 32) return std::uint64_t{1} << 32;
  }
  return top;
}

}  // namespace

SignedWindows::SignedWindows(unsigned bits) : bits_(bits), count_(1) {
  CUZK_CHECK(bits >= 1 && bits <= 24);
  // The top window holds what is left of (r - 1) / 2 and one carry; it must not exceed the largest digit.
  while (half_modulus_above(bits * (count_ - 1)) + 1 > buckets()) ++count_;
  for (unsigned w = 0; w + 1 < count_; ++w) {
    const unsigned position = w * bits + bits - 1;
    bias_.limb[position / 64] |= std::uint64_t{1} << (position % 64);
  }
}

}  // namespace cuzk::msm_detail
