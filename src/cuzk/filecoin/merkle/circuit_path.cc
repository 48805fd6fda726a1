#include "cuzk/filecoin/merkle/circuit_path.h"

#include <string>
#include <utility>

namespace cuzk {

Result<MerklePath> circuit_path(const MerkleProof& proof) {
  MerklePath out;
  for (unsigned level = 0; level < proof.shape.levels(); ++level) {
    const std::string name = "level " + std::to_string(level);
    if (proof.indices[level] >= proof.shape.arity(level))
      return bad_input(name + ": the index is outside the level");
    MerkleLevel step;
    step.index = static_cast<std::uint32_t>(proof.indices[level]);
    for (const Bytes32& sibling : proof.siblings_at(level)) {
      const auto scalar = Fr::from_bytes_le(sibling);
      if (!scalar) return bad_input(name + ": a sibling is not a canonical scalar");
      step.siblings.push_back(*scalar);
    }
    const unsigned base = proof.shape.base_levels;
    (level < base ? out.base : level == base ? out.sub : out.top).push_back(std::move(step));
  }
  return out;
}

MerklePath blank_circuit_path(const TreeShape& shape) {
  return MerklePath::blank(shape.base_levels, shape.base_arity, shape.sub_arity, shape.top_arity);
}

}  // namespace cuzk
