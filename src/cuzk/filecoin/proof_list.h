#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuzk {

/// Where a list of vanilla proofs stands in what a caller was given, for messages: member and place.
struct ProofList {
  std::string_view member = "vanilla_proofs";  ///< as the API calls it; must outlive its users
  std::size_t first = 0;                       ///< place of the first element there

  /// "vanilla_proofs[3]"
  [[nodiscard]] std::string operator[](std::size_t i) const {
    return std::string(member) + '[' + std::to_string(first + i) + ']';
  }
};

}  // namespace cuzk
