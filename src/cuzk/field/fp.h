#pragma once

#include "cuzk/field/montgomery.h"

namespace cuzk {

/// The base field of BLS12-381, 381 bits:
/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
struct FpParams {
  static constexpr std::size_t kLimbs = 6;
  static constexpr BigInt<6> kModulus{{0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,
                                       0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a}};
#if CUZK_HOST_X86
  /// r = a b / R with mulx and adx where the processor has them (field/host_x86.cc). r may be a or b.
  static void host_product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b);
  /// r = 1 / a, 0 for 0, by division steps (field/inverse.h).
  static void host_inverse(std::uint64_t* r, const std::uint64_t* a);
#endif
};
using Fp = Montgomery<FpParams>;

/// A canonical value of the base field (an integer below p), for serialisation.
using FpInt = BigInt<6>;

/// (p - 3) / 4. Because p = 3 mod 4, w = a^((p-3)/4) carries both the candidate root w a and, for a square a,
/// the inverse root w.
inline constexpr BigInt<6> kFpSqrtExponent{{0xee7fbfffffffeaaa, 0x07aaffffac54ffff, 0xd9cc34a83dac3d89,
                                            0xd91dd2e13ce144af, 0x92c6e9ed90d2eb35, 0x0680447a8e5ff9a6}};

/// Square root: true and one of the two roots in `root`, or false (`root` untouched) when `a` is not a
/// square.
CUZK_HD constexpr bool fp_sqrt(const Fp& a, Fp& root) {
  const Fp candidate = a * a.pow(kFpSqrtExponent);
  if (!(candidate.square() == a)) return false;
  root = candidate;
  return true;
}

/// True iff the canonical value of `a` exceeds (p - 1) / 2, that is, `a` is the larger of {a, -a}: the sign
/// bit of the point encodings.
CUZK_HD constexpr bool fp_is_larger(const Fp& a) {
  constexpr FpInt kHalf{{0xdcff7fffffffd555, 0x0f55ffff58a9ffff, 0xb39869507b587b12, 0xb23ba5c279c2895f,
                         0x258dd3db21a5d66b, 0x0d0088f51cbff34d}};  // (p - 1) / 2
  return FpInt::compare(a.to_int(), kHalf) > 0;
}

}  // namespace cuzk
