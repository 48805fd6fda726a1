#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cuzk/filecoin/merkle/merkle_proof.h"
#include "cuzk/filecoin/porep/sector.h"

namespace cuzk::porep {

/// Where everything of one challenge proof lies. The shape of a challenge proof is fixed by the sector size,
/// so all nodes of all proofs are one array of 32-byte values and all numbers another one, with the same
/// offsets in each challenge. Offsets count nodes or numbers.
class ProofLayout {
 public:
  explicit ProofLayout(const SectorParams& sector);

  /// A Merkle proof, as merkle_proof_at reads it: nodes root, leaf, siblings; numbers: the own positions.
  struct Merkle {
    std::size_t nodes;
    std::size_t numbers;
  };
  /// A column proof: nodes rows (layer 1 first), then the Merkle proof; numbers: the column's index, then
  /// those of the Merkle proof.
  struct Column {
    std::size_t nodes;
    std::size_t numbers;
  };
  /// A labeling proof: 37 nodes; numbers: layer index, node.
  struct Labeling {
    std::size_t nodes;
    std::size_t numbers;
  };

  [[nodiscard]] const SectorParams& sector() const { return *sector_; }
  [[nodiscard]] Merkle tree_d() const { return {0, 0}; }
  [[nodiscard]] Merkle tree_r() const { return {tree_d_nodes_, sector_->tree_d_levels()}; }
  /// 0: the challenge's own column; then the 6 DRG parents; then the 8 expander parents.
  [[nodiscard]] Column column(std::size_t i) const {
    return {tree_d_nodes_ + tree_r_nodes_ + i * column_nodes_,
            sector_->tree_d_levels() + sector_->tree.levels() + i * column_numbers_};
  }
  /// i < L: labeling proof of layer i + 1; i = L: the encoding proof.
  [[nodiscard]] Labeling labeling(std::size_t i) const {
    const Column end = column(1 + kParents);
    return {end.nodes + i * kLabelSlots, end.numbers + 2 * i};
  }
  [[nodiscard]] std::size_t nodes() const { return labeling(sector_->layers + 1).nodes; }
  [[nodiscard]] std::size_t numbers() const { return labeling(sector_->layers + 1).numbers; }

 private:
  const SectorParams* sector_;
  std::size_t tree_d_nodes_;
  std::size_t tree_r_nodes_;
  std::size_t column_nodes_;
  std::size_t column_numbers_;
};

// Views into a VanillaProof; `Node32` and `Number` are const for readers. Valid until the proof changes size.

template <class Node32, class Number>
struct BasicColumnProof {
  std::span<Node32> rows;  ///< layer 1 first
  Number& index;           ///< the node's number
  BasicMerkleProof<Node32, Number> inclusion;
};

template <class Node32, class Number>
struct BasicLabelingProof {
  std::span<Node32> parents;  ///< kLabelSlots, repetitions written out
  Number& layer_index;
  Number& node;
};

template <class Node32, class Number>
class BasicChallengeProof {
 public:
  BasicChallengeProof(const ProofLayout& layout, Node32* nodes, Number* numbers)
      : layout_(&layout), nodes_(nodes), numbers_(numbers) {}

  using Merkle = BasicMerkleProof<Node32, Number>;
  using Column = BasicColumnProof<Node32, Number>;
  using Labeling = BasicLabelingProof<Node32, Number>;

