// The journal's stored requests, without the digest that a changed one would not have.

#include "cuzk/journal/request_file.h"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Result<ProofRequest> request = journal::parse_request({data, size});
  if (!request) {
    CUZK_CHECK(request.error().code == ErrorCode::kInternal);
    return 0;
  }
  // Every byte of the file is in exactly one member (magic, numbers, lengths, and what they announce) or in
  // the room behind them.
  std::size_t bytes = 8 + 8 * (12 + request->vanilla_proofs.size()) + request->vanilla_proof.size() +
                      request->randomness.size() + request->comm_r_old.size() + request->comm_r_new.size() +
                      request->comm_d_new.size();
  for (const auto& proof : request->vanilla_proofs) bytes += proof.size();
  CUZK_CHECK(bytes == size || bytes + journal::kOutcomeRoom == size);
  (void)payload_digest(*request);
  return 0;
}
