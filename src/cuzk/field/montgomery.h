#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "cuzk/field/bigint.h"
// Assembly of the host, where there is one. Constant evaluation and device code take the plain definitions.
//
// A .cu file is compiled once for the host and once for each device architecture, and its host half meets the
// objects of the C++ compiler in one program: there, one class must have one definition, or the linker keeps
// whichever copy of an inline function it finds first. So no declaration depends on the compiler
// (__CUDACC__): CUZK_HOST_X86 says only that the host is x86-64, and the declarations under it are the same
// for g++, nvcc's host half and its device half (nvcc demands that of the last two as well). Function bodies
// choose by CUZK_HOST_X86_CODE, which is off in the device half alone (__CUDA_ARCH__): its functions are
// other entities, in other objects. An inline namespace per compiler would also keep the copies apart, but
// then no .cu file could call a function of a C++ file that takes an Fr.
#if defined(__x86_64__)
#define CUZK_HOST_X86 1
#include "cuzk/field/internal/x86_sum.h"
#endif
#if CUZK_HOST_X86 && !defined(__CUDA_ARCH__)
#define CUZK_HOST_X86_CODE 1
#endif

namespace cuzk {

/// A prime field in Montgomery form: the element x is stored as x * R mod p, R = 2^(64 N), in N little-endian
/// 64-bit limbs, always fully reduced (< p). That is the one memory form of the whole program, on host and
/// device, and the one of blst and of the device kernels.
///
/// `Params` gives `kLimbs` and `kModulus`; every other constant is computed from the modulus at compile time.
/// The modulus must leave its top bit free, so that the sum of two elements fits (true for r and p).
///
/// These functions are the definition that every faster kernel (field/kernels.h, CUDA) is tested against.
/// Variable time throughout: witnesses are protected by where they are stored, not by timing.
template <class Params>
struct Montgomery {
  static constexpr std::size_t kLimbs = Params::kLimbs;
  static constexpr std::size_t kBytes = 8 * kLimbs;
  using Int = BigInt<kLimbs>;

  std::uint64_t limb[kLimbs];

  // ---- constants
  /// Device code cannot index a static member array, so the functions below copy the modulus into a constant
  /// of their own (`kM`), which both compilers fold into immediates.
  CUZK_HD static constexpr Int modulus() { return Params::kModulus; }
  /// -modulus^-1 mod 2^64, by Newton iteration on the odd low limb.
  CUZK_HD static constexpr std::uint64_t inv64() {
    const std::uint64_t m = Params::kModulus.limb[0];
    std::uint64_t x = 1;
    for (int i = 0; i < 6; ++i) x *= 2 - m * x;
    return ~x + 1;
  }
  CUZK_HD static constexpr Montgomery zero() { return Montgomery{}; }
  CUZK_HD static constexpr Montgomery one() {
    constexpr Montgomery kR = power_of_two_plain(64 * kLimbs);
    return kR;
  }
  /// R^2 mod p as a raw limb pattern (the Montgomery form of R).
  CUZK_HD static constexpr Montgomery r_squared() {
    constexpr Montgomery kR2 = power_of_two_plain(128 * kLimbs);
    return kR2;
  }

  // ---- conversion
  CUZK_HD static constexpr Montgomery from_u64(std::uint64_t v) {
    Montgomery r{};
    r.limb[0] = v;
    return r * r_squared();
  }
  /// `v` must be below the modulus (the caller has checked; canonical() tells).
  CUZK_HD static constexpr Montgomery from_int(const Int& v) {
    Montgomery r{};
    for (std::size_t i = 0; i < kLimbs; ++i) r.limb[i] = v.limb[i];
    return r * r_squared();
  }
  CUZK_HD static constexpr bool canonical(const Int& v) { return Int::compare(v, Params::kModulus) < 0; }
  CUZK_HD constexpr Int to_int() const {
    Montgomery unit{};
    unit.limb[0] = 1;
    const Montgomery plain = *this * unit;
    Int r{};
    for (std::size_t i = 0; i < kLimbs; ++i) r.limb[i] = plain.limb[i];
    return r;
  }
  /// Canonical little-endian bytes, kBytes of them. Nothing when the value is not below the modulus.
  static std::optional<Montgomery> from_bytes_le(const std::uint8_t* bytes) {
    Int v{};
    for (std::size_t i = 0; i < kBytes; ++i)
      v.limb[i / 8] |= static_cast<std::uint64_t>(bytes[i]) << (8 * (i % 8));
    if (!canonical(v)) return std::nullopt;
    return from_int(v);
  }
  static std::optional<Montgomery> from_bytes_le(const std::array<std::uint8_t, kBytes>& bytes) {
    return from_bytes_le(bytes.data());
  }
  [[nodiscard]] std::array<std::uint8_t, kBytes> to_bytes_le() const {
    const Int v = to_int();
    std::array<std::uint8_t, kBytes> out;
    for (std::size_t i = 0; i < kBytes; ++i)
      out[i] = static_cast<std::uint8_t>(v.limb[i / 8] >> (8 * (i % 8)));
    return out;
  }

