#pragma once

#include <span>
#include <vector>

#include "cuzk/gadgets/num.h"

namespace cuzk {

/// a * ONE = b.
template <class CS>
void enforce_equal(CS& cs, const AllocatedNum& a, const AllocatedNum& b) {
  cs.enforce([&](auto& lc) { lc.add(a.variable); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(b.variable); });
}

/// x = a + b: (a + b) * ONE = x.
template <class CS>
AllocatedNum num_add(CS& cs, const AllocatedNum& a, const AllocatedNum& b) {
  const AllocatedNum x = num_alloc(cs, a.value + b.value);
  cs.enforce([&](auto& lc) { lc.add(a.variable).add(b.variable); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(x.variable); });
  return x;
}

/// x = a - b: (x + b) * ONE = a, the minuend in C.
template <class CS>
AllocatedNum num_sub(CS& cs, const AllocatedNum& a, const AllocatedNum& b) {
  const AllocatedNum x = num_alloc(cs, a.value - b.value);
  cs.enforce([&](auto& lc) { lc.add(x.variable).add(b.variable); }, [](auto& lc) { lc.add(Variable::one()); },
             [&](auto& lc) { lc.add(a.variable); });
  return x;
}

template <class CS>
AllocatedNum encode(CS& cs, const AllocatedNum& key, const AllocatedNum& value) {
  return num_add(cs, key, value);
}

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
