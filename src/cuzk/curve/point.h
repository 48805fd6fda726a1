#pragma once

#include <cstddef>
#include <span>

#include "cuzk/base/result.h"
#include "cuzk/field/fp2.h"
#include "cuzk/field/fr.h"

namespace cuzk {

/// Points of y^2 = x^3 + b over F = Fp (G1, b = 4) or Fp2 (G2, b = 4 (1 + u)) in three coordinate systems,
/// and the group law. The curve constant does not occur in the law, so the types are templates over the field
/// alone and hold any point of the curve, in or out of the subgroup of order r (curve/subgroup.h tests that).
///
/// Every operation is complete: P = Q, P = -Q and infinity on either side give the right sum. All are
/// variable time.
///
/// Formulas: the Explicit-Formulas Database (hyperelliptic.org/EFD), short Weierstrass with a = 0:
/// dbl-2009-l, add-2007-bl and madd-2007-bl for Jacobian coordinates, dbl-2008-s-1, mdbl-2008-s-1, add-2008-s
/// and madd-2008-s for XYZZ.

/// (x, y); infinity is (0, 0), which lies on neither curve. 96 bytes for G1, 192 for G2: the memory layout of
/// the parameter caches of the network's other provers.
template <class F>
struct Affine {
  using Field = F;
  F x;
  F y;

  CUZK_HD static constexpr Affine infinity() { return Affine{}; }
  CUZK_HD constexpr bool is_infinity() const { return x.is_zero() && y.is_zero(); }
  CUZK_HD constexpr Affine operator-() const { return {x, -y}; }
  CUZK_HD friend constexpr bool operator==(const Affine& a, const Affine& b) {
    return a.x == b.x && a.y == b.y;
  }
};

/// Stands for (x / z^2, y / z^3); infinity is any triple with z = 0. == compares the points, not the triples.
template <class F>
struct Jacobian {
  using Field = F;
  F x;
  F y;
  F z;

  CUZK_HD static constexpr Jacobian infinity() { return {F::one(), F::one(), F::zero()}; }
  CUZK_HD static constexpr Jacobian from_affine(const Affine<F>& p) {
    return p.is_infinity() ? infinity() : Jacobian{p.x, p.y, F::one()};
  }
  CUZK_HD constexpr bool is_infinity() const { return z.is_zero(); }
  CUZK_HD constexpr Jacobian operator-() const { return {x, -y, z}; }

  CUZK_HD constexpr Jacobian dbl() const {
    const F a = x.square();
    const F b = y.square();
    const F c = b.square();
    const F d = ((x + b).square() - a - c).dbl();
    const F e = a.dbl() + a;
    const F x3 = e.square() - d.dbl();
    return {x3, e * (d - x3) - c.dbl().dbl().dbl(), (y * z).dbl()};
  }

  CUZK_HD friend constexpr Jacobian operator+(const Jacobian& p, const Jacobian& q) {
    if (p.is_infinity()) return q;
    if (q.is_infinity()) return p;
    const F z1z1 = p.z.square();
    const F z2z2 = q.z.square();
    const F u1 = p.x * z2z2;
    const F u2 = q.x * z1z1;
    const F s1 = p.y * q.z * z2z2;
    const F s2 = q.y * p.z * z1z1;
    const F h = u2 - u1;
    const F r = (s2 - s1).dbl();
    if (h.is_zero()) return r.is_zero() ? p.dbl() : infinity();
    const F i = h.dbl().square();
    const F j = h * i;
    const F v = u1 * i;
    const F x3 = r.square() - j - v.dbl();
    return {x3, r * (v - x3) - (s1 * j).dbl(), ((p.z + q.z).square() - z1z1 - z2z2) * h};
  }

