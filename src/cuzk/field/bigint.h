#pragma once

#include <cstddef>
#include <cstdint>

#include "cuzk/base/hd.h"

namespace cuzk {

/// An unsigned integer of N 64-bit limbs, least significant first. A plain value: never in Montgomery form.
/// The type of canonical scalars and of exponents, kept apart from field elements on purpose.
template <std::size_t N>
struct BigInt {
  std::uint64_t limb[N];

  CUZK_HD friend constexpr bool operator==(const BigInt& a, const BigInt& b) {
    std::uint64_t diff = 0;
    for (std::size_t i = 0; i < N; ++i) diff |= a.limb[i] ^ b.limb[i];
    return diff == 0;
  }

  CUZK_HD constexpr bool is_zero() const {
    std::uint64_t any = 0;
    for (std::size_t i = 0; i < N; ++i) any |= limb[i];
    return any == 0;
  }

  CUZK_HD constexpr bool bit(std::size_t i) const { return (limb[i / 64] >> (i % 64) & 1) != 0; }

  /// Number of bits up to and including the highest set one; 0 for zero.
  CUZK_HD constexpr std::size_t bit_length() const {
    for (std::size_t i = N; i-- > 0;)
      if (limb[i] != 0) {
        std::size_t bits = 64 * i;
        for (std::uint64_t v = limb[i]; v != 0; v >>= 1) ++bits;
        return bits;
      }
    return 0;
  }

  /// -1, 0 or 1.
  CUZK_HD static constexpr int compare(const BigInt& a, const BigInt& b) {
    for (std::size_t i = N; i-- > 0;)
      if (a.limb[i] != b.limb[i]) return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
  }

  CUZK_HD static constexpr BigInt from_u64(std::uint64_t v) {
    BigInt r{};
    r.limb[0] = v;
    return r;
  }
};

namespace detail {

/// a + b + carry; carry becomes 0 or 1.
CUZK_HD CUZK_INLINE constexpr std::uint64_t add_carry(std::uint64_t a, std::uint64_t b,
                                                      std::uint64_t& carry) {
  const unsigned __int128 s = static_cast<unsigned __int128>(a) + b + carry;
  carry = static_cast<std::uint64_t>(s >> 64);
  return static_cast<std::uint64_t>(s);
}

/// a - b - borrow; borrow becomes 0 or 1.
CUZK_HD CUZK_INLINE constexpr std::uint64_t sub_borrow(std::uint64_t a, std::uint64_t b,
                                                       std::uint64_t& borrow) {
  const unsigned __int128 d = static_cast<unsigned __int128>(a) - b - borrow;
  borrow = static_cast<std::uint64_t>(d >> 64) & 1;
  return static_cast<std::uint64_t>(d);
}

/// a + b * c + carry, low word; carry becomes the high word. Cannot overflow 128 bits.
CUZK_HD CUZK_INLINE constexpr std::uint64_t mul_add(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                                    std::uint64_t& carry) {
  const unsigned __int128 p = static_cast<unsigned __int128>(b) * c + a + carry;
  carry = static_cast<std::uint64_t>(p >> 64);
  return static_cast<std::uint64_t>(p);
}

}  // namespace detail
}  // namespace cuzk
