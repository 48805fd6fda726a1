#pragma once

#include <span>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/filecoin/post/vanilla_proof.h"
#include "cuzk/filecoin/proof_list.h"

namespace cuzk::post {

/// What the verifier knows of a sector.
struct PublicSector {
  std::uint64_t id = 0;
  Bytes32 comm_r{};
};

/// What one proof states: these sectors, in this order, were still there when `randomness` came out.
struct Statement {
  PostConfig config;
  Bytes32 randomness{};
  std::uint32_t partition_index = 0;  ///< of WindowPoSt; without effect under 1.2.0
  std::vector<PublicSector> sectors;  ///< 1 .. max_sectors() of the circuit

  /// Position of a sector for challenged_leaves.
  [[nodiscard]] std::uint64_t position(std::size_t sector) const {
    return std::uint64_t{partition_index} * config.params->sector_count + sector;
  }
};

/// The public inputs of the circuit without the leading ONE: for each slot comm_r and the leaves of its
/// challenges; slots without a sector repeat the last one (post-and-snap 2.6). Fails when the number of
/// sectors is out of bounds or a commitment is no canonical scalar.
Result<std::vector<Fr>> public_inputs(const Statement& statement);

/// One partition as it is asked for: the statement and the vanilla proofs of its sectors, in its order.
struct Partition {
  PostConfig config;
  Bytes32 randomness{};
  std::uint32_t partition_index = 0;
  std::vector<SectorProof> sectors;
  ProofList list{};  ///< where the sectors' proofs come from

  [[nodiscard]] Statement statement() const;
};

/// Reads and validates what a request holds, structure only (verify_vanilla checks the truth): randomness of
/// 32 bytes below r; 1 .. max_sectors() vanilla proofs; sector ids ascending and distinct, the order in which
/// the network verifies. Nothing is masked or reordered. kBadInput names the field ("randomness",
/// "vanilla_proofs[3]: ...", or as `list` says) and, inside a vanilla proof, member and offset.
Result<Partition> read_partition(const PostConfig& config, ByteSpan randomness, std::uint32_t partition_index,
                                 std::span<const std::vector<std::uint8_t>> vanilla_proofs,
                                 const ProofList& list = {});

/// Checks the vanilla proofs completely (post-and-snap 4.5): comm_r is not zero and is the hash of comm_c
/// and comm_r_last; every inclusion proof opens the leaf that is asked for and leads to comm_r_last.
/// kBadInput names the first offending proof and member.
Result<void> verify_vanilla(ThreadPool& pool, const Partition& partition);

}  // namespace cuzk::post