  [[nodiscard]] Merkle tree_d() const {
    return merkle(TreeShape::binary(layout_->sector().tree_d_levels()), layout_->tree_d().nodes,
                  layout_->tree_d().numbers);
  }
  [[nodiscard]] Merkle tree_r() const {
    return merkle(layout_->sector().tree, layout_->tree_r().nodes, layout_->tree_r().numbers);
  }
  [[nodiscard]] Column column(std::size_t i) const {
    const auto at = layout_->column(i);
    const SectorParams& s = layout_->sector();
    return {{nodes_ + at.nodes, s.layers},
            numbers_[at.numbers],
            merkle(s.tree, at.nodes + s.layers, at.numbers + 1)};
  }
  [[nodiscard]] Column own_column() const { return column(0); }
  [[nodiscard]] Column drg_parent(std::size_t i) const { return column(1 + i); }
  [[nodiscard]] Column expander_parent(std::size_t i) const { return column(1 + kDrgParents + i); }
  [[nodiscard]] Labeling labeling(std::size_t i) const {
    const auto at = layout_->labeling(i);
    return {{nodes_ + at.nodes, kLabelSlots}, numbers_[at.numbers], numbers_[at.numbers + 1]};
  }
  [[nodiscard]] Labeling encoding() const { return labeling(layout_->sector().layers); }

 private:
  [[nodiscard]] Merkle merkle(const TreeShape& shape, std::size_t nodes, std::size_t numbers) const {
    return merkle_proof_at(shape, nodes_ + nodes, numbers_ + numbers);
  }

  const ProofLayout* layout_;
  Node32* nodes_;
  Number* numbers_;
};

using ColumnProof = BasicColumnProof<const Bytes32, const std::uint64_t>;
using LabelingProof = BasicLabelingProof<const Bytes32, const std::uint64_t>;
using ChallengeProof = BasicChallengeProof<const Bytes32, const std::uint64_t>;
using MutableColumnProof = BasicColumnProof<Bytes32, std::uint64_t>;
using MutableLabelingProof = BasicLabelingProof<Bytes32, std::uint64_t>;
using MutableChallengeProof = BasicChallengeProof<Bytes32, std::uint64_t>;

/// The vanilla proof of a sector: its partitions' challenge proofs (porep 5.1), in two flat
/// arrays.
class VanillaProof {
 public:
  explicit VanillaProof(const SectorParams& sector) : layout_(sector) {}

  [[nodiscard]] const SectorParams& sector() const { return layout_.sector(); }
  [[nodiscard]] std::size_t challenges() const { return nodes_.size() / layout_.nodes(); }
  [[nodiscard]] std::size_t partitions() const { return challenges() / sector().challenges; }

  /// Challenge proof `i` of partition `k`.
  [[nodiscard]] ChallengeProof challenge(std::size_t k, std::size_t i) const {
    return at(k * sector().challenges + i);
  }
  [[nodiscard]] MutableChallengeProof challenge(std::size_t k, std::size_t i) {
    return at(k * sector().challenges + i);
  }
  [[nodiscard]] ChallengeProof at(std::size_t index) const {
    return {layout_, nodes_.data() + index * layout_.nodes(), numbers_.data() + index * layout_.numbers()};
  }
  [[nodiscard]] MutableChallengeProof at(std::size_t index) {
    return {layout_, nodes_.data() + index * layout_.nodes(), numbers_.data() + index * layout_.numbers()};
  }

  void reserve(std::size_t challenges) {
    nodes_.reserve(challenges * layout_.nodes());
    numbers_.reserve(challenges * layout_.numbers());
  }
  /// Appends a challenge proof of zeros. Invalidates views.
  MutableChallengeProof append() {
    nodes_.resize(nodes_.size() + layout_.nodes());
    numbers_.resize(numbers_.size() + layout_.numbers());
    return at(challenges() - 1);
  }

  /// That the two arrays take.
  [[nodiscard]] std::size_t memory_bytes() const {
    return nodes_.capacity() * sizeof(Bytes32) + numbers_.capacity() * sizeof(std::uint64_t);
  }

  friend bool operator==(const VanillaProof& a, const VanillaProof& b) {
    return a.sector().bytes == b.sector().bytes && a.nodes_ == b.nodes_ && a.numbers_ == b.numbers_;
  }

 private:
  ProofLayout layout_;
  std::vector<Bytes32> nodes_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace cuzk::porep
