#pragma once

#include "cuzk/curve/point.h"

namespace cuzk {

/// |z| of the curve family's parameter z = -0xd201000000010000 (64 bits, six of them set).
inline constexpr std::uint64_t kCurveParameterAbs = 0xd201000000010000;

/// The endomorphism (x, y) -> (beta x, y) of E1, beta = 0x5f19672f...fffefffe a cube root of unity. On G1 it
/// acts as multiplication by -z^2.
CUZK_HD constexpr G1Affine g1_endomorphism(const G1Affine& p) {
  constexpr Fp kBeta{{0x30f1361b798a64e8, 0xf3b8ddab7ece5a2a, 0x16a8ca3ac61577f7, 0xc26a2ff874fd029b,
                      0x3636b76660701c6e, 0x051ba4ab241b6160}};
  return {p.x * kBeta, p.y};
}

/// psi, the Frobenius map of the twist taken through the untwisting isomorphism:
/// (x, y) -> (conj(x) / xi^((p-1)/3), conj(y) / xi^((p-1)/2)). On G2 it acts as multiplication by z.
CUZK_HD constexpr G2Affine g2_endomorphism(const G2Affine& p) {
  constexpr Fp2 kX{Fp::zero(), Fp{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c,
                                   0xa20d1b8c7e881024, 0x14e4f04fe2db9068, 0x14e56d3f1564853a}}};
  constexpr Fp2 kY{Fp{{0x3e2f585da55c9ad1, 0x4294213d86c18183, 0x382844c88b623732, 0x92ad2afd19103e18,
                       0x1d794e4fac7cf0b9, 0x0bd592fc7d825ec8}},
                   Fp{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7,
                       0x2da2596696cebc1d, 0x0e2b7eedbbfd87d2}}};
  return {p.x.conjugate() * kX, p.y.conjugate() * kY};
}

/// [|z|] p: 63 doublings and 5 additions. `Point` is Affine or Jacobian.
template <class Point>
CUZK_HD constexpr Jacobian<typename Point::Field> mul_by_parameter_abs(const Point& p) {
  return mul(p, BigInt<1>{{kCurveParameterAbs}});
}

/// Whether a point that is known to lie on its curve has order 1 or r. Infinity passes. Complete and sound:
/// M. Scott, "A note on group membership tests for G1, G2 and GT on BLS pairing-friendly curves" (eprint
/// 2021/1130).
CUZK_HD constexpr bool in_subgroup(const G1Affine& p) {
  if (p.is_infinity()) return true;
  return -mul_by_parameter_abs(mul_by_parameter_abs(p)) == g1_endomorphism(p);
}
CUZK_HD constexpr bool in_subgroup(const G2Affine& p) {
  if (p.is_infinity()) return true;
  return -mul_by_parameter_abs(p) == g2_endomorphism(p);
}

/// [r] p == O: the definition, for tests and for whoever wants to spend 255 doublings.
template <class F>
CUZK_HD constexpr bool in_subgroup_plain(const Affine<F>& p) {
  return mul(p, Fr::modulus()).is_infinity();
}

}  // namespace cuzk
