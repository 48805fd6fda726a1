#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"

namespace cuzk::cuda {

/// A factor w known beforehand: its value (not in Montgomery form, reduced) with floor(2^256 w / r). A
/// product by it takes 86 wide and 14 narrow products of limbs where a Montgomery product takes 112 and 8,
/// and has no chain of eight words that wait for each other: 80 against 62 G/s on an H200
/// (docs/experiments.md).
struct Factor32 {
  Fr32 value;
  Fr32 quotient;
};

namespace factor_detail {
/// Limb i of 2^256 - r, without the two low ones, which are 2^32 - 1 and 0.
CUZK_HD constexpr std::uint32_t complement(int i) {
  return i < 2 ? 0 : ~Fr32::modulus(i);
}
static_assert(Fr32::modulus(0) == 1 && Fr32::modulus(1) == 0xffffffffU);

// Two accumulators, as in Field32::product: `even` and `odd` hold the products a_j b_i with j + i even and
// odd, so that the products of a row are aligned pairs whose carries run through. The limb above a row has
// had nothing but carries of rows before, so one more runs no further; where the result is wanted modulo
// 2^256 only, the carry out of the top limb is dropped.

/// acc (limbs of weight `base` and up) += the products a_j b of weight j + i for j = first, first + 2 .. 7,
/// as long as j + i <= last; the carry into the limb above where that is below `end`.
template <class Limb>
CUZK_HD CUZK_INLINE void add_row(std::uint32_t* acc, int base, int end, const Limb& a, int first, int i,
                                 int last, std::uint32_t b) {
  Carry c;
  int k = first + i - base;
  if (first > 7 || first + i > last) return;
  mad_wide_cc(c, acc[k], acc[k + 1], a(first), b, acc[k], acc[k + 1]);
  CUZK_UNROLL
  for (int j = first + 2; j < 8 && j + i <= last; j += 2) {
    k = j + i - base;
    madc_wide_cc(c, acc[k], acc[k + 1], a(j), b, acc[k], acc[k + 1]);
  }
  if (k + 2 + base < end) acc[k + 2] = addc(c, acc[k + 2], 0);
}
/// The same modulo 2^256 for the products of odd weight, j from `least` on: of weight 7 only the low half
/// counts.
template <class Limb>
CUZK_HD CUZK_INLINE void add_odd_row(std::uint32_t* acc, const Limb& a, int least, int i, std::uint32_t b) {
  const int j7 = 7 - i;
  if (j7 < least) return;
  int first = (i + 1) % 2;
  while (first < least) first += 2;
  if (first + i < 7) {
    Carry c;
    int k = first + i;
    mad_wide_cc(c, acc[k], acc[k + 1], a(first), b, acc[k], acc[k + 1]);
    CUZK_UNROLL
    for (int j = first + 2; j + i < 7; j += 2) {
      k = j + i;
      madc_wide_cc(c, acc[k], acc[k + 1], a(j), b, acc[k], acc[k + 1]);
    }
    acc[7] = madc_low(c, a(j7), b, acc[7]);
  } else {
    acc[7] += a(j7) * b;
  }
}
}  // namespace factor_detail

/// A representative of w x mod r for any x below 2^256: below r (1 + x / 2^256 + 2^-29), so below 1.91 r
/// where x is loose. In whichever form x is (plain or Montgomery), the result is.
///
/// With w' the quotient of w, 2^256 w / r - 1 < w' <= 2^256 w / r, so w x / r - x / 2^256 < w' x / 2^256 <=
/// w x / r. q is w' x / 2^256 rounded down, without the products of limbs of weight below 6 and without the
/// carry out of limb 6: together less than (6 + 2^-29) 2^224 + 2^224 < 2^227. Hence w x / r - q is from 0 to
/// 1 + x / 2^256 + 2^-29, and w x - q r, which is r times that, is below 2^256 (r < 0.46 * 2^256): its low
/// half, the only one that is made, says it all. There -r is 2^256 - r, whose low limbs are 2^32 - 1 and 0.
CUZK_HD CUZK_INLINE Fr32 times_factor(const Fr32& value, const Fr32& quotient, const Fr32& x) {
  using namespace factor_detail;
  // acc[k] has weight k, or k + 6 while the quotient is made.
  std::uint32_t even[10];
  std::uint32_t odd[10];
  CUZK_UNROLL
  for (int k = 0; k < 10; ++k) even[k] = odd[k] = 0;
  const auto w_quotient = [&](int j) { return quotient.limb[j]; };
  CUZK_UNROLL
  for (int i = 0; i < 8; ++i) {
    // From the least j with i + j at least 6 and even, or 7 and odd.
    add_row(even, 6, 16, w_quotient, i < 6 ? 6 - i : i % 2, i, 14, x.limb[i]);
    add_row(odd, 6, 16, w_quotient, i < 7 ? 7 - i : 0, i, 14, x.limb[i]);
  }
  std::uint32_t q[8];
  {
    Carry c;
    (void)add_cc(c, even[1], odd[1]);
    CUZK_UNROLL
    for (int k = 0; k < 7; ++k) q[k] = addc_cc(c, even[k + 2], odd[k + 2]);
    q[7] = addc(c, even[9], odd[9]);
  }

  CUZK_UNROLL
  for (int k = 0; k < 8; ++k) even[k] = odd[k] = 0;
  const auto w = [&](int j) { return value.limb[j]; };
  CUZK_UNROLL
  for (int i = 0; i < 8; ++i) {
    add_row(even, 0, 8, w, i % 2, i, 6, x.limb[i]);
    add_odd_row(odd, w, 0, i, x.limb[i]);
  }
  const auto modulus = [](int j) { return complement(j); };
  CUZK_UNROLL
  for (int i = 0; i < 6; ++i) {
    add_row(even, 0, 8, modulus, 2 + i % 2, i, 6, q[i]);
    add_odd_row(odd, modulus, 2, i, q[i]);
  }
  Fr32 r;
  Carry c;
  r.limb[0] = even[0];
  r.limb[1] = add_cc(c, even[1], odd[1]);
  CUZK_UNROLL
  for (int k = 2; k < 7; ++k) r.limb[k] = addc_cc(c, even[k], odd[k]);
  r.limb[7] = addc(c, even[7], odd[7]);
  // + q (2^32 - 1)
  r.limb[1] = add_cc(c, r.limb[1], q[0]);
  CUZK_UNROLL
  for (int k = 2; k < 7; ++k) r.limb[k] = addc_cc(c, r.limb[k], q[k - 1]);
  r.limb[7] = addc(c, r.limb[7], q[6]);
  r.limb[0] = sub_cc(c, r.limb[0], q[0]);
  CUZK_UNROLL
  for (int k = 1; k < 7; ++k) r.limb[k] = subc_cc(c, r.limb[k], q[k]);
  r.limb[7] = subc(c, r.limb[7], q[7]);
  return r;
}

/// The low 256 bits of a product of integers.
CUZK_HD inline Fr32 low_product(const Fr32& a, const Fr32& b) {
  Fr32 r = Fr32::zero();
  for (int i = 0; i < 8; ++i) {
    std::uint64_t carry = 0;
    for (int j = 0; i + j < 8; ++j) {
      carry += std::uint64_t{a.limb[i]} * b.limb[j] + r.limb[i + j];
      r.limb[i + j] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }
  return r;
}
/// -1 / r modulo 2^256, by Newton's iteration; r is 1 modulo 2^32.
inline Fr32 factor_quotient_constant() {
  Fr32 modulus;
  for (int i = 0; i < 8; ++i) modulus.limb[i] = Fr32::modulus(i);
  Fr32 inverse = Fr32::zero();
  inverse.limb[0] = 1;
  // 2 - x, x = r * inverse, is the complement of x and 3 more.
  const auto plus = [](Fr32 v, std::uint64_t carry) {
    for (int i = 0; i < 8; ++i) {
      carry += v.limb[i];
      v.limb[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return v;
  };
  const auto complemented = [](Fr32 v) {
    for (auto& limb : v.limb) limb = ~limb;
    return v;
  };
  for (int bits = 32; bits < 256; bits *= 2)
    inverse = low_product(inverse, plus(complemented(low_product(modulus, inverse)), 3));
  return plus(complemented(inverse), 1);
}
/// From the Montgomery form m of w, reduced: 2^256 w = w' r + m, so w' is m times -1 / r modulo 2^256.
CUZK_HD inline Factor32 factor_of(const Fr32& montgomery, const Fr32& quotient_constant) {
  Fr32 unit = Fr32::zero();
  unit.limb[0] = 1;
  return {Fr32::product(unit, montgomery).reduced(), low_product(montgomery, quotient_constant)};
}

}  // namespace cuzk::cuda
