#include "cuzk/filecoin/merkle/sparse_tree.h"

#include <algorithm>
#include <utility>

#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk {

SparseTree::SparseTree(ThreadPool& pool, const TreeShape& shape, Filler filler, std::vector<Leaf> leaves)
    : shape_(shape), filler_(std::move(filler)) {
  CUZK_CHECK(!leaves.empty() && leaves.back().index < shape.leaves());
  levels_.push_back(std::move(leaves));
  for (unsigned level = 0; level < shape.levels(); ++level) {
    const unsigned arity = shape.arity(level);
    std::vector<Leaf> parents;
    for (const Leaf& child : levels_[level])
      if (parents.empty() || parents.back().index != child.index / arity)
        parents.push_back({child.index / arity, {}});
    constexpr std::size_t kBatch = 16;
    pool.parallel_for(parents.size(), kBatch, [&](std::size_t begin, std::size_t end) {
      std::vector<Fr> children;
      for (std::size_t p = begin; p < end; ++p)
        for (unsigned c = 0; c < arity; ++c)
          children.push_back(node_scalar(node(level, parents[p].index * arity + c)));
      std::vector<Fr> hashes(end - begin);
      poseidon_hash_batch(poseidon_constants(arity), children, hashes, pool.isa());
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
  return filler_(level, index);
}

void SparseTree::fill_proof(std::uint64_t leaf, const MutableMerkleProof& proof) const {
  const Leaf* known = find(0, leaf);
  CUZK_CHECK(known != nullptr && proof.shape == shape_);
  proof.root = root();
  proof.leaf = known->value;
  auto sibling = proof.siblings.begin();
  std::uint64_t index = leaf;
  for (unsigned level = 0; level < shape_.levels(); ++level) {
    const unsigned arity = shape_.arity(level);
    const std::uint64_t own = index % arity;
    for (std::uint64_t c = 0; c < arity; ++c)
      if (c != own) *sibling++ = node(level, index - own + c);
    proof.indices[level] = own;
    index /= arity;
  }
}

}  // namespace cuzk
