#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/cpu/atomic_min.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/porep/labels.h"
#include "cuzk/filecoin/porep/replica_id.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk::porep {
namespace {

/// The columns of one challenge and their paths in tree C, and the path in tree R last: all have the same
/// levels.
constexpr std::size_t kColumns = 1 + kParents;
constexpr std::size_t kPaths = kColumns + 1;

std::string proof_path(const C1Output& c1, std::size_t partition, std::size_t index) {
  std::string path = "vanilla_proofs";
  if (c1.config.registered != nullptr) path += '.' + std::string(c1.config.registered->vanilla_key);
  return path + '[' + std::to_string(partition) + "][" + std::to_string(index) + ']';
}

std::string column_name(std::size_t i) {
  if (i == 0) return "replica_column_proofs.c_x";
  if (i <= kDrgParents) return "replica_column_proofs.drg_parents[" + std::to_string(i - 1) + "]";
  return "replica_column_proofs.exp_parents[" + std::to_string(i - 1 - kDrgParents) + "]";
}

/// The roots that all proofs of the sector must lead to.
struct Roots {
  Bytes32 comm_d;
  Bytes32 comm_c;
  Bytes32 comm_r_last;
};

/// One challenge proof against what it has to prove. Every check_ function returns what is wrong, if
/// anything.
class ChallengeCheck {
 public:
  using Fault = std::optional<std::string>;

  ChallengeCheck(const C1Output& c1, const Graph& graph, const ChallengeProof& proof, Node challenge,
                 const Roots& roots, Isa isa)
      : c1_(c1), sector_(*c1.config.sector), proof_(proof), challenge_(challenge), roots_(roots), isa_(isa) {
    nodes_[0] = challenge;
    const auto parents = graph.parents(challenge);
    std::copy(parents.begin(), parents.end(), nodes_.begin() + 1);
  }

  Fault run() const {
    if (Fault f = check_tree_d()) return f;
    if (Fault f = check_indices()) return f;
    if (Fault f = check_column_hashes()) return f;
    if (Fault f = check_tree_paths()) return f;
    return check_labels();
  }

 private:
  Fault check_tree_d() const {
    const MerkleProof path = proof_.tree_d();
    const std::uint64_t position = path.leaf_index();
    if (position != challenge_) return wrong_position("comm_d_proofs", position, challenge_);
    if (path.root != roots_.comm_d) return "comm_d_proofs: the root is not comm_d";
    if (tree_d_root(path) != roots_.comm_d) return "comm_d_proofs: the path does not lead to comm_d";
    return {};
  }

  /// Positions of all Poseidon paths, stated numbers and roots: what needs no hashing.
  Fault check_indices() const {
    for (std::size_t i = 0; i < kPaths; ++i) {
      const bool tree_r = i == kColumns;
      const MerkleProof path = poseidon_path(i);
      const Node expected = tree_r ? challenge_ : nodes_[i];
      const std::string name = tree_r ? "comm_r_last_proof" : column_name(i) + ".inclusion_proof";
      const std::uint64_t position = path.leaf_index();
      if (position != expected) return wrong_position(name, position, expected);
      if (path.root != (tree_r ? roots_.comm_r_last : roots_.comm_c))
        return name + (tree_r ? ": the root differs from that of the partition's first proof (comm_r_last)"
                              : ": the root differs from that of the partition's first proof (comm_c)");
      if (!tree_r && proof_.column(i).index != expected)
        return column_name(i) + ".column.index: " + std::to_string(proof_.column(i).index) +
               ", but the node is " + std::to_string(expected);
    }
    return {};
  }

  Fault check_column_hashes() const {
    const PoseidonConstants& constants = poseidon_constants(sector_.layers);
    std::array<Fr, kColumns * kMaxLayers> rows;
    for (std::size_t i = 0; i < kColumns; ++i)
      for (std::size_t l = 0; l < sector_.layers; ++l)
        rows[i * sector_.layers + l] = node_scalar(proof_.column(i).rows[l]);
    std::array<Fr, kColumns> hashes;
    poseidon_hash_batch(constants, std::span(rows).first(kColumns * sector_.layers), hashes, isa_);
    for (std::size_t i = 0; i < kColumns; ++i)
      if (hashes[i] != node_scalar(proof_.column(i).inclusion.leaf))
        return column_name(i) + ": the leaf is not the hash of the column's rows";
    return {};
  }

  Fault check_tree_paths() const {
    std::vector<MerkleProof> paths;
    for (std::size_t i = 0; i < kPaths; ++i) paths.push_back(poseidon_path(i));
    std::array<Fr, kPaths> nodes;
    poseidon_roots(paths, nodes, isa_);
    for (std::size_t i = 0; i < kPaths; ++i) {
      if (i == kColumns) {
        if (nodes[i] != node_scalar(roots_.comm_r_last))
          return "comm_r_last_proof: the path does not lead to comm_r_last";
      } else if (nodes[i] != node_scalar(roots_.comm_c)) {
        return column_name(i) + ".inclusion_proof: the path does not lead to comm_c";
      }
    }
    return {};
  }

