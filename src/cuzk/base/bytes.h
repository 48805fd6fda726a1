#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace cuzk {

/// 32 raw bytes: a commitment, a tree node, a digest, or the little-endian bytes of a scalar.
using Bytes32 = std::array<std::uint8_t, 32>;
using ByteSpan = std::span<const std::uint8_t>;

/// The bytes of a text, without terminator.
inline ByteSpan byte_span(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

static_assert(std::endian::native == std::endian::little, "memory forms are little-endian limbs");

template <class T>
inline T load_le(const std::uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class T>
inline void store_le(std::uint8_t* p, T v) {
  std::memcpy(p, &v, sizeof v);
}

inline std::uint32_t load_be32(const std::uint8_t* p) {
  return __builtin_bswap32(load_le<std::uint32_t>(p));
}
inline std::uint64_t load_be64(const std::uint8_t* p) {
  return __builtin_bswap64(load_le<std::uint64_t>(p));
}
inline void store_be32(std::uint8_t* p, std::uint32_t v) {
  store_le(p, __builtin_bswap32(v));
}
inline void store_be64(std::uint8_t* p, std::uint64_t v) {
  store_le(p, __builtin_bswap64(v));
}

}  // namespace cuzk
