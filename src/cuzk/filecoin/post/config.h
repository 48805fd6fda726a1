#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cuzk/filecoin/api_version.h"
#include "cuzk/filecoin/merkle/sector_size.h"

namespace cuzk::post {

enum class Kind { winning, window };
/// "Winning", "Window": as in registered proof names.
std::string_view to_string(Kind kind);

/// One fallback PoSt circuit. Both kinds are the same circuit with other numbers: `sector_count` slots of one
/// sector and `challenge_count` challenges each (post-and-snap 2.1, the circuit-level numbers). A
/// WinningPoSt circuit has 66 slots of one challenge, all of the same sector.
struct PostParams {
  Kind kind;
  const SectorSize* size;
  unsigned sector_count;
  unsigned challenge_count;

  /// Sectors that one proof may be about.
  [[nodiscard]] constexpr unsigned max_sectors() const { return kind == Kind::winning ? 1 : sector_count; }
  /// Inclusion proofs in one sector's vanilla proof.
  [[nodiscard]] constexpr unsigned proofs_per_sector() const {
    return kind == Kind::winning ? sector_count : challenge_count;
  }
};

/// All kinds and sizes: WinningPoSt first, sizes ascending.
std::span<const PostParams> post_table();
/// Null when there is no such circuit. The result lives for ever.
const PostParams* find_post(Kind kind, std::uint64_t sector_bytes);

/// A registered PoSt proof type (post-and-snap 4.2).
struct RegisteredPostProof {
  unsigned number;        ///< 0..14
  std::string_view name;  ///< "StackedDrgWindow2KiBV1_2", as the Rust API spells it (Go says V1_1)
  const PostParams* params;
  ApiVersion version;
};

std::span<const RegisteredPostProof> registered_post_proofs();
const RegisteredPostProof* find_post_proof(std::uint64_t number);

/// What decides how a partition is proved. `registered` is null for sizes without a registered type.
struct PostConfig {
  const PostParams* params = nullptr;
  ApiVersion version = ApiVersion::v1_2_0;
  const RegisteredPostProof* registered = nullptr;
};

PostConfig post_config(const RegisteredPostProof& registered);

/// The configuration of a kind and size under an API version, with the registered type if there is one.
/// kUsage when there is no such size, or for WinningPoSt under 1.2.0, whose challenge rule does not fit it.
Result<PostConfig> post_config(Kind kind, std::uint64_t sector_bytes, ApiVersion version);

}  // namespace cuzk::post