  Fault check_labels() const {
    const unsigned layers = sector_.layers;
    for (unsigned layer = 1; layer <= layers; ++layer) {
      const LabelingProof labeling = proof_.labeling(layer - 1);
      const std::string name = "labeling_proofs[" + std::to_string(layer - 1) + "]";
      if (Fault f = check_label_fields(labeling, name, layer)) return f;
      std::array<Bytes32, kParents> parents;
      std::size_t count = 0;
      for (std::size_t p = 0; p < kDrgParents; ++p) parents[count++] = proof_.drg_parent(p).rows[layer - 1];
      if (layer > 1)
        for (std::size_t p = 0; p < kExpanderParents; ++p)
          parents[count++] = proof_.expander_parent(p).rows[layer - 2];
      for (std::size_t slot = 0; slot < kLabelSlots; ++slot)
        if (labeling.parents[slot] != parents[slot % count])
          return name + ".parents[" + std::to_string(slot) + "]: not the label of that parent's column";
      const Bytes32 label = create_label(c1_.replica_id, layer, challenge_, std::span(parents).first(count));
      if (label != proof_.own_column().rows[layer - 1])
        return "replica_column_proofs.c_x.column.rows[" + std::to_string(layer - 1) +
               "]: not the label that the parents give";
    }
    const LabelingProof encoding = proof_.encoding();
    const LabelingProof last = proof_.labeling(layers - 1);
    if (Fault f = check_label_fields(encoding, "encoding_proof", layers)) return f;
    for (std::size_t slot = 0; slot < kLabelSlots; ++slot)
      if (encoding.parents[slot] != last.parents[slot])
        return "encoding_proof.parents[" + std::to_string(slot) + "]: differs from the last labeling proof";
    // The key is the last label, already compared with row L.
    const Fr replica = node_scalar(proof_.own_column().rows[layers - 1]) + node_scalar(proof_.tree_d().leaf);
    if (replica != node_scalar(proof_.tree_r().leaf))
      return "comm_r_last_proof: the leaf is not the encoding of the data (label plus leaf of comm_d_proofs)";
    return {};
  }

  Fault check_label_fields(const LabelingProof& labeling, const std::string& name, unsigned layer) const {
    if (labeling.layer_index != layer)
      return name + ".layer_index: " + std::to_string(labeling.layer_index) + ", expected " +
             std::to_string(layer);
    if (labeling.node != challenge_)
      return name + ".node: " + std::to_string(labeling.node) + ", but the challenge is " +
             std::to_string(challenge_);
    return {};
  }

  MerkleProof poseidon_path(std::size_t i) const {
    return i == kColumns ? proof_.tree_r() : proof_.column(i).inclusion;
  }

  static std::string wrong_position(const std::string& name, std::uint64_t position, Node expected) {
    return name + ": the path is that of node " + std::to_string(position) + ", expected node " +
           std::to_string(expected);
  }

  const C1Output& c1_;
  const SectorParams& sector_;
  const ChallengeProof& proof_;
  Node challenge_;
  const Roots& roots_;
  Isa isa_;
  std::array<Node, kColumns> nodes_{};  // the challenge, then its parents
};

}  // namespace

Result<void> verify_vanilla(ThreadPool& pool, const C1Output& c1) {
  CUZK_TRY(detail::check_c1(c1));
  const unsigned per_partition = c1.config.sector->challenges;
  const std::size_t partitions = c1.vanilla.partitions();
  const Graph graph(c1.config);

  std::vector<Node> challenges;
  std::vector<Roots> roots;
  for (std::size_t k = 0; k < partitions; ++k) {
    const auto derived =
        derive_challenges(c1.config, c1.statement().challenge_inputs(), static_cast<unsigned>(k));
    challenges.insert(challenges.end(), derived.begin(), derived.end());
    const ChallengeProof first = c1.vanilla.challenge(k, 0);
    const Bytes32& comm_c = first.own_column().inclusion.root;
    const Bytes32& comm_r_last = first.tree_r().root;
    roots.push_back({c1.comm_d, comm_c, comm_r_last});
    if (replica_commitment(node_scalar(comm_c), node_scalar(comm_r_last)) != node_scalar(c1.comm_r))
      return bad_input("partition " + std::to_string(k) + ": the roots of " + proof_path(c1, k, 0) +
                       " (c_x: comm_c, comm_r_last_proof: comm_r_last) do not hash to comm_r");
  }

  // The first fault in the order of the proofs wins, whichever thread finds one first.
  std::vector<std::optional<std::string>> faults(challenges.size());
  std::atomic<std::size_t> first_fault{challenges.size()};
  pool.parallel_for(challenges.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i > first_fault.load(std::memory_order_relaxed)) return;
      faults[i] =
          ChallengeCheck(c1, graph, c1.vanilla.at(i), challenges[i], roots[i / per_partition], pool.isa())
              .run();
      if (faults[i]) atomic_min(first_fault, i);
    }
  });
  const std::size_t at = first_fault.load();
  if (at == challenges.size()) return {};
  const std::size_t k = at / per_partition;
  const std::size_t i = at % per_partition;
  return bad_input(proof_path(c1, k, i) + '.' + *faults[at] + " (partition " + std::to_string(k) +
                   ", challenge " + std::to_string(i) + ", node " + std::to_string(challenges[at]) + ")");
}

Result<void> verify_replica_id(const C1Output& c1, std::uint64_t miner, std::uint64_t sector_number) {
  const Bytes32 expected =
      replica_id(prover_id(miner), sector_number, c1.ticket, c1.comm_d, c1.config.porep_id);
  if (expected == c1.replica_id) return {};
  return bad_input("replica_id: " + to_hex(c1.replica_id) + ", but miner " + std::to_string(miner) +
                   ", sector " + std::to_string(sector_number) + ", ticket and comm_d give " +
                   to_hex(expected));
}

}  // namespace cuzk::porep
