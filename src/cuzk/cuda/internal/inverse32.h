#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"

namespace cuzk::cuda {
namespace detail {

/// A signed integer of M limbs of 30 bits, value sum limb[i] * 2^(30 i); all limbs but the last are in [0,
/// 2^30), the last carries the sign.
template <int M>
struct Signed30 {
  std::int32_t limb[M];
};

inline constexpr std::uint32_t kMask30 = (std::uint32_t{1} << 30) - 1;

/// The product of 30 division steps, scaled by 2^30. |u| + |v| and |q| + |r| are at most 2^30.
struct DivisionMatrix30 {
  std::int32_t u, v, q, r;
};

CUZK_HD CUZK_INLINE int trailing_zeros(std::uint32_t v) {
#if defined(__CUDA_ARCH__)
  return __clz(static_cast<int>(__brev(v)));
#else
  return __builtin_ctz(v);
#endif
}

/// 30 division steps of Bernstein and Yang on the low words of f (odd) and g; field/inverse.h explains the
/// same on 62 bits.
CUZK_HD inline DivisionMatrix30 division_steps_30(std::int32_t& delta, std::uint32_t f, std::uint32_t g) {
  std::uint32_t u = 1;
  std::uint32_t v = 0;
  std::uint32_t q = 0;
  std::uint32_t r = 1;
  int left = 30;
  while (true) {
    const int zeros = trailing_zeros(g | (std::uint32_t{1} << left));
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    delta += zeros;
    left -= zeros;
    if (left == 0) break;
    if (delta > 0) {
      delta = -delta;
      std::uint32_t t = f;
      f = g;
      g = 0 - t;
      t = u;
      u = q;
      q = 0 - t;
      t = v;
      v = r;
      r = 0 - t;
    }
    int run = 1 - delta;
    if (run > left) run = left;
    if (run > 8) run = 8;
    std::uint32_t inverse = f;  // its own inverse modulo 8
    inverse *= 2 - f * inverse;
    inverse *= 2 - f * inverse;
    const std::uint32_t w = (0 - g * inverse) & ((std::uint32_t{1} << run) - 1);
    g += f * w;
    q += u * w;
    r += v * w;
  }
  return {static_cast<std::int32_t>(u), static_cast<std::int32_t>(v), static_cast<std::int32_t>(q),
          static_cast<std::int32_t>(r)};
}

/// (a, b) <- (u a + v b, q a + r b) / 2^30; the divisions are exact.
template <int M>
CUZK_HD CUZK_INLINE void apply_exact_30(const DivisionMatrix30& t, Signed30<M>& a, Signed30<M>& b) {
  std::int64_t ca = std::int64_t{t.u} * a.limb[0] + std::int64_t{t.v} * b.limb[0];
  std::int64_t cb = std::int64_t{t.q} * a.limb[0] + std::int64_t{t.r} * b.limb[0];
  ca >>= 30;
  cb >>= 30;
  CUZK_UNROLL
  for (int i = 1; i < M; ++i) {
    const std::int32_t ai = a.limb[i];
    const std::int32_t bi = b.limb[i];
    ca += std::int64_t{t.u} * ai + std::int64_t{t.v} * bi;
    cb += std::int64_t{t.q} * ai + std::int64_t{t.r} * bi;
    a.limb[i - 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(ca) & kMask30);
    b.limb[i - 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(cb) & kMask30);
    ca >>= 30;
    cb >>= 30;
  }
  a.limb[M - 1] = static_cast<std::int32_t>(ca);
  b.limb[M - 1] = static_cast<std::int32_t>(cb);
}

/// Limb i of the modulus in 30-bit limbs.
template <class F>
CUZK_HD constexpr std::int32_t modulus30(int i) {
  const int word = 30 * i / 32;
  const int shift = 30 * i % 32;
  std::uint64_t v = word < F::N ? F::modulus(word) : 0;
  if (word + 1 < F::N) v |= static_cast<std::uint64_t>(F::modulus(word + 1)) << 32;
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(v >> shift) & kMask30);
}

/// (d, e) <- (u d + v e, q d + r e) / 2^30 modulo m, both kept in (-2m, m).
template <class F, int M>
CUZK_HD CUZK_INLINE void apply_modular_30(const DivisionMatrix30& t, Signed30<M>& d, Signed30<M>& e,
                                          std::uint32_t m_inverse) {
  const std::int32_t sign_d = d.limb[M - 1] >> 31;
  const std::int32_t sign_e = e.limb[M - 1] >> 31;
  std::int32_t md = (t.u & sign_d) + (t.v & sign_e);
  std::int32_t me = (t.q & sign_d) + (t.r & sign_e);
  std::int64_t cd = std::int64_t{t.u} * d.limb[0] + std::int64_t{t.v} * e.limb[0];
  std::int64_t ce = std::int64_t{t.q} * d.limb[0] + std::int64_t{t.r} * e.limb[0];
  md -= static_cast<std::int32_t>(
      (m_inverse * static_cast<std::uint32_t>(cd) + static_cast<std::uint32_t>(md)) & kMask30);
  me -= static_cast<std::int32_t>(
      (m_inverse * static_cast<std::uint32_t>(ce) + static_cast<std::uint32_t>(me)) & kMask30);
  cd += std::int64_t{modulus30<F>(0)} * md;
  ce += std::int64_t{modulus30<F>(0)} * me;
  cd >>= 30;
  ce >>= 30;
  CUZK_UNROLL
  for (int i = 1; i < M; ++i) {
    const std::int32_t di = d.limb[i];
    const std::int32_t ei = e.limb[i];
    cd += std::int64_t{t.u} * di + std::int64_t{t.v} * ei + std::int64_t{modulus30<F>(i)} * md;
    ce += std::int64_t{t.q} * di + std::int64_t{t.r} * ei + std::int64_t{modulus30<F>(i)} * me;
    d.limb[i - 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(cd) & kMask30);
    e.limb[i - 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(ce) & kMask30);
    cd >>= 30;
    ce >>= 30;
  }
  d.limb[M - 1] = static_cast<std::int32_t>(cd);
  e.limb[M - 1] = static_cast<std::int32_t>(ce);
}

/// d + m where `add`, limbs normalised.
template <class F, int M>
CUZK_HD CUZK_INLINE void add_modulus_30(Signed30<M>& d, bool add) {
  std::int32_t carry = 0;
  CUZK_UNROLL
  for (int i = 0; i < M; ++i) {
    const std::int32_t s = d.limb[i] + (add ? modulus30<F>(i) : 0) + carry;
    if (i + 1 < M) {
      d.limb[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(s) & kMask30);
      carry = s >> 30;
    } else {
      d.limb[i] = s;
    }
  }
}

}  // namespace detail

