// The journal's stored requests, without the digest that a changed one would not have.

#include "cuzk/journal/request_file.h"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<journal::StoredRequest> stored = journal::parse_request({data, size});
  if (!stored) {
    CUZK_CHECK(stored.error().code == ErrorCode::kInternal);
    return 0;
  }
  const ProofRequest* request = &stored->request;
  // Every byte of the file is in exactly one member (magic, numbers, lengths, and what they announce) or in
  // the room behind them.
  std::size_t bytes = 8 + 8 * (12 + request->vanilla_proofs.size()) + request->vanilla_proof.size() +
                      request->randomness.size() + request->comm_r_old.size() + request->comm_r_new.size() +
                      request->comm_d_new.size();
  for (const auto& proof : request->vanilla_proofs) bytes += proof.size();
  if (const engine::JobIdentity& owner = stored->owner.identity; data[7] == '3')
    bytes += 7 * 8 + owner.job_id.size() + owner.request_id.size() + 2 * 32;
  CUZK_CHECK(bytes == size || bytes + journal::kOutcomeRoom == size);
  (void)payload_digest(*request);
  return 0;
}
