#include "cuzk/filecoin/update/verify.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "cuzk/cpu/atomic_min.h"
#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/update/challenges.h"

namespace cuzk::update {
namespace {

using Fault = std::optional<std::string>;

/// What every challenge of a partition is checked against.
struct Expected {
  Bytes32 comm_d_new;
  Bytes32 root_r_old;  // the partition's own statement of it, which comm_c ties to comm_r_old
  Bytes32 root_r_new;
  Fr phi;
  std::vector<std::uint64_t> challenges;
};

/// comm_c and the roots of the partition's first proofs, against the commitments.
Fault check_roots(const PartitionProof& proof, const Commitments& c) {
  const Fr comm_c = node_scalar(proof.comm_c);
  if (replica_commitment(comm_c, node_scalar(proof.r_old[0].root)) != c.comm_r_old)
    return "comm_c and the root of challenge_proofs[0].proof_r_old do not hash to comm_r_old";
  if (replica_commitment(comm_c, node_scalar(proof.r_new[0].root)) != c.comm_r_new)
    return "comm_c and the root of challenge_proofs[0].proof_r_new do not hash to comm_r_new";
  return {};
}

/// The apex leaves and the partition's path, against comm_d_new.
Fault check_apex(const PartitionProof& proof, const Bytes32& comm_d_new, unsigned k) {
  std::vector<Bytes32> row = proof.apex_leaves;
  while (row.size() > 1) {
    for (std::size_t i = 0; i < row.size() / 2; ++i) row[i] = tree_d_node(row[2 * i], row[2 * i + 1]);
    row.resize(row.size() / 2);
  }
  Bytes32 node = row[0];
  unsigned position = k;
  for (const Bytes32& sibling : proof.partition_path()) {
    node = (position & 1) != 0 ? tree_d_node(sibling, node) : tree_d_node(node, sibling);
    position >>= 1;
  }
  if (node == comm_d_new) return {};
  if (proof.partition_path().empty()) return "apex_leafs: they do not hash to comm_d_new";
  return "apex_leafs: they do not lead to comm_d_new by the upper levels of challenge_proofs[0].proof_d_new";
}

/// Some consecutive challenges of one partition; the Poseidon hashes of all of them are made side by side.
class ChallengeChecks {
 public:
  static constexpr std::size_t kMost = 8;

  ChallengeChecks(const PartitionProof& proof, const Expected& expected, std::size_t begin, std::size_t end,
                  Isa isa)
      : proof_(proof), sector_(*proof.sector), expected_(expected), begin_(begin) {
    std::vector<MerkleProof> paths;
    std::vector<std::uint64_t> high;
    for (std::size_t i = begin; i < end; ++i) paths.push_back(proof.r_old[i]);
    for (std::size_t i = begin; i < end; ++i) paths.push_back(proof.r_new[i]);
    for (std::size_t i = begin; i < end; ++i)
      high.push_back(expected.challenges[i] >> (sector_.log_nodes() - sector_.high_bits()));
    roots_.resize(paths.size());
    poseidon_roots(paths, roots_, isa);
    factors_ = encoding_factors(expected.phi, high, isa);
  }

  Fault run(std::size_t i) const {
    const std::size_t at = i - begin_;
    const std::uint64_t challenge = expected_.challenges[i];
    if (Fault f = check_stated("proof_r_old", proof_.r_old[i], challenge, expected_.root_r_old,
                               "the root differs from that of challenge_proofs[0]"))
      return f;
    if (Fault f = check_stated("proof_d_new", proof_.d_new[i], challenge, expected_.comm_d_new,
                               "the root is not comm_d_new"))
      return f;
    if (Fault f = check_stated("proof_r_new", proof_.r_new[i], challenge, expected_.root_r_new,
                               "the root differs from that of challenge_proofs[0]"))
      return f;
    if (roots_[at] != node_scalar(expected_.root_r_old))
      return "proof_r_old: the path does not lead to its root";
    if (Fault f = check_data_path(proof_.d_new[i], challenge)) return f;
    if (node_scalar(proof_.r_new[i].leaf) !=
        encode(node_scalar(proof_.r_old[i].leaf), node_scalar(proof_.d_new[i].leaf), factors_[at]))
      return "proof_r_new: the leaf is not the encoding of the data (leaf of proof_r_old plus rho times leaf "
             "of "
             "proof_d_new)";
    if (roots_[factors_.size() + at] != node_scalar(expected_.root_r_new))
      return "proof_r_new: the path does not lead to its root";
    return {};
  }

