#pragma once

#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/filecoin/merkle/merkle_proof.h"
#include "cuzk/filecoin/post/config.h"

namespace cuzk::post {

/// One sector's vanilla proof, a FallbackPoStSectorProof (post-and-snap 2.3): one inclusion proof in tree
/// R for each challenge, in their order.
struct SectorProof {
  explicit SectorProof(const PostParams& params) : inclusion(params.size->tree) {}

  std::uint64_t sector_id = 0;
  Bytes32 comm_r{};
  Bytes32 comm_c{};
  Bytes32 comm_r_last{};
  MerkleProofs inclusion;

  friend bool operator==(const SectorProof&, const SectorProof&) = default;
};

/// Bytes of one sector's vanilla proof.
std::size_t sector_proof_bytes(const PostParams& params);

/// Reads one sector's vanilla proof. All counts must be those of `params`, scalars canonical, positions below
/// their arity, and nothing may follow. kBadInput names field and byte offset.
Result<SectorProof> read_sector_proof(ByteSpan bytes, const PostParams& params);

std::vector<std::uint8_t> write_sector_proof(const SectorProof& proof);

}  // namespace cuzk::post
