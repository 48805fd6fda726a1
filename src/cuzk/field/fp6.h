#pragma once

#include "cuzk/field/fp2.h"

namespace cuzk {

/// The cubic extension Fp6 = Fp2[v] / (v^3 - xi), xi = 1 + u; the element is c0 + c1 v + c2 v^2.
struct Fp6 {
  Fp2 c0;
  Fp2 c1;
  Fp2 c2;

  CUZK_HD static constexpr Fp6 zero() { return Fp6{}; }
  CUZK_HD static constexpr Fp6 one() { return {Fp2::one(), Fp2::zero(), Fp2::zero()}; }
  CUZK_HD friend constexpr bool operator==(const Fp6& a, const Fp6& b) {
    return a.c0 == b.c0 && a.c1 == b.c1 && a.c2 == b.c2;
  }
  CUZK_HD constexpr bool is_zero() const { return c0.is_zero() && c1.is_zero() && c2.is_zero(); }

  CUZK_HD friend constexpr Fp6 operator+(const Fp6& a, const Fp6& b) {
    return {a.c0 + b.c0, a.c1 + b.c1, a.c2 + b.c2};
  }
  CUZK_HD friend constexpr Fp6 operator-(const Fp6& a, const Fp6& b) {
    return {a.c0 - b.c0, a.c1 - b.c1, a.c2 - b.c2};
  }
  CUZK_HD constexpr Fp6 operator-() const { return {-c0, -c1, -c2}; }
  CUZK_HD constexpr Fp6 dbl() const { return {c0.dbl(), c1.dbl(), c2.dbl()}; }

  /// Karatsuba on three terms: six products of Fp2.
  CUZK_HD friend constexpr Fp6 operator*(const Fp6& a, const Fp6& b) {
    const Fp2 t0 = a.c0 * b.c0;
    const Fp2 t1 = a.c1 * b.c1;
    const Fp2 t2 = a.c2 * b.c2;
    const Fp2 s12 = (a.c1 + a.c2) * (b.c1 + b.c2) - t1 - t2;
    const Fp2 s01 = (a.c0 + a.c1) * (b.c0 + b.c1) - t0 - t1;
    const Fp2 s02 = (a.c0 + a.c2) * (b.c0 + b.c2) - t0 - t2;
    return {t0 + s12.mul_by_xi(), s01 + t2.mul_by_xi(), s02 + t1};
  }
  CUZK_HD constexpr Fp6 square() const { return *this * *this; }
  CUZK_HD constexpr Fp6& operator*=(const Fp6& b) { return *this = *this * b; }

  /// this * (b0 + b1 v): five products of Fp2.
  CUZK_HD constexpr Fp6 mul_by_01(const Fp2& b0, const Fp2& b1) const {
    const Fp2 t0 = c0 * b0;
    const Fp2 t1 = c1 * b1;
    return {t0 + ((c1 + c2) * b1 - t1).mul_by_xi(), (c0 + c1) * (b0 + b1) - t0 - t1,
            (c0 + c2) * b0 - t0 + t1};
  }
  /// this * b1 v: three products of Fp2.
  CUZK_HD constexpr Fp6 mul_by_1(const Fp2& b1) const { return {(c2 * b1).mul_by_xi(), c0 * b1, c1 * b1}; }
  /// this * v, without a product.
  CUZK_HD constexpr Fp6 mul_by_v() const { return {c2.mul_by_xi(), c0, c1}; }

  /// Multiplicative inverse (one inversion of Fp); the inverse of 0 is 0. With the adjoint (A, B, C) of the
  /// multiplication matrix, N = c0 A + xi (c2 B + c1 C) is the norm to Fp2.
  CUZK_HD constexpr Fp6 inverse() const {
    const Fp2 a = c0.square() - (c1 * c2).mul_by_xi();
    const Fp2 b = c2.square().mul_by_xi() - c0 * c1;
    const Fp2 c = c1.square() - c0 * c2;
    const Fp2 n = (c0 * a + (c2 * b + c1 * c).mul_by_xi()).inverse();
    return {a * n, b * n, c * n};
  }
};

}  // namespace cuzk
