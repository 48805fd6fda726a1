#pragma once

#include <span>

#include "cuzk/base/bytes.h"
#include "cuzk/cpu/isa.h"
#include "cuzk/field/fr.h"
#include "cuzk/filecoin/merkle/merkle_proof.h"

namespace cuzk {

/// The scalar that a node is. Only for nodes known to be canonical: the readers let no others through.
Fr node_scalar(const Bytes32& node);

/// Inner node of tree D: SHA-256 of both children, the two top bits cleared.
Bytes32 tree_d_node(const Bytes32& left, const Bytes32& right);

/// comm_r = H(comm_c, comm_r_last).
Fr replica_commitment(const Fr& comm_c, const Fr& comm_r_last);

/// What the path of a proof in tree D leads to.
Bytes32 tree_d_root(const MerkleProof& proof);

/// roots[i] = what the path of proofs[i] leads to in a Poseidon tree. All proofs have one shape, canonical
/// nodes and positions below the arity. Give it several (multiples of 8): they are hashed side by side. One
/// core.
void poseidon_roots(std::span<const MerkleProof> proofs, std::span<Fr> roots, Isa isa);

}  // namespace cuzk
