#pragma once

#include "cuzk/field/fp6.h"

namespace cuzk {

/// The extension Fp12 = Fp6[w] / (w^2 - v), so that w^6 = xi = 1 + u; the element is c0 + c1 w. The target
/// group GT of the pairing is its subgroup of order r, written multiplicatively.
struct Fp12 {
  Fp6 c0;
  Fp6 c1;

  CUZK_HD static constexpr Fp12 one() { return {Fp6::one(), Fp6::zero()}; }
  CUZK_HD friend constexpr bool operator==(const Fp12& a, const Fp12& b) {
    return a.c0 == b.c0 && a.c1 == b.c1;
  }
  CUZK_HD constexpr bool is_one() const { return *this == one(); }

  CUZK_HD friend constexpr Fp12 operator*(const Fp12& a, const Fp12& b) {
    const Fp6 t0 = a.c0 * b.c0;
    const Fp6 t1 = a.c1 * b.c1;
    return {t0 + t1.mul_by_v(), (a.c0 + a.c1) * (b.c0 + b.c1) - t0 - t1};
  }
  CUZK_HD constexpr Fp12& operator*=(const Fp12& b) { return *this = *this * b; }
  /// (c0 + c1)(c0 + v c1) - c0 c1 - v c0 c1 + 2 c0 c1 w: two products of Fp6.
  CUZK_HD constexpr Fp12 square() const {
    const Fp6 t = c0 * c1;
    return {(c0 + c1) * (c0 + c1.mul_by_v()) - t - t.mul_by_v(), t.dbl()};
  }
  /// The p^6 power map, w -> -w. In the cyclotomic subgroup (all of GT) it is the inversion.
  CUZK_HD constexpr Fp12 conjugate() const { return {c0, -c1}; }
  /// Multiplicative inverse (one inversion of Fp); the inverse of 0 is 0.
  CUZK_HD constexpr Fp12 inverse() const {
    const Fp6 n = (c0.square() - c1.square().mul_by_v()).inverse();
    return {c0 * n, -(c1 * n)};
  }

  /// this * (a + b v + c v w), the shape of the pairing's lines: thirteen products of Fp2.
  CUZK_HD constexpr Fp12 mul_by_line(const Fp2& a, const Fp2& b, const Fp2& c) const {
    const Fp6 t0 = c0.mul_by_01(a, b);
    const Fp6 t1 = c1.mul_by_1(c);
    return {t0 + t1.mul_by_v(), (c0 + c1).mul_by_01(a, b + c) - t0 - t1};
  }

  /// The square of an element of the cyclotomic subgroup (order dividing p^4 - p^2 + 1); wrong for others.
  /// R. Granger, M. Scott, "Faster squaring in the cyclotomic subgroup of sixth degree extensions" (PKC
  /// 2010): nine squarings of Fp2. The six coordinates form three elements of Fp4 = Fp2[w^3]: (w^0, w^3),
  /// (w^1, w^4), (w^2, w^5).
  CUZK_HD constexpr Fp12 cyclotomic_square() const {
    const Fp4 a = Fp4{c0.c0, c1.c1}.square();
    const Fp4 b = Fp4{c1.c0, c0.c2}.square();
    const Fp4 c = Fp4{c0.c1, c1.c2}.square();
    const Fp2 xi_c1 = c.hi.mul_by_xi();
    return {{minus(a.lo, c0.c0), minus(b.lo, c0.c1), minus(c.lo, c0.c2)},
            {plus(xi_c1, c1.c0), plus(a.hi, c1.c1), plus(b.hi, c1.c2)}};
  }

  /// this^exponent by squaring and multiplying; x^0 is 1.
  template <std::size_t M>
  CUZK_HD constexpr Fp12 pow(const BigInt<M>& exponent) const {
    Fp12 r = one();
    for (std::size_t i = exponent.bit_length(); i-- > 0;) {
      r = r.square();
      if (exponent.bit(i)) r *= *this;
    }
    return r;
  }
  /// The same for an element of the cyclotomic subgroup; wrong for others.
  template <std::size_t M>
  CUZK_HD constexpr Fp12 cyclotomic_pow(const BigInt<M>& exponent) const {
    Fp12 r = one();
    for (std::size_t i = exponent.bit_length(); i-- > 0;) {
      r = r.cyclotomic_square();
      if (exponent.bit(i)) r *= *this;
    }
    return r;
  }