/// R^3 mod p as limbs.
template <class Params>
CUZK_HD constexpr Field32<Params> r_cubed() {
  constexpr Montgomery<Params> kR3 = Montgomery<Params>::r_squared() * Montgomery<Params>::r_squared();
  Field32<Params> r{};
  for (int i = 0; i < Field32<Params>::N; ++i)
    r.limb[i] = static_cast<std::uint32_t>(kR3.limb[i / 2] >> (32 * (i % 2)));
  return r;
}

/// 1 / a, 0 for 0, by division steps: a tenth of the work of a Fermat power, for one thread that inverts on
/// behalf of a block. Variable time.
template <class Params>
CUZK_HD inline Field32<Params> inverse(const Field32<Params>& a) {
  using F = Field32<Params>;
  // One bit for the sign, one of slack for the range (-2m, m).
  constexpr int kM = (32 * F::N + 2 + 29) / 30;
  if (a.is_zero()) return F::zero();
  detail::Signed30<kM> f;
  detail::Signed30<kM> g;
  detail::Signed30<kM> d;
  detail::Signed30<kM> e;
  CUZK_UNROLL
  for (int i = 0; i < kM; ++i) {
    f.limb[i] = detail::modulus30<F>(i);
    const int word = 30 * i / 32;
    const int shift = 30 * i % 32;
    std::uint64_t v = word < F::N ? a.limb[word] : 0;
    if (word + 1 < F::N) v |= static_cast<std::uint64_t>(a.limb[word + 1]) << 32;
    g.limb[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(v >> shift) & detail::kMask30);
    d.limb[i] = 0;
    e.limb[i] = i == 0 ? 1 : 0;
  }
  std::int32_t delta = 1;
  const std::uint32_t m_inverse = 0 - F::inverse_word();
  while (true) {
    const std::uint32_t f_low = static_cast<std::uint32_t>(f.limb[0]) | static_cast<std::uint32_t>(f.limb[1])
                                                                            << 30;
    const std::uint32_t g_low = static_cast<std::uint32_t>(g.limb[0]) | static_cast<std::uint32_t>(g.limb[1])
                                                                            << 30;
    const detail::DivisionMatrix30 t = detail::division_steps_30(delta, f_low, g_low);
    detail::apply_modular_30<F>(t, d, e, m_inverse);
    detail::apply_exact_30(t, f, g);
    std::int32_t any = 0;
    CUZK_UNROLL
    for (int i = 0; i < kM; ++i) any |= g.limb[i];
    if (any == 0) break;
  }
  // f is 1 or -1, and d = f / a mod m, in (-2m, m).
  const bool negative = f.limb[kM - 1] < 0;
  detail::add_modulus_30<F>(d, d.limb[kM - 1] < 0);
  detail::add_modulus_30<F>(d, d.limb[kM - 1] < 0);
  F r;
  CUZK_UNROLL
  for (int i = 0; i < F::N; ++i) {
    const int limb = 32 * i / 30;
    const int shift = 32 * i % 30;
    std::uint64_t v = static_cast<std::uint64_t>(static_cast<std::uint32_t>(d.limb[limb])) >> shift;
    v |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(d.limb[limb + 1])) << (30 - shift);
    if (limb + 2 < kM)
      v |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(d.limb[limb + 2])) << (60 - shift);
    r.limb[i] = static_cast<std::uint32_t>(v);
  }
  // The argument was a R, so this is (a R)^-1; times R^3 / R gives a^-1 R.
  r = r * r_cubed<Params>();
  return negative ? -r : r;
}

CUZK_HD inline Fp2x32 inverse(const Fp2x32& a) {
  const Fp32 n = inverse(a.c0.square() + a.c1.square());
  return {a.c0 * n, -(a.c1 * n)};
}

}  // namespace cuzk::cuda
