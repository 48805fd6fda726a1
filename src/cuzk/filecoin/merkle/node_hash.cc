#include "cuzk/filecoin/merkle/node_hash.h"

#include <array>
#include <vector>

#include "cuzk/hash/poseidon.h"
#include "cuzk/hash/sha256.h"

namespace cuzk {

Fr node_scalar(const Bytes32& node) {
  const auto scalar = Fr::from_bytes_le(node);
  CUZK_CHECK(scalar.has_value());
  return *scalar;
}

Bytes32 tree_d_node(const Bytes32& left, const Bytes32& right) {
  return truncate_to_254_bits(sha256_pair(left, right));
}

Fr replica_commitment(const Fr& comm_c, const Fr& comm_r_last) {
  return poseidon(std::array{comm_c, comm_r_last});
}

Bytes32 tree_d_root(const MerkleProof& proof) {
  CUZK_CHECK(proof.shape == TreeShape::binary(proof.shape.base_levels));
  Bytes32 node = proof.leaf;
  for (std::size_t level = 0; level < proof.indices.size(); ++level) {
    const Bytes32& sibling = proof.siblings[level];
    node = proof.indices[level] != 0 ? tree_d_node(sibling, node) : tree_d_node(node, sibling);
  }
  return node;
}

void poseidon_roots(std::span<const MerkleProof> proofs, std::span<Fr> roots, Isa isa) {
  CUZK_CHECK(proofs.size() == roots.size());
  if (proofs.empty()) return;
  const TreeShape& shape = proofs[0].shape;
  std::vector<Fr> children;
  for (std::size_t i = 0; i < proofs.size(); ++i) roots[i] = node_scalar(proofs[i].leaf);
  for (unsigned level = 0; level < shape.levels(); ++level) {
    children.clear();
    for (std::size_t i = 0; i < proofs.size(); ++i) {
      const auto siblings = proofs[i].siblings_at(level);
      auto sibling = siblings.begin();
      for (unsigned c = 0; c < shape.arity(level); ++c)
        children.push_back(c == proofs[i].indices[level] ? roots[i] : node_scalar(*sibling++));
    }
    poseidon_hash_batch(poseidon_constants(shape.arity(level)), children, roots, isa);
  }
}

}  // namespace cuzk