  CUZK_HD friend constexpr Jacobian operator+(const Jacobian& p, const Affine<F>& q) {
    if (q.is_infinity()) return p;
    if (p.is_infinity()) return from_affine(q);
    const F z1z1 = p.z.square();
    const F u2 = q.x * z1z1;
    const F s2 = q.y * p.z * z1z1;
    const F h = u2 - p.x;
    const F r = (s2 - p.y).dbl();
    if (h.is_zero()) return r.is_zero() ? p.dbl() : infinity();
    const F hh = h.square();
    const F i = hh.dbl().dbl();
    const F j = h * i;
    const F v = p.x * i;
    const F x3 = r.square() - j - v.dbl();
    return {x3, r * (v - x3) - (p.y * j).dbl(), (p.z + h).square() - z1z1 - hh};
  }

  CUZK_HD friend constexpr Jacobian operator-(const Jacobian& p, const Jacobian& q) { return p + (-q); }
  CUZK_HD friend constexpr Jacobian operator-(const Jacobian& p, const Affine<F>& q) { return p + (-q); }
  CUZK_HD constexpr Jacobian& operator+=(const Jacobian& q) { return *this = *this + q; }
  CUZK_HD constexpr Jacobian& operator+=(const Affine<F>& q) { return *this = *this + q; }

  CUZK_HD friend constexpr bool operator==(const Jacobian& p, const Jacobian& q) {
    if (p.is_infinity() || q.is_infinity()) return p.is_infinity() && q.is_infinity();
    const F z1z1 = p.z.square();
    const F z2z2 = q.z.square();
    return p.x * z2z2 == q.x * z1z1 && p.y * q.z * z2z2 == q.y * p.z * z1z1;
  }
  CUZK_HD friend constexpr bool operator==(const Jacobian& p, const Affine<F>& q) {
    if (p.is_infinity() || q.is_infinity()) return p.is_infinity() && q.is_infinity();
    const F z1z1 = p.z.square();
    return p.x == q.x * z1z1 && p.y == q.y * p.z * z1z1;
  }

  /// One inversion; convert many points together with batch_to_affine.
  CUZK_HD constexpr Affine<F> to_affine() const {
    const F inv = z.inverse();  // 0 for infinity, which gives (0, 0)
    const F inv2 = inv.square();
    return {x * inv2, y * inv2 * inv};
  }
};

/// Stands for (x / zz, y / zzz) with zz^3 = zzz^2; infinity is any quadruple with zz = 0. Cheapest to add
/// affine points to (10 products): the accumulator of bucket methods. == compares the points.
template <class F>
struct Xyzz {
  using Field = F;
  F x;
  F y;
  F zz;
  F zzz;

  CUZK_HD static constexpr Xyzz infinity() { return {F::one(), F::one(), F::zero(), F::zero()}; }
  CUZK_HD static constexpr Xyzz from_affine(const Affine<F>& p) {
    return p.is_infinity() ? infinity() : Xyzz{p.x, p.y, F::one(), F::one()};
  }
  CUZK_HD constexpr bool is_infinity() const { return zz.is_zero(); }
  CUZK_HD constexpr Xyzz operator-() const { return {x, -y, zz, zzz}; }

  CUZK_HD constexpr Xyzz dbl() const {
    const F u = y.dbl();
    const F v = u.square();
    const F w = u * v;
    const F s = x * v;
    const F xx = x.square();
    const F m = xx.dbl() + xx;
    const F x3 = m.square() - s.dbl();
    return {x3, m * (s - x3) - w * y, v * zz, w * zzz};
  }
  /// 2 p of an affine point.
  CUZK_HD static constexpr Xyzz dbl(const Affine<F>& p) {
    if (p.is_infinity()) return infinity();
    const F u = p.y.dbl();
    const F v = u.square();
    const F w = u * v;
    const F s = p.x * v;
    const F xx = p.x.square();
    const F m = xx.dbl() + xx;
    const F x3 = m.square() - s.dbl();
    return {x3, m * (s - x3) - w * p.y, v, w};
  }

  CUZK_HD friend constexpr Xyzz operator+(const Xyzz& a, const Xyzz& b) {
    if (a.is_infinity()) return b;
    if (b.is_infinity()) return a;
    const F u1 = a.x * b.zz;
    const F s1 = a.y * b.zzz;
    const F p = b.x * a.zz - u1;
    const F r = b.y * a.zzz - s1;
    if (p.is_zero()) return r.is_zero() ? a.dbl() : infinity();
    const F pp = p.square();
    const F ppp = p * pp;
    const F q = u1 * pp;
    const F x3 = r.square() - ppp - q.dbl();
    return {x3, r * (q - x3) - s1 * ppp, a.zz * b.zz * pp, a.zzz * b.zzz * ppp};
  }

