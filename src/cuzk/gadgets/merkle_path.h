#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/field/fr.h"

namespace cuzk {

/// One level of a Merkle path: the siblings in ascending position with the own node left out, and the own
/// node's position 0..siblings.size().
struct MerkleLevel {
  std::vector<Fr> siblings;
  std::uint32_t index = 0;

  [[nodiscard]] std::size_t arity() const { return siblings.size() + 1; }
};

/// A path from a leaf up. `sub` and `top` hold one level each in trees that have these, none otherwise.
struct MerklePath {
  std::vector<MerkleLevel> base;
  std::vector<MerkleLevel> sub;
  std::vector<MerkleLevel> top;

  /// A path of zeros: base_levels of arity `base_arity`, a level each of sub and top arity unless 0.
  static MerklePath blank(unsigned base_levels, unsigned base_arity, unsigned sub_arity, unsigned top_arity) {
    const auto level = [](unsigned arity) { return MerkleLevel{std::vector<Fr>(arity - 1, Fr::zero()), 0}; };
    MerklePath p;
    p.base.assign(base_levels, level(base_arity));
    if (sub_arity != 0) p.sub.push_back(level(sub_arity));
    if (top_arity != 0) p.top.push_back(level(top_arity));
    return p;
  }
};

}  // namespace cuzk
