#include "cuzk/filecoin/porep/vanilla_proof.h"

namespace cuzk::porep {

ProofLayout::ProofLayout(const SectorParams& sector)
    : sector_(&sector),
      tree_d_nodes_(2 + sector.tree_d_levels()),
      tree_r_nodes_(2 + sector.tree.siblings()),
      column_nodes_(sector.layers + tree_r_nodes_),
      column_numbers_(1 + sector.tree.levels()) {}

}  // namespace cuzk::porep