 private:
  static Fault check_stated(const char* name, const MerkleProof& path, std::uint64_t challenge,
                            const Bytes32& root, const char* wrong_root) {
    if (path.leaf_index() != challenge)
      return std::string(name) + ": the path is that of node " + std::to_string(path.leaf_index()) +
             ", but the challenge is " + std::to_string(challenge);
    if (path.root != root) return std::string(name) + ": " + wrong_root;
    return {};
  }

  /// Up to the apex leaf, through it to comm_d_new, and by the path that the circuit takes for all
  /// challenges.
  Fault check_data_path(const MerkleProof& path, std::uint64_t challenge) const {
    const std::size_t to_apex = sector_.levels_to_apex();
    Bytes32 node = path.leaf;
    for (std::size_t level = 0; level < path.siblings.size(); ++level) {
      if (level == to_apex) {
        const std::size_t apex = (challenge >> to_apex) % sector_.apex_leaves();
        if (node != proof_.apex_leaves[apex])
          return "proof_d_new: the path does not lead to apex_leafs[" + std::to_string(apex) + "]";
      }
      const Bytes32& sibling = path.siblings[level];
      node = path.indices[level] != 0 ? tree_d_node(sibling, node) : tree_d_node(node, sibling);
    }
    if (node != expected_.comm_d_new) return "proof_d_new: the path does not lead to comm_d_new";
    if (!std::ranges::equal(path.siblings.last(sector_.partition_bits()), proof_.partition_path()))
      return "proof_d_new: the upper levels differ from those of challenge_proofs[0]";
    return {};
  }

  const PartitionProof& proof_;
  const SectorParams& sector_;
  const Expected& expected_;
  std::size_t begin_;
  std::vector<Fr> roots_;    // of the paths in the old tree, then of those in the new one
  std::vector<Fr> factors_;  // rho
};

}  // namespace

Result<void> verify_vanilla(ThreadPool& pool, const SectorParams& sector, const Statement& statement,
                            std::span<const PartitionProof> proofs, const ProofList& list) {
  if (proofs.size() != sector.partitions())
    return bad_input(std::string(list.member) + ": " + std::to_string(proofs.size()) +
                     " partition proofs, but a sector of " + std::string(sector.name) + " has " +
                     std::to_string(sector.partitions()) + " partitions");
  CUZK_TRY_ASSIGN(const Commitments c, commitments(statement));
  std::vector<Expected> expected;
  for (unsigned k = 0; k < sector.partitions(); ++k) {
    const PartitionProof& proof = proofs[k];
    CUZK_CHECK(proof.sector->bytes == sector.bytes);
    Fault fault = check_roots(proof, c);
    if (!fault) fault = check_apex(proof, statement.comm_d_new, k);
    if (fault) return bad_input(list[k] + ": " + *fault);
    expected.push_back({statement.comm_d_new, proof.r_old[0].root, proof.r_new[0].root,
                        encoding_base(c.comm_d_new, c.comm_r_old),
                        derive_challenges(sector, c.comm_r_new, k)});
  }

  // The first fault in the order of the proofs wins, whichever thread finds one first.
  const std::size_t per_partition = sector.challenges();
  const std::size_t total = per_partition * proofs.size();
  std::vector<Fault> faults(total);
  std::atomic<std::size_t> first_fault{total};
  pool.parallel_for(total, ChallengeChecks::kMost, [&](std::size_t begin, std::size_t end) {
    while (begin < end) {
      if (begin > first_fault.load(std::memory_order_relaxed)) return;
      const std::size_t k = begin / per_partition;
      const std::size_t next = std::min(end, (k + 1) * per_partition);
      const std::size_t base = k * per_partition;
      const ChallengeChecks checks(proofs[k], expected[k], begin - base, next - base, pool.isa());
      for (; begin < next; ++begin) {
        faults[begin] = checks.run(begin - base);
        if (faults[begin]) {
          atomic_min(first_fault, begin);
          return;
        }
      }
    }
  });
  const std::size_t at = first_fault.load();
  if (at == total) return {};
  const std::size_t k = at / per_partition;
  const std::size_t i = at % per_partition;
  return bad_input(list[k] + ".challenge_proofs[" + std::to_string(i) + "]." + *faults[at] + " (node " +
                   std::to_string(expected[k].challenges[i]) + ")");
}

}  // namespace cuzk::update
