#include "cuzk/proving/internal/request_fields.h"

#include <algorithm>

namespace cuzk::detail {

Result<void> require_absent(const ProofRequest& request, const AbsentFields& absent) {
  const auto refuse = [&](std::string_view field, const char* what) {
    return bad_input(std::string(field) + ": must be " + what + " for " +
                     std::string(to_string(request.kind)));
  };
  if (absent.vanilla_proof && !request.vanilla_proof.empty()) return refuse("vanilla_proof", "empty");
  if (absent.vanilla_proofs && !request.vanilla_proofs.empty()) return refuse("vanilla_proofs", "empty");
  if (absent.randomness && !request.randomness.empty()) return refuse("randomness", "empty");
  if (absent.partition_index && request.partition_index != 0) return refuse("partition_index", "0");
  if (absent.commitments) {
    if (!request.comm_r_old.empty()) return refuse("comm_r_old", "empty");
    if (!request.comm_r_new.empty()) return refuse("comm_r_new", "empty");
    if (!request.comm_d_new.empty()) return refuse("comm_d_new", "empty");
  }
  return {};
}

Result<void> check_sector_size(const ProofRequest& request, std::uint64_t registered_bytes,
                               std::string_view registered_name) {
  if (request.sector_size == 0 || request.sector_size == registered_bytes) return {};
  return bad_input("sector_size: " + std::to_string(request.sector_size) + ", but registered_proof " +
                   std::to_string(request.registered_proof) + " (" + std::string(registered_name) +
                   ") is of sectors of " + std::to_string(registered_bytes) + " bytes");
}

Result<Bytes32> read_bytes32(const std::vector<std::uint8_t>& bytes, std::string_view field) {
  Bytes32 out{};
  if (bytes.size() != out.size())
    return bad_input(std::string(field) + ": " + std::to_string(bytes.size()) + " bytes where 32 are needed");
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

}  // namespace cuzk::detail