  CUZK_HD friend constexpr Xyzz operator+(const Xyzz& a, const Affine<F>& b) {
    if (b.is_infinity()) return a;
    if (a.is_infinity()) return from_affine(b);
    const F p = b.x * a.zz - a.x;
    const F r = b.y * a.zzz - a.y;
    if (p.is_zero()) return r.is_zero() ? dbl(b) : infinity();
    const F pp = p.square();
    const F ppp = p * pp;
    const F q = a.x * pp;
    const F x3 = r.square() - ppp - q.dbl();
    return {x3, r * (q - x3) - a.y * ppp, a.zz * pp, a.zzz * ppp};
  }

  CUZK_HD friend constexpr Xyzz operator-(const Xyzz& a, const Xyzz& b) { return a + (-b); }
  CUZK_HD friend constexpr Xyzz operator-(const Xyzz& a, const Affine<F>& b) { return a + (-b); }
  CUZK_HD constexpr Xyzz& operator+=(const Xyzz& b) { return *this = *this + b; }
  CUZK_HD constexpr Xyzz& operator+=(const Affine<F>& b) { return *this = *this + b; }

  CUZK_HD friend constexpr bool operator==(const Xyzz& a, const Xyzz& b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() && b.is_infinity();
    return a.x * b.zz == b.x * a.zz && a.y * b.zzz == b.y * a.zzz;
  }
  CUZK_HD friend constexpr bool operator==(const Xyzz& a, const Affine<F>& b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() && b.is_infinity();
    return a.x == b.x * a.zz && a.y == b.y * a.zzz;
  }

