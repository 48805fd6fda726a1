#include "cuzk/filecoin/update/fabricate.h"

#include <algorithm>
#include <array>
#include <functional>

#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/filecoin/update/challenges.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk::update {
namespace {

constexpr unsigned kLogPeriod = 6;
constexpr std::uint64_t kPeriod = std::uint64_t{1} << kLogPeriod;

Bytes32 periodic_leaf(std::string_view tag, std::uint64_t i) {
  const std::array<std::uint64_t, 1> number{i % kPeriod};
  return porep::filler(tag, number);
}

/// Which nodes of one height of a tree are known to be equal: the tree's leaves repeat with the period inside
/// blocks of 2^log_block leaves, and a height whose nodes lie inside blocks has one value for each block and
/// place in the period. All other heights have every node.
class RepeatingLevel {
 public:
  /// 2^log_nodes nodes, each over 2^log_leaves leaves.
  RepeatingLevel(unsigned log_nodes, unsigned log_leaves, unsigned log_block) {
    const bool inside = log_leaves <= log_block && log_block >= kLogPeriod;
    log_period_ = !inside ? log_nodes : log_leaves < kLogPeriod ? kLogPeriod - log_leaves : 0;
    log_block_ = inside ? log_block - log_leaves : log_nodes;
    size_ = std::size_t{1} << (log_nodes - log_block_ + log_period_);
  }
  /// Number of different nodes.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Which of them node `i` is.
  [[nodiscard]] std::size_t slot(std::uint64_t i) const {
    return ((i >> log_block_) << log_period_) + (i & ((std::uint64_t{1} << log_period_) - 1));
  }
  /// The first node that is the given one.
  [[nodiscard]] std::uint64_t first(std::size_t slot) const {
    const std::uint64_t place = slot & ((std::uint64_t{1} << log_period_) - 1);
    return (std::uint64_t{slot >> log_period_} << log_block_) + place;
  }

 private:
  unsigned log_period_;
  unsigned log_block_;
  std::size_t size_;
};

/// A Merkle tree with such leaves, each different node once.
class RepeatingTree {
 public:
  using Leaf = std::function<Bytes32(std::uint64_t index)>;
  /// Hashes `count` groups of `arity` nodes.
  using Hash =
      std::function<void(unsigned arity, std::span<const Bytes32> children, std::span<Bytes32> out, Isa isa)>;

  RepeatingTree(ThreadPool& pool, const TreeShape& shape, unsigned log_block, const Leaf& leaf,
                const Hash& hash)
      : shape_(shape) {
    constexpr std::size_t kBatch = 64;
    const unsigned height = shape.index_bits();
    unsigned log_leaves = 0;
    add_level(RepeatingLevel(height, 0, log_block));
    pool.parallel_for(nodes_[0].size(), kBatch, [&](std::size_t begin, std::size_t end) {
      for (std::size_t s = begin; s < end; ++s) nodes_[0][s] = leaf(levels_[0].first(s));
    });
    for (unsigned level = 0; level < shape.levels(); ++level) {
      const unsigned arity = shape.arity(level);
      log_leaves += static_cast<unsigned>(std::countr_zero(arity));
      add_level(RepeatingLevel(height - log_leaves, log_leaves, log_block));
      pool.parallel_for(nodes_[level + 1].size(), kBatch, [&](std::size_t begin, std::size_t end) {
        std::vector<Bytes32> children;
        for (std::size_t s = begin; s < end; ++s)
          for (unsigned c = 0; c < arity; ++c)
            children.push_back(node(level, levels_[level + 1].first(s) * arity + c));
        hash(arity, children, std::span(nodes_[level + 1]).subspan(begin, end - begin), pool.isa());
      });
    }
  }

  [[nodiscard]] const Bytes32& node(unsigned level, std::uint64_t i) const {
    return nodes_[level][levels_[level].slot(i)];
  }
  [[nodiscard]] const Bytes32& root() const { return nodes_.back()[0]; }

