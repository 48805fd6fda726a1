#pragma once

#include "cuzk/field/fp.h"

namespace cuzk {

struct Fp2;
#if CUZK_HOST_X86
namespace internal {
/// The products below with fewer reductions (field/host_x86.cc). r may be an operand.
void fp2_product(Fp2& r, const Fp2& a, const Fp2& b);
void fp2_square(Fp2& r, const Fp2& a);
}  // namespace internal
#endif

/// The quadratic extension Fp2 = Fp[u] / (u^2 + 1); the element is c0 + c1 u. In memory c0 comes first (96
/// bytes).
struct Fp2 {
  Fp c0;
  Fp c1;

  // ---- constants
  CUZK_HD static constexpr Fp2 zero() { return Fp2{}; }
  CUZK_HD static constexpr Fp2 one() { return {Fp::one(), Fp::zero()}; }
  /// xi = 1 + u, the non-residue that defines the tower above and the twist.
  CUZK_HD static constexpr Fp2 xi() { return {Fp::one(), Fp::one()}; }
  CUZK_HD static constexpr Fp2 from_u64(std::uint64_t v) { return {Fp::from_u64(v), Fp::zero()}; }

  // ---- tests
  CUZK_HD friend constexpr bool operator==(const Fp2& a, const Fp2& b) {
    return a.c0 == b.c0 && a.c1 == b.c1;
  }
  CUZK_HD constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
  CUZK_HD constexpr bool is_one() const { return c0.is_one() && c1.is_zero(); }

  // ---- arithmetic
  CUZK_HD friend constexpr Fp2 operator+(const Fp2& a, const Fp2& b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
  CUZK_HD friend constexpr Fp2 operator-(const Fp2& a, const Fp2& b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
  CUZK_HD constexpr Fp2 operator-() const { return {-c0, -c1}; }
  CUZK_HD constexpr Fp2 dbl() const { return {c0.dbl(), c1.dbl()}; }
  CUZK_HD constexpr Fp2 conjugate() const { return {c0, -c1}; }

  CUZK_HD friend CUZK_INLINE constexpr Fp2 operator*(const Fp2& a, const Fp2& b) {
#if CUZK_HOST_X86_CODE
    if (!std::is_constant_evaluated()) {
      Fp2 r;
      internal::fp2_product(r, a, b);
      return {r.c0.in_words(), r.c1.in_words()};
    }
#endif
    return mul_plain(a, b);
  }
  CUZK_HD CUZK_INLINE constexpr Fp2 square() const {
#if CUZK_HOST_X86_CODE
    if (!std::is_constant_evaluated()) {
      Fp2 r;
      internal::fp2_square(r, *this);
      return {r.c0.in_words(), r.c1.in_words()};
    }
#endif
    return square_plain();
  }
  CUZK_HD friend constexpr Fp2 operator*(const Fp2& a, const Fp& b) {
    return {a.c0 * b, a.c1 * b};
  }

  /// The definition, by Karatsuba: three products of Fp.
  CUZK_HD static constexpr Fp2 mul_plain(const Fp2& a, const Fp2& b) {
    const Fp t0 = a.c0 * b.c0;
    const Fp t1 = a.c1 * b.c1;
    const Fp cross = (a.c0 + a.c1) * (b.c0 + b.c1);
    return {t0 - t1, cross - t0 - t1};
  }
  /// (c0 + c1)(c0 - c1) + 2 c0 c1 u: two products of Fp.
  CUZK_HD constexpr Fp2 square_plain() const {
    return {(c0 + c1) * (c0 - c1), (c0 * c1).dbl()};
  }
  /// this * (1 + u), without a product.
  CUZK_HD constexpr Fp2 mul_by_xi() const {
    return {c0 - c1, c0 + c1};
  }

  CUZK_HD constexpr Fp2& operator+=(const Fp2& b) {
    return *this = *this + b;
  }
  CUZK_HD constexpr Fp2& operator-=(const Fp2& b) {
    return *this = *this - b;
  }
  CUZK_HD constexpr Fp2& operator*=(const Fp2& b) {
#if CUZK_HOST_X86_CODE
    if (!std::is_constant_evaluated()) {
      internal::fp2_product(*this, *this, b);
      return *this;
    }
#endif
    return *this = *this * b;
  }

  /// c0^2 + c1^2, the product with the conjugate.
  CUZK_HD constexpr Fp norm() const {
    return c0.square() + c1.square();
  }
  /// Multiplicative inverse (one inversion of Fp); the inverse of 0 is 0.
  CUZK_HD constexpr Fp2 inverse() const {
    const Fp n = norm().inverse();
    return {c0 * n, -(c1 * n)};
  }

  /// this^exponent; 0^0 is 1.
  template <std::size_t M>
  CUZK_HD constexpr Fp2 pow(const BigInt<M>& exponent) const {
    Fp2 r = one();
    for (std::size_t i = exponent.bit_length(); i-- > 0;) {
      r = r.square();
      if (exponent.bit(i)) r = r * *this;
    }
    return r;
  }
};

/// Square root in Fp2: true and one of the two roots, or false (`root` untouched) when `a` is not a square.
///
/// Complex method: with s = sqrt(norm a) and t = (c0 + s) / 2, the root is (sqrt t, c1 / (2 sqrt t)). When t
/// is no square in Fp, t' = (c0 - s) / 2 is one, and t t' = -(c1 / 2)^2 gives its root from the same power of
/// t.
CUZK_HD constexpr bool fp2_sqrt(const Fp2& a, Fp2& root) {
  Fp2 candidate{};
  if (a.c1.is_zero()) {
    // sqrt(c0), or u sqrt(-c0): one of the two exists since -1 is not a square in Fp.
    if (!fp_sqrt(a.c0, candidate.c0) && !fp_sqrt(-a.c0, candidate.c1)) return false;
  } else {
    constexpr Fp kHalf =
        Fp::from_int({{0xdcff7fffffffd556, 0x0f55ffff58a9ffff, 0xb39869507b587b12, 0xb23ba5c279c2895f,
                       0x258dd3db21a5d66b, 0x0d0088f51cbff34d}});  // (p + 1) / 2
    Fp s{};
    if (!fp_sqrt(a.norm(), s)) return false;
    const Fp t = (a.c0 + s) * kHalf;  // not 0, because c1 is not
    const Fp w = t.pow(kFpSqrtExponent);
    const Fp wt = w * t;
    const Fp half_c1_w = a.c1 * kHalf * w;
    // w^2 t is 1 for a square t, else -1.
    candidate = wt.square() == t ? Fp2{wt, half_c1_w} : Fp2{half_c1_w, -wt};
  }
  if (!(candidate.square() == a)) return false;
  root = candidate;
  return true;
}

/// The sign bit of the point encodings for Fp2: decided by c1, or by c0 where c1 is zero.
CUZK_HD constexpr bool fp2_is_larger(const Fp2& a) {
  return a.c1.is_zero() ? fp_is_larger(a.c0) : fp_is_larger(a.c1);
}

}  // namespace cuzk
