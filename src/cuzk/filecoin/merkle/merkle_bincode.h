#pragma once

#include "cuzk/filecoin/bincode.h"
#include "cuzk/filecoin/merkle/merkle_proof.h"

namespace cuzk {

/// Bytes of one proof in a tree of this shape.
std::size_t merkle_proof_bytes(const TreeShape& shape);

/// One inclusion proof (post-and-snap 1.4): variant, level and sibling counts, canonical nodes and
/// positions must be those of the shape of `proof`, which is filled. The field's own name is the caller's to
/// set (BincodeReader::read_field).
bool read_merkle_proof(BincodeReader& reader, const MutableMerkleProof& proof);

void write_merkle_proof(BincodeWriter& writer, const MerkleProof& proof);

}  // namespace cuzk