  void fill_proof(std::uint64_t leaf, const MutableMerkleProof& proof) const {
    proof.root = root();
    proof.leaf = node(0, leaf);
    std::uint64_t index = leaf;
    for (unsigned level = 0; level < shape_.levels(); ++level) {
      const unsigned arity = shape_.arity(level);
      const std::uint64_t own = index % arity;
      auto sibling = proof.siblings_at(level).begin();
      for (std::uint64_t c = 0; c < arity; ++c)
        if (c != own) *sibling++ = node(level, index - own + c);
      proof.indices[level] = own;
      index /= arity;
    }
  }

 private:
  void add_level(const RepeatingLevel& level) {
    levels_.push_back(level);
    nodes_.emplace_back(level.size());
  }

  TreeShape shape_;
  std::vector<RepeatingLevel> levels_;
  std::vector<std::vector<Bytes32>> nodes_;
};

void hash_poseidon(unsigned arity, std::span<const Bytes32> children, std::span<Bytes32> out, Isa isa) {
  std::vector<Fr> messages;
  messages.reserve(children.size());
  for (const Bytes32& c : children) messages.push_back(node_scalar(c));
  std::vector<Fr> hashes(out.size());
  poseidon_hash_batch(poseidon_constants(arity), messages, hashes, isa);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = hashes[i].to_bytes_le();
}

void hash_sha256(unsigned /*arity*/, std::span<const Bytes32> children, std::span<Bytes32> out, Isa /*isa*/) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = tree_d_node(children[2 * i], children[2 * i + 1]);
}

}  // namespace

FabricatedUpdate fabricate_update(ThreadPool& pool, const SectorParams& sector) {
  const unsigned b = sector.log_nodes();
  const auto old_leaf = [](std::uint64_t i) { return periodic_leaf("cuzk-synth-r-old", i); };
  const auto data_leaf = [](std::uint64_t i) { return periodic_leaf("cuzk-synth-d-new", i); };
  const RepeatingTree tree_d(pool, TreeShape::binary(b), b, data_leaf, hash_sha256);
  const RepeatingTree tree_old(pool, sector.tree, b, old_leaf, hash_poseidon);
  const Bytes32 comm_c = periodic_leaf("cuzk-synth-comm-c", 0);
  const Fr comm_r_old = replica_commitment(node_scalar(comm_c), node_scalar(tree_old.root()));

  // One factor for each block of consecutive nodes that agree in their high bits.
  const unsigned log_block = b - sector.high_bits();
  const Fr phi = encoding_base(node_scalar(tree_d.root()), comm_r_old);
  std::vector<std::uint64_t> high(std::size_t{1} << sector.high_bits());
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = i;
  const std::vector<Fr> factors = encoding_factors(phi, high, pool.isa());
  const auto new_leaf = [&](std::uint64_t i) {
    const Fr encoded =
        encode(node_scalar(tree_old.node(0, i)), node_scalar(tree_d.node(0, i)), factors[i >> log_block]);
    return encoded.to_bytes_le();
  };
  const RepeatingTree tree_new(pool, sector.tree, log_block, new_leaf, hash_poseidon);
  const Fr comm_r_new = replica_commitment(node_scalar(comm_c), node_scalar(tree_new.root()));

  FabricatedUpdate out;
  out.statement = {comm_r_old.to_bytes_le(), comm_r_new.to_bytes_le(), tree_d.root()};
  for (unsigned k = 0; k < sector.partitions(); ++k) {
    PartitionProof& proof = out.proofs.emplace_back(sector);
    proof.comm_c = comm_c;
    for (std::size_t i = 0; i < proof.apex_leaves.size(); ++i)
      proof.apex_leaves[i] =
          tree_d.node(sector.levels_to_apex(), std::uint64_t{k} * sector.apex_leaves() + i);
    const std::vector<std::uint64_t> challenges = derive_challenges(sector, comm_r_new, k);
    for (std::size_t i = 0; i < challenges.size(); ++i) {
      tree_old.fill_proof(challenges[i], proof.r_old[i]);
      tree_d.fill_proof(challenges[i], proof.d_new[i]);
      tree_new.fill_proof(challenges[i], proof.r_new[i]);
    }
  }
  return out;
}

}  // namespace cuzk::update