  /// Without an inversion: x / zz = (x zz) / zz^2 and y / zzz = (y zzz) / zz^3, so zz serves as Jacobian z.
  CUZK_HD constexpr Jacobian<F> to_jacobian() const {
    if (is_infinity()) return Jacobian<F>::infinity();
    return {x * zz, y * zzz, zz};
  }
  /// One inversion.
  CUZK_HD constexpr Affine<F> to_affine() const {
    const F inv3 = zzz.inverse();         // 1 / Z^3; 0 for infinity, which gives (0, 0)
    const F inv2 = (zz * inv3).square();  // (1 / Z)^2
    return {x * inv2, y * inv3};
  }
};

using G1Affine = Affine<Fp>;
using G1Jacobian = Jacobian<Fp>;
using G1Xyzz = Xyzz<Fp>;
using G2Affine = Affine<Fp2>;
using G2Jacobian = Jacobian<Fp2>;
using G2Xyzz = Xyzz<Fp2>;
static_assert(sizeof(G1Affine) == 96 && sizeof(G2Affine) == 192);

/// The constant b of the curve over F.
template <class F>
CUZK_HD constexpr F curve_b();
template <>
CUZK_HD constexpr Fp curve_b<Fp>() {
  return Fp{{0xaa270000000cfff3, 0x53cc0032fc34000a, 0x478fe97a6b0a807f, 0xb1d37ebee6ba24d7,
             0x8ec9733bbf78ab2f, 0x09d645513d83de7e}};
}
template <>
CUZK_HD constexpr Fp2 curve_b<Fp2>() {
  return {curve_b<Fp>(), curve_b<Fp>()};
}

/// True for every point of the curve, whatever its order, and for infinity.
template <class F>
CUZK_HD constexpr bool is_on_curve(const Affine<F>& p) {
  return p.is_infinity() || p.y.square() == p.x.square() * p.x + curve_b<F>();
}

/// The standard generators (Montgomery limbs; point_test.cc compares them with the canonical values).
CUZK_HD constexpr G1Affine g1_generator() {
  return {Fp{{0x5cb38790fd530c16, 0x7817fc679976fff5, 0x154f95c7143ba1c1, 0xf0ae6acdf3d0e747,
              0xedce6ecc21dbf440, 0x120177419e0bfb75}},
          Fp{{0xbaac93d50ce72271, 0x8c22631a7918fd8e, 0xdd595f13570725ce, 0x51ac582950405194,
              0x0e1c8c3fad0059c0, 0x0bbc3efc5008a26a}}};
}
CUZK_HD constexpr G2Affine g2_generator() {
  return {{Fp{{0xf5f28fa202940a10, 0xb3f5fb2687b4961a, 0xa1a893b53e2ae580, 0x9894999d1a3caee9,
               0x6f67b7631863366b, 0x058191924350bcd7}},
           Fp{{0xa5a9c0759e23f606, 0xaaa0c59dbccd60c3, 0x3bb17e18e2867806, 0x1b1ab6cc8541b367,
               0xc2b6ed0ef2158547, 0x11922a097360edf3}}},
          {Fp{{0x4c730af860494c4a, 0x597cfa1f5e369c5a, 0xe7e6856caa0a635a, 0xbbefb5e96e0d495f,
               0x07d3a975f0ef25a2, 0x0083fd8e7e80dae5}},
           Fp{{0xadc0fc92df64b05d, 0x18aa270a2b1461dc, 0x86adac6a3be4eba0, 0x79495c4ec93da33a,
               0xe7175850a43ccaed, 0x0b2bc2a163de1bf2}}}};
}

/// [k] p by double-and-add, any integer k (not reduced modulo r, so it serves points outside the subgroup
/// too): the oracle of the scalar multiplications.
template <class F, std::size_t M>
CUZK_HD constexpr Jacobian<F> mul(const Jacobian<F>& p, const BigInt<M>& k) {
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (std::size_t i = k.bit_length(); i-- > 0;) {
    sum = sum.dbl();
    if (k.bit(i)) sum += p;
  }
  return sum;
}
template <class F, std::size_t M>
CUZK_HD constexpr Jacobian<F> mul(const Affine<F>& p, const BigInt<M>& k) {
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (std::size_t i = k.bit_length(); i-- > 0;) {
    sum = sum.dbl();
    if (k.bit(i)) sum += p;
  }
  return sum;
}
template <class F>
CUZK_HD constexpr Jacobian<F> mul(const Jacobian<F>& p, const Fr& k) {
  return mul(p, k.to_int());
}
template <class F>
CUZK_HD constexpr Jacobian<F> mul(const Affine<F>& p, const Fr& k) {
  return mul(p, k.to_int());
}

namespace detail {
CUZK_HD constexpr const auto& denominator(const auto& p) {
  if constexpr (requires { p.zzz; })
    return p.zzz;
  else
    return p.z;
}
}  // namespace detail

/// points[i] in affine form to out[i], with one inversion for all of them and no memory of its own. `Point`
/// is Jacobian or Xyzz. Infinity becomes (0, 0). The spans have equal lengths and do not overlap.
template <class Point>
void batch_to_affine(std::span<const Point> points, std::span<Affine<typename Point::Field>> out) {
  using F = typename Point::Field;
  CUZK_CHECK(points.size() == out.size());
  // out[i].x holds the product of the denominators before i until the second pass.
  F product = F::one();
  for (std::size_t i = 0; i < points.size(); ++i) {
    out[i].x = product;
    if (!points[i].is_infinity()) product *= detail::denominator(points[i]);
  }
  F inverse = product.inverse();
  for (std::size_t i = points.size(); i-- > 0;) {
    const Point& p = points[i];
    if (p.is_infinity()) {
      out[i] = Affine<F>::infinity();
      continue;
    }
    const F inv = inverse * out[i].x;
    inverse *= detail::denominator(p);
    if constexpr (requires { p.zzz; }) {
      out[i] = {p.x * (p.zz * inv).square(), p.y * inv};
    } else {
      const F inv2 = inv.square();
      out[i] = {p.x * inv2, p.y * inv2 * inv};
    }
  }
}

}  // namespace cuzk
