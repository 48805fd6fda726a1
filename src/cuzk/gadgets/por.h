#pragma once

#include <bit>
#include <span>
#include <variant>
#include <vector>

#include "cuzk/gadgets/insertion.h"
#include "cuzk/gadgets/merkle_path.h"
#include "cuzk/gadgets/tree_hash.h"

namespace cuzk {

/// A number that is already a variable, or a value still to be allocated.
using NumOrValue = std::variant<AllocatedNum, Fr>;

template <class CS>
AllocatedNum allocated(CS& cs, const NumOrValue& n) {
  if (const auto* variable = std::get_if<AllocatedNum>(&n)) return *variable;
  return num_alloc(cs, std::get<Fr>(n));
}

namespace detail {

/// One level up: index bits, then siblings, then the hash of all children.
template <class Tree, class CS>
AllocatedNum por_level(CS& cs, const AllocatedNum& current, const MerkleLevel& level,
                       std::vector<Boolean>& all_bits) {
  CUZK_CHECK(std::has_single_bit(level.arity()));
  std::vector<Boolean> bits;
  {
    const Namespace ns(cs, "index bits");
    for (unsigned i = 0; (std::size_t{1} << i) < level.arity(); ++i)
      bits.push_back(Boolean::is(bit_alloc(cs, (level.index >> i & 1) != 0)));
  }
  all_bits.insert(all_bits.end(), bits.begin(), bits.end());
  std::vector<AllocatedNum> siblings;
  for (const Fr& s : level.siblings) siblings.push_back(num_alloc(cs, s));
  std::vector<AllocatedNum> children;
  {
    const Namespace ns(cs, "insert");
    children = insert(cs, current, bits, siblings);
  }
  const Namespace ns(cs, "hash");
  return Tree::hash(cs, children);
}

}  // namespace detail

/// The PoR circuit (constraint-system-and-gadgets 9.3): leaf and path lead to root; the leaf's index becomes
/// one public input; the root another one unless `root_is_private`. Returns the root as the path gives it.
template <class Tree, class CS>
AllocatedNum por(CS& cs, const NumOrValue& leaf, const MerklePath& path, const NumOrValue& root,
                 bool root_is_private) {
  AllocatedNum current;
  {
    const Namespace ns(cs, "value");
    current = allocated(cs, leaf);
  }
  std::vector<Boolean> index;
  const auto climb = [&](const char* name, const std::vector<MerkleLevel>& levels) {
    const Namespace part(cs, name);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      const Namespace ns(cs, {"merkle layer ", i});
      current = detail::por_level<Tree>(cs, current, levels[i], index);
    }
  };
  climb("base", path.base);
  climb("sub", path.sub);
  climb("top", path.top);
  {
    const Namespace ns(cs, "path");
    pack_into_inputs(cs, index);
  }
  AllocatedNum expected;
  {
    const Namespace ns(cs, "root_value");
    expected = allocated(cs, root);
  }
  enforce_equal(cs, current, expected);
  if (!root_is_private) inputize(cs, expected);
  return current;
}

/// Siblings of a path that are variables already.
using AllocatedSiblings = std::vector<std::vector<AllocatedNum>>;

/// The path check on given variables (constraint-system-and-gadgets 9.4): levels from the leaf up, each
/// taking log2 of its arity of `bits`; all bits must be used up.
template <class Tree, class CS>
void por_no_challenge_input(CS& cs, std::span<const AllocatedBit> bits, const AllocatedNum& leaf,
                            const AllocatedSiblings& path, const AllocatedNum& root) {
  AllocatedNum current = leaf;
  std::size_t used = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Namespace ns(cs, {"merkle layer ", i});
    const std::size_t arity = path[i].size() + 1;
    CUZK_CHECK(std::has_single_bit(arity));
    const auto count = static_cast<std::size_t>(std::countr_zero(arity));
    CUZK_CHECK(used + count <= bits.size());
    std::vector<Boolean> index;
    for (std::size_t b = 0; b < count; ++b) index.push_back(Boolean::is(bits[used++]));
    current = Tree::hash(cs, insert(cs, current, index, path[i]));
  }
  CUZK_CHECK(used == bits.size());
  enforce_equal(cs, current, root);
}

}  // namespace cuzk
