#include <gtest/gtest.h>

#include <algorithm>

#include "cuzk/filecoin/merkle/circuit_path.h"
#include "cuzk/filecoin/merkle/merkle_bincode.h"
#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/merkle/sector_size.h"
#include "cuzk/filecoin/merkle/sparse_tree.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk {
namespace {

Bytes32 small_node(std::uint64_t a, std::uint64_t b) {
  Bytes32 out{};
  store_le(out.data(), a);
  store_le(out.data() + 8, b);
  return out;
}

/// Shapes of every variant and arity.
const TreeShape kShapes[] = {TreeShape::binary(5), {2, 8, 0, 0}, {2, 8, 2, 0}, {1, 8, 4, 0}, {2, 8, 8, 2}};

/// A path in a tree of filler.
MerkleProofs sample(const TreeShape& shape, std::uint64_t leaf) {
  ThreadPool pool(1);
  const SparseTree tree(pool, shape, small_node, {{leaf, small_node(77, leaf)}});
  MerkleProofs proofs(shape);
  tree.fill_proof(leaf, proofs.append());
  return proofs;
}

std::vector<std::uint8_t> bincode_of(const MerkleProof& proof) {
  std::vector<std::uint8_t> out;
  BincodeWriter writer(out);
  write_merkle_proof(writer, proof);
  return out;
}

std::string error_of(const std::vector<std::uint8_t>& bytes, const TreeShape& shape) {
  MerkleProofs proofs(shape);
  BincodeReader reader(bytes);
  const bool ok = reader.read_field("proof", [&] { return read_merkle_proof(reader, proofs.append()); }) &&
                  reader.read_end("proof");
  return ok ? "" : reader.error().message;
}

TEST(TreeShape, CountsAgree) {
  for (const TreeShape& shape : kShapes) {
    std::uint64_t leaves = 1;
    unsigned siblings = 0;
    for (unsigned level = 0; level < shape.levels(); ++level) {
      EXPECT_EQ(shape.siblings_below(level), siblings);
      leaves *= shape.arity(level);
      siblings += shape.arity(level) - 1;
    }
    EXPECT_EQ(shape.leaves(), leaves);
    EXPECT_EQ(shape.siblings(), siblings);
  }
  for (const SectorSize& size : kSectorSizes) {
    EXPECT_EQ(size.tree.leaves(), size.nodes()) << size.name;
    EXPECT_EQ(TreeShape::binary(size.tree_d_levels()).leaves(), size.nodes()) << size.name;
  }
}

TEST(SparseTree, PathsLeadToTheRoot) {
  ThreadPool pool(2);
  for (const TreeShape& shape : kShapes) {
    std::vector<SparseTree::Leaf> leaves;
    for (std::uint64_t i = 0; i < shape.leaves(); i += 3) leaves.push_back({i, small_node(5, i)});
    const SparseTree tree(pool, shape, small_node, leaves);
    MerkleProofs proofs(shape);
    for (const auto& leaf : leaves) tree.fill_proof(leaf.index, proofs.append());
    std::vector<MerkleProof> views;
    for (std::size_t i = 0; i < proofs.size(); ++i) {
      views.push_back(std::as_const(proofs)[i]);
      EXPECT_EQ(views[i].leaf_index(), leaves[i].index);
      EXPECT_EQ(views[i].leaf, leaves[i].value);
      EXPECT_EQ(views[i].root, tree.root());
    }
    std::vector<Fr> roots(views.size());
    poseidon_roots(views, roots, best_isa());
    for (const Fr& root : roots) EXPECT_EQ(root.to_bytes_le(), tree.root());
  }
}

TEST(SparseTree, OfAllLeavesIsTheTree) {
  ThreadPool pool(1);
  const TreeShape shape{1, 8, 2, 0};
  std::vector<SparseTree::Leaf> leaves;
  std::vector<Fr> values;
  for (std::uint64_t i = 0; i < 16; ++i) {
    leaves.push_back({i, small_node(i, 9)});
    values.push_back(node_scalar(leaves[i].value));
  }
  const SparseTree tree(
      pool, shape, [](unsigned, std::uint64_t) -> Bytes32 { std::abort(); }, leaves);
  const std::span<const Fr> all(values);
  const std::array<Fr, 2> halves{poseidon(all.first(8)), poseidon(all.last(8))};
  EXPECT_EQ(tree.root(), poseidon(halves).to_bytes_le());
}

TEST(TreeD, RootOfAPath) {
  MerkleProofs proofs(TreeShape::binary(2));
  const auto proof = proofs.append();
  proof.leaf = small_node(1, 1);
  proof.siblings[0] = small_node(2, 2);
  proof.siblings[1] = small_node(3, 3);
  proof.indices[1] = 1;
  EXPECT_EQ(tree_d_root(proof), tree_d_node(proof.siblings[1], tree_d_node(proof.leaf, proof.siblings[0])));
  EXPECT_EQ(proof.leaf_index(), 2U);
  EXPECT_LT(tree_d_root(proof)[31], 0x40);
}

// The example and the sizes of post-and-snap 1.4.
TEST(MerkleBincode, BytesAreTheReferences) {
  MerkleProofs proofs(TreeShape::binary(1));
  const auto proof = proofs.append();
  proof.root.fill(0xaa);
  proof.leaf.fill(0xbb);
  proof.siblings[0].fill(0x10);
  std::vector<std::uint8_t> want(4);
  const auto add = [&](std::size_t count, std::uint8_t value) { want.insert(want.end(), count, value); };
  const auto add_one = [&] {
    add(1, 1);
    add(7, 0);
  };
  add(32, 0xaa);
  add(32, 0xbb);
  add_one();
  add_one();
  add(32, 0x10);
  add(8, 0);
  EXPECT_EQ(bincode_of(proof), want);

  const auto bytes = [](std::size_t size) { return merkle_proof_bytes(kSectorSizes[size].tree); };
  EXPECT_EQ(bytes(0), 556U);
  EXPECT_EQ(bytes(4), 1516U);
  EXPECT_EQ(bytes(6), 1996U);
  EXPECT_EQ(bytes(8), 2484U);
  EXPECT_EQ(bytes(9), 2540U);
  EXPECT_EQ(merkle_proof_bytes(TreeShape::binary(30)), 1516U);
}

TEST(MerkleBincode, ReadsWhatItWrites) {
  for (const TreeShape& shape : kShapes) {
    const MerkleProofs proofs = sample(shape, shape.leaves() - 2);
    const auto bytes = bincode_of(proofs[0]);
    EXPECT_EQ(bytes.size(), merkle_proof_bytes(shape));
    MerkleProofs again(shape);
    BincodeReader reader(bytes);
    EXPECT_TRUE(read_merkle_proof(reader, again.append()) && reader.read_end("proof"));
    EXPECT_TRUE(again == proofs);
    for (std::size_t cut = 0; cut < bytes.size(); cut += 5)
      EXPECT_NE(error_of({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(cut)}, shape), "");
  }
}

TEST(MerkleBincode, ErrorsNameFieldAndOffset) {
  const TreeShape shape{2, 8, 8, 2};
  const std::vector<std::uint8_t> good = bincode_of(sample(shape, 0)[0]);
  const auto with = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::uint8_t> bytes = good;
    bytes[at] = value;
    return error_of(bytes, shape);
  };
  EXPECT_EQ(error_of(good, shape), "");
  EXPECT_EQ(with(0, 1), "bincode: proof: variant 1 of a Merkle proof, expected 2 (at byte 0)");
  EXPECT_EQ(with(4, 3), "bincode: proof.base_proof: 3 elements, expected 2 (at byte 4)");
  EXPECT_EQ(with(12, 6), "bincode: proof.base_proof[0].hashes: 6 elements, expected 7 (at byte 12)");
  EXPECT_EQ(with(51, 0xff),
            "bincode: proof.base_proof[0].hashes[0]: not a canonical scalar (r or more) (at byte 20)");
  EXPECT_EQ(with(12 + 8 + 224, 8),
            "bincode: proof.base_proof[0].index: index 8 in a level of arity 8 (at byte 244)");
  const std::size_t top_index = good.size() - 72;
  EXPECT_EQ(with(top_index, 2), "bincode: proof.top_proof[0].index: index 2 in a level of arity 2 (at byte " +
                                    std::to_string(top_index) + ")");
  EXPECT_EQ(with(good.size() - 33, 0xff),
            "bincode: proof.root: not a canonical scalar (r or more) (at byte " +
                std::to_string(good.size() - 64) + ")");
  std::vector<std::uint8_t> bytes = good;
  bytes.push_back(0);
  EXPECT_EQ(error_of(bytes, shape),
            "bincode: bytes after the end of the proof (at byte " + std::to_string(good.size()) + ")");
  bytes.resize(good.size() - 1);
  EXPECT_EQ(error_of(bytes, shape),
            "bincode: proof.leaf: the data ends (at byte " + std::to_string(good.size() - 32) + ")");
  // A shape's proof is no other shape's.
  EXPECT_NE(error_of(good, {2, 8, 8, 0}), "");
  EXPECT_NE(error_of(good, {3, 8, 8, 2}), "");
}

TEST(CircuitPath, IsTheProofOrNamesTheLevel) {
  const TreeShape shape{2, 8, 8, 2};
  MerkleProofs proofs = sample(shape, 700);
  const auto path = circuit_path(proofs[0]);
  ASSERT_TRUE(path);
  ASSERT_EQ(path->base.size(), 2U);
  ASSERT_EQ(path->sub.size(), 1U);
  ASSERT_EQ(path->top.size(), 1U);
  EXPECT_EQ(path->top[0].siblings, std::vector<Fr>{node_scalar(proofs[0].siblings.back())});
  EXPECT_EQ(
      path->base[0].index + 8 * path->base[1].index + 64 * path->sub[0].index + 512 * path->top[0].index,
      700U);
  proofs[0].indices[2] = 8;
  EXPECT_EQ(circuit_path(proofs[0]).error().message, "level 2: the index is outside the level");
  proofs[0].indices[2] = 0;
  proofs[0].siblings_at(1)[3].fill(0xff);
  EXPECT_EQ(circuit_path(proofs[0]).error().message, "level 1: a sibling is not a canonical scalar");
}

}  // namespace
}  // namespace cuzk
