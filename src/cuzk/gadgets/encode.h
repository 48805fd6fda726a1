#pragma once

#include <span>
#include <vector>

#include "cuzk/gadgets/num.h"

namespace cuzk {

/// The replica node: key (the last label) plus data.
template <class CS>
AllocatedNum encode(CS& cs, const AllocatedNum& key, const AllocatedNum& value) {
  return num_add(cs, key, value);
}

/// The data: replica node minus key.
template <class CS>
AllocatedNum decode(CS& cs, const AllocatedNum& key, const AllocatedNum& value) {
  return num_sub(cs, value, key);
}

/// Every input bit xor the key bit at its index modulo the key's length (256).
template <class CS>
std::vector<Boolean> xor_with_key(CS& cs, std::span<const Boolean> key, std::span<const Boolean> input) {
  std::vector<Boolean> out;
  for (std::size_t i = 0; i < input.size(); ++i)
    out.push_back(boolean_xor(cs, input[i], key[i % key.size()]));
  return out;
}

}  // namespace cuzk
