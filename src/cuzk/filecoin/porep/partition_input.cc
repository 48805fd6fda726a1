#include "cuzk/filecoin/porep/partition_input.h"

namespace cuzk::porep {

PartitionInput PartitionInput::blank(const CircuitParams& p) {
  const MerklePath tree = MerklePath::blank(p.base_levels, p.base_arity, p.sub_arity, p.top_arity);
  const ColumnInput column{std::vector<Fr>(p.layers, Fr::zero()), tree};
  ChallengeInput challenge;
  challenge.tree_d = MerklePath::blank(p.tree_d_levels, 2, 0, 0);
  challenge.drg_parents.fill(column);
  challenge.expander_parents.fill(column);
  challenge.tree_r = tree;
  challenge.own_column = tree;
  PartitionInput out;
  out.challenges.assign(p.challenges, challenge);
  return out;
}

}  // namespace cuzk::porep
