#include "cuzk/proving/statement.h"

#include "cuzk/proving/porep.h"

namespace cuzk {

Result<std::shared_ptr<const Statement>> decode_request(ProofRequest request) {
  switch (request.kind) {
    case ProofKind::porep_seal_commit:
      return decode_porep_request(request);
    case ProofKind::snap_deals_update:
    case ProofKind::window_post_partition:
    case ProofKind::winning_post:
      return Error{ErrorCode::kUnsupported,
                   "proof_kind: " + std::string(to_string(request.kind)) + " is not offered"};
  }
  return bad_input("proof_kind: " + std::to_string(static_cast<unsigned>(request.kind)) +
                   " is no kind of proof");
}

Result<std::shared_ptr<const Statement>> read_request(ThreadPool& pool, ProofRequest request) {
  const char* const field = request.kind == ProofKind::porep_seal_commit ? "vanilla_proof" : "vanilla_proofs";
  CUZK_TRY_ASSIGN(std::shared_ptr<const Statement> statement, decode_request(std::move(request)));
  const Result<void> verdict = statement->verify_vanilla(pool);
  if (!verdict) return verdict.error().within(field);
  return statement;
}

}  // namespace cuzk
