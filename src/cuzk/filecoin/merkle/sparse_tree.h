#pragma once

#include <functional>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/merkle/merkle_proof.h"

namespace cuzk {

/// A Poseidon tree of which only some leaves are known. A node above a known leaf is the hash of its
/// children; every other node is filler(height, position). With all leaves given it is the real tree.
/// Immutable once built; safe to share if the filler is.
class SparseTree {
 public:
  struct Leaf {
    std::uint64_t index;
    Bytes32 value;
  };
  /// The value of a node that nothing below determines: a canonical scalar, always the same for the same
  /// place. Called from several threads.
  using Filler = std::function<Bytes32(unsigned height, std::uint64_t position)>;

  /// `leaves` in ascending order of index, no index twice, at least one.
  SparseTree(ThreadPool& pool, const TreeShape& shape, Filler filler, std::vector<Leaf> leaves);

  [[nodiscard]] const Bytes32& root() const { return levels_.back()[0].value; }
  /// Root, leaf, siblings and positions of the path of a known leaf; `proof` has the tree's shape.
  void fill_proof(std::uint64_t leaf, const MutableMerkleProof& proof) const;

 private:
  [[nodiscard]] const Leaf* find(unsigned level, std::uint64_t index) const;
  [[nodiscard]] Bytes32 node(unsigned level, std::uint64_t index) const;

  TreeShape shape_;
  Filler filler_;
  std::vector<std::vector<Leaf>> levels_;  // known nodes of each level, ascending
};

}  // namespace cuzk
