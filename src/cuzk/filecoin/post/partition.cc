#include "cuzk/filecoin/post/partition.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "cuzk/cpu/atomic_min.h"
#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/post/challenges.h"

namespace cuzk::post {
namespace {

Result<void> check_sector_count(const PostParams& params, std::size_t sectors, std::string_view field) {
  const unsigned most = params.max_sectors();
  if (sectors >= 1 && sectors <= most) return {};
  return bad_input(std::string(field) + ": " + std::to_string(sectors) + " elements, a " +
                   std::string(to_string(params.kind)) + " PoSt of " + std::string(params.size->name) +
                   " sectors takes " + (most == 1 ? "1" : "1 to " + std::to_string(most)));
}

}  // namespace

Result<std::vector<Fr>> public_inputs(const Statement& statement) {
  const PostParams& params = *statement.config.params;
  CUZK_TRY(check_sector_count(params, statement.sectors.size(), "sectors"));
  std::vector<Fr> out;
  out.reserve(std::size_t{params.sector_count} * (1 + params.challenge_count));
  for (std::size_t i = 0; i < statement.sectors.size(); ++i) {
    const PublicSector& sector = statement.sectors[i];
    const auto comm_r = Fr::from_bytes_le(sector.comm_r);
    if (!comm_r) return bad_input("sectors[" + std::to_string(i) + "].comm_r is not a canonical scalar");
    const auto leaves =
        challenged_leaves(statement.config, statement.randomness, sector.id, statement.position(i));
    for (std::size_t n = 0; n < leaves.size(); ++n) {
      if (n % params.challenge_count == 0) out.push_back(*comm_r);
      out.push_back(Fr::from_u64(leaves[n]));
    }
  }
  const std::size_t slot = 1 + std::size_t{params.challenge_count};
  while (out.size() < params.sector_count * slot) out.push_back(out[out.size() - slot]);
  return out;
}

Statement Partition::statement() const {
  Statement out{config, randomness, partition_index, {}};
  for (const SectorProof& proof : sectors) out.sectors.push_back({proof.sector_id, proof.comm_r});
  return out;
}

Result<Partition> read_partition(const PostConfig& config, ByteSpan randomness, std::uint32_t partition_index,
                                 std::span<const std::vector<std::uint8_t>> vanilla_proofs,
                                 const ProofList& list) {
  Partition out{config, {}, partition_index, {}, list};
  if (randomness.size() != out.randomness.size())
    return bad_input("randomness: " + std::to_string(randomness.size()) + " bytes, expected 32");
  std::copy(randomness.begin(), randomness.end(), out.randomness.begin());
  if (!is_canonical_fr(out.randomness)) return bad_input("randomness: not a canonical scalar (r or more)");
  if (config.params->kind == Kind::winning && partition_index != 0)
    return bad_input("partition_index: " + std::to_string(partition_index) + ", a WinningPoSt has only 0");
  CUZK_TRY(check_sector_count(*config.params, vanilla_proofs.size(), list.member));
  out.sectors.reserve(vanilla_proofs.size());
  for (std::size_t i = 0; i < vanilla_proofs.size(); ++i) {
    auto proof = read_sector_proof(vanilla_proofs[i], *config.params);
    if (!proof) return proof.error().within(list[i]);
    if (i > 0 && proof->sector_id <= out.sectors.back().sector_id)
      return bad_input(list[i] + ".sector_id: " + std::to_string(proof->sector_id) + " after " +
                       std::to_string(out.sectors.back().sector_id) +
                       "; the network verifies sectors in ascending order");
    out.sectors.push_back(*std::move(proof));
  }
  return out;
}

namespace {

/// Flat view of all inclusion proofs of a partition: number n is proof n % per_sector of sector n /
/// per_sector.
class PartitionCheck {
 public:
  explicit PartitionCheck(const Partition& partition)
      : partition_(partition), statement_(partition.statement()) {}

