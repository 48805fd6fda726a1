#include "cuzk/filecoin/porep/sparse_tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cuzk/field/fr.h"
#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk::porep {

SparseTree::SparseTree(ThreadPool& pool, const SectorParams& sector, std::string tag,
                       std::vector<Leaf> leaves)
    : sector_(&sector), tag_(std::move(tag)) {
  CUZK_CHECK(!leaves.empty() && leaves.back().index < sector.nodes());
  levels_.push_back(std::move(leaves));
  for (unsigned level = 0; level < sector.tree_levels(); ++level) {
    const unsigned arity = sector.tree_arity(level);
    std::vector<Leaf> parents;
    for (const Leaf& child : levels_[level])
      if (parents.empty() || parents.back().index != child.index / arity)
        parents.push_back({child.index / arity, {}});
    constexpr std::size_t kBatch = 16;
    pool.parallel_for(parents.size(), kBatch, [&](std::size_t begin, std::size_t end) {
      std::vector<Fr> children;
      for (std::size_t p = begin; p < end; ++p)
        for (unsigned c = 0; c < arity; ++c) {
          const auto value = Fr::from_bytes_le(node(level, parents[p].index * arity + c));
          CUZK_CHECK(value.has_value());
          children.push_back(*value);
        }
      std::vector<Fr> hashes(end - begin);
      poseidon_hash_batch(poseidon_constants(arity), children, hashes);
      for (std::size_t p = begin; p < end; ++p) parents[p].value = hashes[p - begin].to_bytes_le();
    });
    levels_.push_back(std::move(parents));
  }
}

const SparseTree::Leaf* SparseTree::find(unsigned level, std::uint64_t index) const {
  const std::vector<Leaf>& nodes = levels_[level];
  const auto it = std::lower_bound(nodes.begin(), nodes.end(), index,
                                   [](const Leaf& leaf, std::uint64_t i) { return leaf.index < i; });
  return it == nodes.end() || it->index != index ? nullptr : &*it;
}

Bytes32 SparseTree::node(unsigned level, std::uint64_t index) const {
  if (const Leaf* known = find(level, index)) return known->value;
  const std::array<std::uint64_t, 2> numbers{level, index};
  return filler(tag_, numbers);
}

void SparseTree::fill_proof(std::uint64_t leaf, const MutableMerkleProof& proof) const {
  const Leaf* known = find(0, leaf);
  CUZK_CHECK(known != nullptr);
  proof.root = root();
  proof.leaf = known->value;
  auto sibling = proof.siblings.begin();
  std::uint64_t index = leaf;
  for (unsigned level = 0; level < sector_->tree_levels(); ++level) {
    const unsigned arity = sector_->tree_arity(level);
    const std::uint64_t own = index % arity;
    for (std::uint64_t c = 0; c < arity; ++c)
      if (c != own) *sibling++ = node(level, index - own + c);
    proof.indices[level] = own;
    index /= arity;
  }
}

}  // namespace cuzk::porep
