#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// The kinds of proof, with the numbers of the API's enum ProofKind.
enum class ProofKind : std::uint8_t {
  porep_seal_commit = 1,
  snap_deals_update = 2,
  window_post_partition = 3,
  winning_post = 4,
};

inline constexpr std::array kProofKinds{ProofKind::porep_seal_commit, ProofKind::snap_deals_update,
                                        ProofKind::window_post_partition, ProofKind::winning_post};

/// The name in status rows and on the command line: "porep-c2", "snap-update", "window-post", "winning-post".
std::string_view to_string(ProofKind kind);
/// The value of metric labels: the same with underscores.
std::string_view metric_label(ProofKind kind);
/// Takes the names of to_string and the short ones: "porep", "snap", "wpost", "winning". kUsage, listing all,
/// when there is no such kind.
Result<ProofKind> proof_kind_from_string(std::string_view name);

/// What a client asks to be proved: the payload of the API's SubmitProofRequest, member by member and
/// unchecked. read_request (statement.h) checks it. Which members count depends on the kind:
///
/// |                 | porep-c2         | snap-update     | window-post      | winning-post |
/// |-----------------|------------------|-----------------|------------------|--------------|
/// | registered_proof| seal type, 0..14 | update, 0..4    | PoSt, 5..14      | PoSt, 0..4   |
/// | vanilla_proof   | C1 output        | -               | -                | -            |
/// | vanilla_proofs  | -                | per partition   | per sector       | one          |
/// | sector_number   | of replica_id    | no effect       | no effect        | no effect    |
/// | miner_id        | of replica_id    | no effect       | no effect        | no effect    |
/// | randomness      | -                | -               | 32 bytes         | 32 bytes     |
/// | partition_index | -                | -               | counts in 5..9   | -            |
/// | comm_*          | -                | 32 bytes each   | -                | -            |
///
/// A member marked - must be empty or 0. The sectors of a window partition are those of this partition only.
struct ProofRequest {
  ProofKind kind = ProofKind::porep_seal_commit;
  std::uint64_t sector_size = 0;  ///< bytes; 0: as registered_proof says
  std::uint64_t registered_proof = 0;
  std::vector<std::uint8_t> vanilla_proof;
  std::vector<std::vector<std::uint8_t>> vanilla_proofs;
  std::uint64_t sector_number = 0;
  std::uint64_t miner_id = 0;
  std::vector<std::uint8_t> randomness;
  std::uint32_t partition_index = 0;
  std::vector<std::uint8_t> comm_r_old;
  std::vector<std::uint8_t> comm_r_new;
  std::vector<std::uint8_t> comm_d_new;
};

/// Identifies the payload: SHA-256 over every member, numbers as eight little-endian bytes, bytes and lists
/// behind their length. Two requests with the same digest ask for the same proof.
Bytes32 payload_digest(const ProofRequest& request);

}  // namespace cuzk
