#include "cuzk/curve/pairing.h"

#include "cuzk/curve/subgroup.h"

namespace cuzk {
namespace {

constexpr BigInt<1> kLoop{{kCurveParameterAbs}};
constexpr std::size_t kTopBit = 63;

// The twist is y^2 = x^3 + 4 xi and goes to E1 over Fp12 by (x, y) -> (x / w^2, y / w^3). A line of slope s
// (on the twist) through T, at P, is y_P - s x_P / w + (s x_T - y_T) / w^3. Times w^3, whose power (p^6 -
// 1)(p^2 + 1) is 1, it is (s x_T - y_T) - s x_P v + y_P v w. Below it is also multiplied by the denominator
// of s.

// The tangent at t, and t = 2 t. Slope 3 x^2 / (2 y z) in Jacobian coordinates; multiplied by 2 y z^3.
G2Prepared::Line double_step(G2Jacobian& t) {
  const Fp2 xx = t.x.square();
  const Fp2 yy = t.y.square();
  const Fp2 zz = t.z.square();
  const Fp2 yyyy = yy.square();
  const Fp2 e = xx.dbl() + xx;
  const Fp2 d = ((t.x + yy).square() - xx - yyyy).dbl();
  const Fp2 x3 = e.square() - d.dbl();
  const Fp2 z3 = (t.y + t.z).square() - yy - zz;
  const G2Prepared::Line line{e * t.x - yy.dbl(), -(e * zz), z3 * zz};
  t = {x3, e * (d - x3) - yyyy.dbl().dbl().dbl(), z3};
  return line;
}

// The chord through t and q, and t = t + q. Slope r / (z h); multiplied by z h.
G2Prepared::Line add_step(G2Jacobian& t, const G2Affine& q) {
  const Fp2 zz = t.z.square();
  const Fp2 h = q.x * zz - t.x;
  const Fp2 r = q.y * t.z * zz - t.y;
  const Fp2 hh = h.square();
  const Fp2 hhh = h * hh;
  const Fp2 v = t.x * hh;
  const Fp2 x3 = r.square() - hhh - v.dbl();
  const Fp2 z3 = t.z * h;
  const G2Prepared::Line line{r * q.x - z3 * q.y, -r, z3};
  t = {x3, r * (v - x3) - t.y * hhh, z3};
  return line;
}

// f^z for f in the cyclotomic subgroup; z is negative.
Fp12 pow_z(const Fp12& f) {
  return f.cyclotomic_pow(kLoop).conjugate();
}

}  // namespace

G2Prepared::G2Prepared(const G2Affine& q) : lines_{}, infinity_(q.is_infinity()) {
  if (infinity_) return;
  G2Jacobian t = G2Jacobian::from_affine(q);
  std::size_t next = 0;
  for (std::size_t i = kTopBit; i-- > 0;) {
    lines_[next++] = double_step(t);
    if (kLoop.bit(i)) lines_[next++] = add_step(t, q);
  }
  CUZK_CHECK(next == kLines);
}

Fp12 multi_miller_loop(std::span<const PairingInput> inputs) {
  Fp12 f = Fp12::one();
  const auto apply = [&](std::size_t line) {
    for (const PairingInput& in : inputs) {
      if (in.p.is_infinity() || in.q->is_infinity()) continue;
      const G2Prepared::Line& l = in.q->lines()[line];
      f = f.mul_by_line(l.a, l.b * in.p.x, l.c * in.p.y);
    }
  };
  std::size_t next = 0;
  for (std::size_t i = kTopBit; i-- > 0;) {
    if (next != 0) f = f.square();
    apply(next++);
    if (kLoop.bit(i)) apply(next++);
  }
  return f.conjugate();  // z is negative
}

Fp12 final_exponentiation(const Fp12& f) {
  const Fp12 g = f.conjugate() * f.inverse();                       // f^(p^6 - 1)
  const Fp12 m = g.frobenius2() * g;                                // cyclotomic from here on
  const Fp12 a = pow_z(m) * m.conjugate();                          // m^(z - 1)
  const Fp12 b = pow_z(a) * a.conjugate();                          // m^((z - 1)^2)
  const Fp12 c = pow_z(b) * b.frobenius();                          // ... (z + p)
  const Fp12 d = pow_z(pow_z(c)) * c.frobenius2() * c.conjugate();  // ... (z^2 + p^2 - 1)
  return d * m.cyclotomic_square() * m;
}

Fp12 pairing(const G1Affine& p, const G2Affine& q) {
  const G2Prepared prepared(q);
  const PairingInput input{p, &prepared};
  return final_exponentiation(multi_miller_loop({&input, 1}));
}

}  // namespace cuzk
