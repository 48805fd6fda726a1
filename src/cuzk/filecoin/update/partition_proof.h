#pragma once

#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/filecoin/merkle/merkle_proof.h"
#include "cuzk/filecoin/update/sector.h"

namespace cuzk::update {

/// The vanilla proof of one partition of an update (post-and-snap 3.4): the apex leaves of tree D and, for
/// each challenge, an opening in each of the three trees.
struct PartitionProof {
  /// All nodes and positions zero, all lists of the size's lengths.
  explicit PartitionProof(const SectorParams& sector);

  const SectorParams* sector;  ///< must outlive this
  Bytes32 comm_c{};
  std::vector<Bytes32> apex_leaves;
  // sector->challenges() proofs each
  MerkleProofs r_old;
  MerkleProofs d_new;
  MerkleProofs r_new;

  /// The partition's path in tree D, from the root over its apex leaves up: the last levels of every proof in
  /// d_new, of which this is the first's.
  [[nodiscard]] std::span<const Bytes32> partition_path() const {
    return d_new[0].siblings.last(sector->partition_bits());
  }

  friend bool operator==(const PartitionProof& a, const PartitionProof& b) {
    return a.sector->bytes == b.sector->bytes && a.comm_c == b.comm_c && a.apex_leaves == b.apex_leaves &&
           a.r_old == b.r_old && a.d_new == b.d_new && a.r_new == b.r_new;
  }
};

/// Bytes of one partition proof in bincode.
std::size_t partition_proof_bytes(const SectorParams& sector);

/// Reads the reference's bincode of one partition proof. Every count, variant, position and scalar must be
/// what the sector size demands, and nothing may follow; whether the proof is true is for verify_vanilla.
/// kBadInput with field and byte offset. Takes memory for one proof of the size, whatever the data says.
Result<PartitionProof> read_partition_proof(ByteSpan bytes, const SectorParams& sector);

/// The bytes that read_partition_proof reads.
std::vector<std::uint8_t> write_partition_proof(const PartitionProof& proof);

}  // namespace cuzk::update
