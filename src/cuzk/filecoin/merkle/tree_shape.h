#pragma once

#include <bit>
#include <cstdint>

namespace cuzk {

/// The shape of a Merkle tree: `base_levels` levels of `base_arity` above the leaves, then at most one level
/// of `sub_arity`, then at most one of `top_arity` (0: no such level; a top level needs a sub level). Level L
/// joins the nodes of height L, so level 0 joins leaves. Arities are powers of two. post-and-snap 1.2.
struct TreeShape {
  unsigned base_levels = 0;
  unsigned base_arity = 8;
  unsigned sub_arity = 0;
  unsigned top_arity = 0;

  /// Tree D and other binary trees.
  static constexpr TreeShape binary(unsigned levels) { return {levels, 2, 0, 0}; }

  [[nodiscard]] constexpr unsigned levels() const {
    return base_levels + (sub_arity != 0 ? 1 : 0) + (top_arity != 0 ? 1 : 0);
  }
  [[nodiscard]] constexpr unsigned arity(unsigned level) const {
    return level < base_levels ? base_arity : level == base_levels ? sub_arity : top_arity;
  }
  /// Siblings of a path that lie below the given level.
  [[nodiscard]] constexpr unsigned siblings_below(unsigned level) const {
    const unsigned base = base_arity - 1;
    if (level <= base_levels) return base * level;
    return base * base_levels + (sub_arity - 1) + (level > base_levels + 1 ? top_arity - 1 : 0);
  }
  /// Siblings of a whole path.
  [[nodiscard]] constexpr unsigned siblings() const { return siblings_below(levels()); }
  /// Bits of a leaf's index.
  [[nodiscard]] constexpr unsigned index_bits() const {
    unsigned bits = 0;
    for (unsigned level = 0; level < levels(); ++level)
      bits += static_cast<unsigned>(std::countr_zero(arity(level)));
    return bits;
  }
  [[nodiscard]] constexpr std::uint64_t leaves() const { return std::uint64_t{1} << index_bits(); }

  friend constexpr bool operator==(const TreeShape&, const TreeShape&) = default;
};

}  // namespace cuzk
