#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/filecoin/merkle/tree_shape.h"

namespace cuzk {

/// View of an inclusion proof of one leaf; `Node32` and `Number` are const for readers. Whoever owns the
/// nodes and numbers decides how long it is valid.
template <class Node32, class Number>
struct BasicMerkleProof {
  TreeShape shape;
  Node32& root;
  Node32& leaf;
  std::span<Node32> siblings;  ///< level by level from the leaf up, ascending position, the own one left out
  std::span<Number> indices;   ///< position of the own node in each level

  [[nodiscard]] std::span<Node32> siblings_at(unsigned level) const {
    return siblings.subspan(shape.siblings_below(level), shape.arity(level) - 1);
  }
  /// Which leaf of the tree the positions lead to. Meaningful when each is below its level's arity.
  [[nodiscard]] std::uint64_t leaf_index() const {
    std::uint64_t index = 0;
    for (unsigned level = shape.levels(); level-- > 0;) index = index * shape.arity(level) + indices[level];
    return index;
  }
  operator BasicMerkleProof<const Node32, const Number>() const {  // NOLINT: a reader's view of it
    return {shape, root, leaf, siblings, indices};
  }
};

using MerkleProof = BasicMerkleProof<const Bytes32, const std::uint64_t>;
using MutableMerkleProof = BasicMerkleProof<Bytes32, std::uint64_t>;

/// A view of a proof whose nodes (root, leaf, siblings) and numbers (positions) are stored in a row.
template <class Node32, class Number>
BasicMerkleProof<Node32, Number> merkle_proof_at(const TreeShape& shape, Node32* nodes, Number* numbers) {
  return {shape, nodes[0], nodes[1], {nodes + 2, shape.siblings()}, {numbers, shape.levels()}};
}

/// Inclusion proofs in trees of one shape, in two flat arrays.
class MerkleProofs {
 public:
  explicit MerkleProofs(const TreeShape& shape) : shape_(shape) {}

  [[nodiscard]] const TreeShape& shape() const { return shape_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size() / nodes_per_proof(); }
  [[nodiscard]] MerkleProof operator[](std::size_t i) const {
    return merkle_proof_at(shape_, nodes_.data() + i * nodes_per_proof(), numbers_.data() + i * levels());
  }
  [[nodiscard]] MutableMerkleProof operator[](std::size_t i) {
    return merkle_proof_at(shape_, nodes_.data() + i * nodes_per_proof(), numbers_.data() + i * levels());
  }
  void reserve(std::size_t proofs) {
    nodes_.reserve(proofs * nodes_per_proof());
    numbers_.reserve(proofs * levels());
  }
  /// Appends a proof of zeros. Invalidates views.
  MutableMerkleProof append() {
    nodes_.resize(nodes_.size() + nodes_per_proof());
    numbers_.resize(numbers_.size() + levels());
    return (*this)[size() - 1];
  }
  /// That the two arrays take.
  [[nodiscard]] std::size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(Bytes32) + numbers_.capacity() * sizeof(std::uint64_t);
  }
  friend bool operator==(const MerkleProofs&, const MerkleProofs&) = default;

 private:
  [[nodiscard]] std::size_t nodes_per_proof() const { return 2 + std::size_t{shape_.siblings()}; }
  [[nodiscard]] std::size_t levels() const { return shape_.levels(); }

  TreeShape shape_;
  std::vector<Bytes32> nodes_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace cuzk
