#pragma once

#include <string>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/porep/vanilla_proof.h"

namespace cuzk::porep {

/// A Poseidon tree of a sector's shape (8-...-8-sub-top) of which only some leaves are known. A node above a
/// known leaf is the hash of its children; every other node is filler(tag, level, index). With all leaves
/// given it is the real tree. Immutable once built.
class SparseTree {
 public:
  struct Leaf {
    std::uint64_t index;
    Bytes32 value;
  };

  /// `leaves` in ascending order of index, no index twice, at least one.
  SparseTree(ThreadPool& pool, const SectorParams& sector, std::string tag, std::vector<Leaf> leaves);

  [[nodiscard]] const Bytes32& root() const { return levels_.back()[0].value; }
  /// Root, leaf, siblings and positions of the path of a known leaf.
  void fill_proof(std::uint64_t leaf, const MutableMerkleProof& proof) const;

 private:
  [[nodiscard]] const Leaf* find(unsigned level, std::uint64_t index) const;
  [[nodiscard]] Bytes32 node(unsigned level, std::uint64_t index) const;

  const SectorParams* sector_;
  std::string tag_;
  std::vector<std::vector<Leaf>> levels_;  // known nodes of each level, ascending
};

}  // namespace cuzk::porep
