#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cuzk/field/montgomery.h"

namespace cuzk {
namespace detail {

/// A signed integer of M limbs of 62 bits, value sum limb[i] * 2^(62 i): all limbs but the last are in [0,
/// 2^62), the last carries the sign. 62 bits leave room for the products of the division-step matrices below.
template <std::size_t M>
struct Signed62 {
  std::array<std::int64_t, M> limb{};
};

inline constexpr std::int64_t kMask62 = static_cast<std::int64_t>((std::uint64_t{1} << 62) - 1);

/// The product of 62 division steps, scaled by 2^62: (f', g') = (u f + v g, q f + r g) / 2^62.
/// Every entry is at most 2^62 in absolute value and |u| + |v|, |q| + |r| <= 2^62.
struct DivisionMatrix {
  std::int64_t u, v, q, r;
};

/// Runs 62 division steps of Bernstein and Yang ("Fast constant-time gcd computation and modular inversion",
/// 2019) on the low words of f (odd) and g, in variable time: runs of zero bits of g are skipped with one
/// shift, and up to eight steps that only add multiples of f to g are taken at once. `delta` is the paper's.
inline DivisionMatrix division_steps_62(std::int64_t& delta, std::uint64_t f, std::uint64_t g) {
  std::uint64_t u = 1;
  std::uint64_t v = 0;
  std::uint64_t q = 0;
  std::uint64_t r = 1;
  int left = 62;
  while (true) {
    const int zeros = std::countr_zero(g | (std::uint64_t{1} << left));
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    delta += zeros;
    left -= zeros;
    if (left == 0) break;
    if (delta > 0) {
      // The swapping step, without its halving: (f, g) <- (g, -f).
      delta = -delta;
      std::uint64_t t = f;
      f = g;
      g = 0 - t;
      t = u;
      u = q;
      q = 0 - t;
      t = v;
      v = r;
      r = 0 - t;
    }
    // f and g are odd. The next `run` steps add f to g or not, and halve: choose the multiple of f that
    // clears that many low bits at once. (Steps keep f for delta, ..., 0; here delta <= 0.)
    std::int64_t run = 1 - delta;
    if (run > left) run = left;
    if (run > 8) run = 8;
    // -1/f modulo 2^8: f itself is its inverse modulo 8; one Newton step doubles the bits (to 6), another
    // to 12.
    std::uint64_t inverse = f;
    inverse *= 2 - f * inverse;
    inverse *= 2 - f * inverse;
    const std::uint64_t w = (0 - g * inverse) & ((std::uint64_t{1} << run) - 1);
    g += f * w;
    q += u * w;
    r += v * w;
  }
  return {static_cast<std::int64_t>(u), static_cast<std::int64_t>(v), static_cast<std::int64_t>(q),
          static_cast<std::int64_t>(r)};
}

/// (a, b) <- (u a + v b, q a + r b) / 2^62; the divisions are exact.
template <std::size_t M>
void apply_exact(const DivisionMatrix& t, Signed62<M>& a, Signed62<M>& b) {
  __int128 ca = static_cast<__int128>(t.u) * a.limb[0] + static_cast<__int128>(t.v) * b.limb[0];
  __int128 cb = static_cast<__int128>(t.q) * a.limb[0] + static_cast<__int128>(t.r) * b.limb[0];
  ca >>= 62;
  cb >>= 62;
  for (std::size_t i = 1; i < M; ++i) {
    const std::int64_t ai = a.limb[i];
    const std::int64_t bi = b.limb[i];
    ca += static_cast<__int128>(t.u) * ai + static_cast<__int128>(t.v) * bi;
    cb += static_cast<__int128>(t.q) * ai + static_cast<__int128>(t.r) * bi;
    a.limb[i - 1] = static_cast<std::int64_t>(ca) & kMask62;
    b.limb[i - 1] = static_cast<std::int64_t>(cb) & kMask62;
    ca >>= 62;
    cb >>= 62;
  }
  a.limb[M - 1] = static_cast<std::int64_t>(ca);
  b.limb[M - 1] = static_cast<std::int64_t>(cb);
}

/// The same modulo `m`: (d, e) <- (u d + v e, q d + r e) / 2^62 mod m, with d and e kept in (-2m, m).
/// `m_inverse` is m^-1 mod 2^62. Adding m where the argument is negative keeps the combination in (-m, m)
/// times 2^62, and the multiple of m that makes the division exact is taken from (-2^62, 0].
template <std::size_t M>
void apply_modular(const DivisionMatrix& t, Signed62<M>& d, Signed62<M>& e, const Signed62<M>& m,
                   std::uint64_t m_inverse) {
  const std::int64_t sign_d = d.limb[M - 1] >> 63;
  const std::int64_t sign_e = e.limb[M - 1] >> 63;
  std::int64_t md = (t.u & sign_d) + (t.v & sign_e);
  std::int64_t me = (t.q & sign_d) + (t.r & sign_e);
  __int128 cd = static_cast<__int128>(t.u) * d.limb[0] + static_cast<__int128>(t.v) * e.limb[0];
  __int128 ce = static_cast<__int128>(t.q) * d.limb[0] + static_cast<__int128>(t.r) * e.limb[0];
  constexpr auto kMask = static_cast<std::uint64_t>(kMask62);
  md -= static_cast<std::int64_t>(
      (m_inverse * static_cast<std::uint64_t>(cd) + static_cast<std::uint64_t>(md)) & kMask);
  me -= static_cast<std::int64_t>(
      (m_inverse * static_cast<std::uint64_t>(ce) + static_cast<std::uint64_t>(me)) & kMask);
  cd += static_cast<__int128>(m.limb[0]) * md;
  ce += static_cast<__int128>(m.limb[0]) * me;
  cd >>= 62;
  ce >>= 62;
  for (std::size_t i = 1; i < M; ++i) {
    const std::int64_t di = d.limb[i];
    const std::int64_t ei = e.limb[i];
    cd += static_cast<__int128>(t.u) * di + static_cast<__int128>(t.v) * ei +
          static_cast<__int128>(m.limb[i]) * md;
    ce += static_cast<__int128>(t.q) * di + static_cast<__int128>(t.r) * ei +
          static_cast<__int128>(m.limb[i]) * me;
    d.limb[i - 1] = static_cast<std::int64_t>(cd) & kMask62;
    e.limb[i - 1] = static_cast<std::int64_t>(ce) & kMask62;
    cd >>= 62;
    ce >>= 62;
  }
  d.limb[M - 1] = static_cast<std::int64_t>(cd);
  e.limb[M - 1] = static_cast<std::int64_t>(ce);
}

template <std::size_t M, std::size_t N>
constexpr Signed62<M> to_signed62(const std::uint64_t (&limb)[N]) {
  Signed62<M> r;
  for (std::size_t i = 0; i < M; ++i) {
    const std::size_t word = 62 * i / 64;
    const std::size_t shift = 62 * i % 64;
    std::uint64_t v = word < N ? limb[word] >> shift : 0;
    if (shift != 0 && word + 1 < N) v |= limb[word + 1] << (64 - shift);
    r.limb[i] = static_cast<std::int64_t>(v & static_cast<std::uint64_t>(kMask62));
  }
  return r;
}

}  // namespace detail

/// 1 / a in Montgomery form, 0 for 0, by division steps: some ten times quicker than the Fermat power of
/// Montgomery::inverse_plain(), which tests compare it with. Variable time. Host only.
template <class Params>
Montgomery<Params> inverse_by_division_steps(const Montgomery<Params>& a) {
  using F = Montgomery<Params>;
  // One bit for the sign, one of slack for the range (-2m, m).
  constexpr std::size_t kM = (64 * F::kLimbs + 2 + 61) / 62;
  if (a.is_zero()) return F::zero();
  const detail::Signed62<kM> modulus = detail::to_signed62<kM>(Params::kModulus.limb);
  constexpr std::uint64_t kInverse = 0 - F::inv64();  // m^-1 mod 2^64
  detail::Signed62<kM> f = modulus;
  detail::Signed62<kM> g = detail::to_signed62<kM>(a.limb);
  detail::Signed62<kM> d{};
  detail::Signed62<kM> e{};
  e.limb[0] = 1;
  std::int64_t delta = 1;
  while (true) {
    // The low words: 62 bits of limb 0 and two of limb 1, more than the 62 steps look at.
    const auto low = [](const detail::Signed62<kM>& x) {
      return static_cast<std::uint64_t>(x.limb[0]) | static_cast<std::uint64_t>(x.limb[1]) << 62;
    };
    const detail::DivisionMatrix t = detail::division_steps_62(delta, low(f), low(g));
    detail::apply_modular(t, d, e, modulus, kInverse);
    detail::apply_exact(t, f, g);
    std::int64_t any = 0;
    for (const std::int64_t l : g.limb) any |= l;
    if (any == 0) break;
  }
  // f is 1 or -1, and d = f / a mod m, in (-2m, m).
  const bool negative = f.limb[kM - 1] < 0;
  __int128 carry = 0;
  const std::int64_t add = d.limb[kM - 1] >> 63;
  for (std::size_t i = 0; i < kM; ++i) {
    carry += static_cast<__int128>(d.limb[i]) + (modulus.limb[i] & add);
    d.limb[i] =
        i + 1 < kM ? static_cast<std::int64_t>(carry) & detail::kMask62 : static_cast<std::int64_t>(carry);
    carry >>= 62;
  }
  const std::int64_t again = d.limb[kM - 1] >> 63;
  carry = 0;
  for (std::size_t i = 0; i < kM; ++i) {
    carry += static_cast<__int128>(d.limb[i]) + (modulus.limb[i] & again);
    d.limb[i] =
        i + 1 < kM ? static_cast<std::int64_t>(carry) & detail::kMask62 : static_cast<std::int64_t>(carry);
    carry >>= 62;
  }
  F r{};
  for (std::size_t i = 0; i < F::kLimbs; ++i) {
    const std::size_t limb = 64 * i / 62;
    const std::size_t shift = 64 * i % 62;
    std::uint64_t v = static_cast<std::uint64_t>(d.limb[limb]) >> shift;
    v |= static_cast<std::uint64_t>(d.limb[limb + 1]) << (62 - shift);
    // A word may reach into a third limb.
    if (124 - shift < 64 && limb + 2 < kM) v |= static_cast<std::uint64_t>(d.limb[limb + 2]) << (124 - shift);
    r.limb[i] = v;
  }
  // The argument was a R, so this is (a R)^-1; times R^3 / R gives a^-1 R.
  constexpr F kR3 = F::r_squared() * F::r_squared();
  r = r * kR3;
  return negative ? -r : r;
}

}  // namespace cuzk