  // ---- tests
  CUZK_HD friend constexpr bool operator==(const Montgomery& a, const Montgomery& b) {
    std::uint64_t diff = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) diff |= a.limb[i] ^ b.limb[i];
    return diff == 0;
  }
  CUZK_HD constexpr bool is_zero() const {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) any |= limb[i];
    return any == 0;
  }
  CUZK_HD constexpr bool is_one() const { return *this == one(); }

  // ---- arithmetic
  // ------------------------------------------------------------------------------------------ The *_plain
  // functions are the definitions. The operators choose the host's assembly where it exists.
  CUZK_HD friend CUZK_INLINE constexpr Montgomery operator+(const Montgomery& a, const Montgomery& b) {
#if CUZK_HOST_X86_CODE
    if constexpr (kLimbs == 4 || kLimbs == 6)
      if (!std::is_constant_evaluated()) {
        Montgomery r = a;
        internal::x86_add(r.limb, b.limb, Params::kModulus.limb);
        return r;
      }
#endif
    return add_plain(a, b);
  }
  CUZK_HD friend CUZK_INLINE constexpr Montgomery operator-(const Montgomery& a, const Montgomery& b) {
#if CUZK_HOST_X86_CODE
    if constexpr (kLimbs == 4 || kLimbs == 6)
      if (!std::is_constant_evaluated()) {
        Montgomery r = a;
        internal::x86_sub(r.limb, b.limb, Params::kModulus.limb);
        return r;
      }
#endif
    return sub_plain(a, b);
  }
  CUZK_HD friend CUZK_INLINE constexpr Montgomery operator*(const Montgomery& a, const Montgomery& b) {
#if CUZK_HOST_X86_CODE
    if constexpr (requires { &Params::host_product; })
      if (!std::is_constant_evaluated()) {
        Montgomery r;
        Params::host_product(r.limb, a.limb, b.limb);
        return r.in_words();
      }
#endif
    return mul_plain(a, b);
  }

  CUZK_HD static CUZK_INLINE constexpr Montgomery add_plain(const Montgomery& a, const Montgomery& b) {
    Montgomery r{};
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) r.limb[i] = detail::add_carry(a.limb[i], b.limb[i], carry);
    r.reduce_once();
    return r;
  }
  CUZK_HD static CUZK_INLINE constexpr Montgomery sub_plain(const Montgomery& a, const Montgomery& b) {
    constexpr Int kM = Params::kModulus;
    Montgomery r{};
    std::uint64_t borrow = 0;
    for (std::size_t i = 0; i < kLimbs; ++i) r.limb[i] = detail::sub_borrow(a.limb[i], b.limb[i], borrow);
    const std::uint64_t mask = 0 - borrow;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i < kLimbs; ++i)
      r.limb[i] = detail::add_carry(r.limb[i], kM.limb[i] & mask, carry);
    return r;
  }
  CUZK_HD constexpr Montgomery operator-() const {
    return zero() - *this;
  }
  CUZK_HD constexpr Montgomery dbl() const {
    return *this + *this;
  }

  /// Montgomery product a * b / R mod p: coarsely integrated operand scanning. Because the modulus leaves its
  /// top bit free, the running value stays below 2p and needs no extra limb.
  CUZK_HD static constexpr Montgomery mul_plain(const Montgomery& a, const Montgomery& b) {
    constexpr Int kM = Params::kModulus;
    Montgomery t{};
    for (std::size_t i = 0; i < kLimbs; ++i) {
      std::uint64_t carry_a = 0;
      std::uint64_t carry_m = 0;
      const std::uint64_t t0 = detail::mul_add(t.limb[0], a.limb[0], b.limb[i], carry_a);
      const std::uint64_t m = t0 * inv64();
      (void)detail::mul_add(t0, m, kM.limb[0], carry_m);
      for (std::size_t j = 1; j < kLimbs; ++j) {
        const std::uint64_t tj = detail::mul_add(t.limb[j], a.limb[j], b.limb[i], carry_a);
        t.limb[j - 1] = detail::mul_add(tj, m, kM.limb[j], carry_m);
      }
      t.limb[kLimbs - 1] = carry_a + carry_m;
    }
    t.reduce_once();
    return t;
  }
  CUZK_HD constexpr Montgomery square() const {
    return *this * *this;
  }

  CUZK_HD constexpr Montgomery& operator+=(const Montgomery& b) {
    return *this = *this + b;
  }
  CUZK_HD constexpr Montgomery& operator-=(const Montgomery& b) {
    return *this = *this - b;
  }
  CUZK_HD constexpr Montgomery& operator*=(const Montgomery& b) {
#if CUZK_HOST_X86_CODE
    // In place: a copy made of wide loads would wait for the words just stored.
    if constexpr (requires { &Params::host_product; })
      if (!std::is_constant_evaluated()) {
        Params::host_product(limb, limb, b.limb);
        return *this;
      }
#endif
    return *this = *this * b;
  }

  /// this^exponent; 0^0 is 1.
  template <std::size_t M>
  CUZK_HD constexpr Montgomery pow(const BigInt<M>& exponent) const {
    Montgomery r = one();
    for (std::size_t i = exponent.bit_length(); i-- > 0;) {
      r = r.square();
      if (exponent.bit(i)) r = r * *this;
    }
    return r;
  }
  CUZK_HD constexpr Montgomery pow(std::uint64_t exponent) const {
    return pow(BigInt<1>{{exponent}});
  }

  /// Multiplicative inverse; the inverse of 0 is 0. Some hundred products: invert many values together
  /// (batch_inverse).
  CUZK_HD constexpr Montgomery inverse() const {
#if CUZK_HOST_X86_CODE
    if constexpr (requires { &Params::host_inverse; })
      if (!std::is_constant_evaluated()) {
        Montgomery r;
        Params::host_inverse(r.limb, limb);
        return r;
      }
#endif
    return inverse_plain();
  }
  /// The definition, by Fermat's little theorem: some 400 products.
  CUZK_HD constexpr Montgomery inverse_plain() const {
    Int e = Params::kModulus;
    e.limb[0] -= 2;  // both moduli end in a limb greater than 1
    return pow(e);
  }

