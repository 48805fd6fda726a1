#pragma once

#include <string>
#include <string_view>

#include "cuzk/proving/request.h"

// Checks of request members that several kinds share. Messages start with the member's name.

namespace cuzk::detail {

/// Members that a kind has no use for. One that is set anyway would be ignored in silence, and the client
/// would get a proof of something else than it thinks.
struct AbsentFields {
  bool vanilla_proof = false;
  bool vanilla_proofs = false;
  bool randomness = false;
  bool partition_index = false;
  bool commitments = false;
};
Result<void> require_absent(const ProofRequest& request, const AbsentFields& absent);

/// sector_size is 0 or what the registered type says.
Result<void> check_sector_size(const ProofRequest& request, std::uint64_t registered_bytes,
                               std::string_view registered_name);

/// A member of exactly 32 bytes.
Result<Bytes32> read_bytes32(const std::vector<std::uint8_t>& bytes, std::string_view field);

}  // namespace cuzk::detail