  [[nodiscard]] std::size_t proofs() const { return partition_.sectors.size() * per_sector_; }

  /// What is wrong with the sectors' own commitments.
  Result<void> check_commitments(ThreadPool& pool) const {
    const std::size_t count = partition_.sectors.size();
    std::atomic<std::size_t> first_fault{count};
    pool.parallel_for(count, 16, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const SectorProof& s = partition_.sectors[i];
        if (s.comm_r == Bytes32{} ||
            replica_commitment(node_scalar(s.comm_c), node_scalar(s.comm_r_last)) != node_scalar(s.comm_r))
          atomic_min(first_fault, i);
      }
    });
    const std::size_t at = first_fault.load();
    if (at == count) return {};
    return bad_input(partition_.list[at] + (partition_.sectors[at].comm_r == Bytes32{}
                                                ? ".comm_r: all zero"
                                                : ".comm_r: not the hash of comm_c and comm_r_last"));
  }

  struct Fault {
    std::size_t proof;
    std::string what;
  };
  /// The first fault of proofs begin .. end.
  [[nodiscard]] std::optional<Fault> check_proofs(std::size_t begin, std::size_t end, Isa isa) const {
    std::optional<Fault> fault;
    std::vector<MerkleProof> paths;
    std::vector<std::uint64_t> leaves;
    for (std::size_t n = begin; n < end && !fault; ++n) {
      const std::size_t sector = n / per_sector_;
      const SectorProof& proof = partition_.sectors[sector];
      if (n == begin || n % per_sector_ == 0)
        leaves = challenged_leaves(partition_.config, partition_.randomness, proof.sector_id,
                                   statement_.position(sector));
      const MerkleProof path = proof.inclusion[n % per_sector_];
      const std::uint64_t expected = leaves[n % per_sector_];
      if (path.leaf_index() != expected)
        fault = {n, ": the path is that of leaf " + std::to_string(path.leaf_index()) +
                        ", challenged is leaf " + std::to_string(expected)};
      else if (path.root != proof.comm_r_last)
        fault = {n, ".root: not comm_r_last"};
      else
        paths.push_back(path);
    }
    std::vector<Fr> roots(paths.size());
    poseidon_roots(paths, roots, isa);
    for (std::size_t i = 0; i < paths.size(); ++i)
      if (roots[i] != node_scalar(paths[i].root))
        return Fault{begin + i, ": the path does not lead to comm_r_last"};
    return fault;
  }

  [[nodiscard]] std::string name(std::size_t n) const {
    return partition_.list[n / per_sector_] + ".sectors[0].inclusion_proofs[" +
           std::to_string(n % per_sector_) + "]";
  }

 private:
  const Partition& partition_;
  const Statement statement_;
  const std::size_t per_sector_ = partition_.config.params->proofs_per_sector();
};

}  // namespace

Result<void> verify_vanilla(ThreadPool& pool, const Partition& partition) {
  CUZK_TRY(check_sector_count(*partition.config.params, partition.sectors.size(), partition.list.member));
  const PartitionCheck check(partition);
  CUZK_TRY(check.check_commitments(pool));
  // 40 proofs: the lanes of the batched hash are full, whatever the number of proofs in a sector.
  constexpr std::size_t kGroup = 40;
  const std::size_t groups = (check.proofs() + kGroup - 1) / kGroup;
  std::vector<std::optional<PartitionCheck::Fault>> faults(groups);
  std::atomic<std::size_t> first_fault{groups};
  pool.parallel_for(groups, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end && g < first_fault.load(std::memory_order_relaxed); ++g) {
      faults[g] = check.check_proofs(g * kGroup, std::min(check.proofs(), (g + 1) * kGroup), pool.isa());
      if (faults[g]) atomic_min(first_fault, g);
    }
  });
  const std::size_t at = first_fault.load();
  if (at == groups) return {};
  return bad_input(check.name(faults[at]->proof) + faults[at]->what);
}

}  // namespace cuzk::post
