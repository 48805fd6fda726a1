#pragma once

#include "cuzk/filecoin/merkle/merkle_proof.h"
#include "cuzk/gadgets/merkle_path.h"

namespace cuzk {

/// The path of a proof as the circuits take it. kBadInput when a sibling is no canonical scalar or a position
/// is not below its level's arity.
Result<MerklePath> circuit_path(const MerkleProof& proof);

/// A path of zeros for recording a shape.
MerklePath blank_circuit_path(const TreeShape& shape);

}  // namespace cuzk