#if CUZK_HOST_X86
  /// The same value. Keeps the compiler from copying what has just been stored word by word with wide loads,
  /// which would wait for all words to reach the cache.
  CUZK_INLINE Montgomery in_words() const {
    Montgomery r;
    for (std::size_t i = 0; i < kLimbs; ++i) {
      std::uint64_t word = limb[i];
      __asm__("" : "+r"(word));
      r.limb[i] = word;
    }
    return r;
  }
#endif

 private:
  CUZK_HD CUZK_INLINE constexpr void reduce_once() {
    constexpr Int kM = Params::kModulus;
    std::uint64_t borrow = 0;
    std::uint64_t d[kLimbs]{};
    for (std::size_t i = 0; i < kLimbs; ++i) d[i] = detail::sub_borrow(limb[i], kM.limb[i], borrow);
    const std::uint64_t keep = 0 - borrow;
    for (std::size_t i = 0; i < kLimbs; ++i) limb[i] = (limb[i] & keep) | (d[i] & ~keep);
  }

  /// 2^k mod p as a raw limb pattern, by doubling; for the constants above.
  CUZK_HD static constexpr Montgomery power_of_two_plain(std::size_t k) {
    Montgomery r{};
    r.limb[0] = 1;
    for (std::size_t i = 0; i < k; ++i) r = r + r;
    return r;
  }
};

}  // namespace cuzk