  /// The p power map: conjugates the Fp2 coordinates and multiplies that of w^k by xi^(k (p - 1) / 6).
  CUZK_HD constexpr Fp12 frobenius() const;
  /// The p^2 power map: multiplies the coordinate of w^k by xi^(k (p^2 - 1) / 6), which lies in Fp.
  CUZK_HD constexpr Fp12 frobenius2() const;

 private:
  struct Fp4 {
    Fp2 lo;
    Fp2 hi;
    CUZK_HD constexpr Fp4 square() const {
      const Fp2 l = lo.square();
      const Fp2 h = hi.square();
      return {l + h.mul_by_xi(), (lo + hi).square() - l - h};
    }
  };
  /// 3 s - 2 x and 3 s + 2 x.
  CUZK_HD static constexpr Fp2 minus(const Fp2& s, const Fp2& x) { return (s - x).dbl() + s; }
  CUZK_HD static constexpr Fp2 plus(const Fp2& s, const Fp2& x) { return (s + x).dbl() + s; }
};

CUZK_HD constexpr Fp12 Fp12::frobenius() const {
  constexpr Fp2 kGamma[5] = {
      {Fp{{0x07089552b319d465, 0xc6695f92b50a8313, 0x97e83cccd117228f, 0xa35baecab2dc29ee, 0x1ce393ea5daace4d,
           0x08f2220fb0fb66eb}},
       Fp{{0xb2f66aad4ce5d646, 0x5842a06bfc497cec, 0xcf4895d42599d394, 0xc11b9cba40a8e8d0, 0x2e3813cbe5a0de89,
           0x110eefda88847faf}}},
      {Fp{{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
           0x0000000000000000}},
       Fp{{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e, 0x03f97d6e83d050d2,
           0x18f0206554638741}}},
      {Fp{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7, 0x2da2596696cebc1d,
           0x0e2b7eedbbfd87d2}},
       Fp{{0x7bcfa7a25aa30fda, 0xdc17dec12a927e7c, 0x2f088dd86b4ebef1, 0xd1ca2087da74d4a7, 0x2da2596696cebc1d,
           0x0e2b7eedbbfd87d2}}},
      {Fp{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024, 0x14e4f04fe2db9068,
           0x14e56d3f1564853a}},
       Fp{{0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000,
           0x0000000000000000}}},
      {Fp{{0x82d83cf50dbce43f, 0xa2813e53df9d018f, 0xc6f0caa53c65e181, 0x7525cf528d50fe95, 0x4a85ed50f4798a6b,
           0x171da0fd6cf8eebd}},
       Fp{{0x3726c30af242c66c, 0x7c2ac1aad1b6fe70, 0xa04007fbba4b14a2, 0xef517c3266341429, 0x0095ba654ed2226b,
           0x02e370eccc86f7dd}}},
  };
  return {{c0.c0.conjugate(), c0.c1.conjugate() * kGamma[1], c0.c2.conjugate() * kGamma[3]},
          {c1.c0.conjugate() * kGamma[0], c1.c1.conjugate() * kGamma[2], c1.c2.conjugate() * kGamma[4]}};
}

CUZK_HD constexpr Fp12 Fp12::frobenius2() const {
  constexpr Fp kGamma[5] = {
      Fp{{0xecfb361b798dba3a, 0xc100ddb891865a2c, 0x0ec08ff1232bda8e, 0xd5c13cc6f1ca4721, 0x47222a47bf7b5c04,
          0x0110f184e51c5f59}},
      Fp{{0x30f1361b798a64e8, 0xf3b8ddab7ece5a2a, 0x16a8ca3ac61577f7, 0xc26a2ff874fd029b, 0x3636b76660701c6e,
          0x051ba4ab241b6160}},
      Fp{{0x43f5fffffffcaaae, 0x32b7fff2ed47fffd, 0x07e83a49a2e99d69, 0xeca8f3318332bb7a, 0xef148d1ea0f4c069,
          0x040ab3263eff0206}},
      Fp{{0xcd03c9e48671f071, 0x5dab22461fcda5d2, 0x587042afd3851b95, 0x8eb60ebe01bacb9e, 0x03f97d6e83d050d2,
          0x18f0206554638741}},
      Fp{{0x890dc9e4867545c3, 0x2af322533285a5d5, 0x50880866309b7e2c, 0xa20d1b8c7e881024, 0x14e4f04fe2db9068,
          0x14e56d3f1564853a}},
  };
  return {{c0.c0, c0.c1 * kGamma[1], c0.c2 * kGamma[3]},
          {c1.c0 * kGamma[0], c1.c1 * kGamma[2], c1.c2 * kGamma[4]}};
}

}  // namespace cuzk
