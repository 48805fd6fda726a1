#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cuzk {

/// Ones in a bitmap.
inline std::size_t count_bits(std::span<const std::uint64_t> words) {
  std::size_t total = 0;
  for (const std::uint64_t w : words) total += static_cast<std::size_t>(std::popcount(w));
  return total;
}

}  // namespace cuzk
