#pragma once

#include "cuzk/field/montgomery.h"

namespace cuzk {

/// The base field of BLS12-381, 381 bits:
/// p = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab.
struct FpParams {
  static constexpr std::size_t kLimbs = 6;
  static constexpr BigInt<6> kModulus{{0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,
                                       0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a}};
};
using Fp = Montgomery<FpParams>;

}  // namespace cuzk
