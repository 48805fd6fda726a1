#pragma once

#include <array>

#include "cuzk/field/fr.h"

namespace cuzk {

namespace detail {
constexpr std::array<Fr, 256> powers_of_two() {
  std::array<Fr, 256> out{};
  out[0] = Fr::one();
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = out[i - 1].dbl();
  return out;
}
inline constexpr std::array<Fr, 256> kPowersOfTwo = powers_of_two();
}  // namespace detail

/// 2^k mod r, k < 256.
inline const Fr& power_of_two(std::size_t k) {
  return detail::kPowersOfTwo[k];
}

}  // namespace cuzk
