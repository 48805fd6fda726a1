#include "cuzk/proving/statement.h"

#include "cuzk/proving/porep.h"
#include "cuzk/proving/post.h"
#include "cuzk/proving/update.h"

namespace cuzk {

Result<std::shared_ptr<const Statement>> decode_request(const ProofRequest& request) {
  switch (request.kind) {
    case ProofKind::porep_seal_commit:
      return decode_porep_request(request);
    case ProofKind::snap_deals_update:
      return decode_update_request(request);
    case ProofKind::window_post_partition:
    case ProofKind::winning_post:
      return decode_post_request(request);
  }
  return bad_input("proof_kind: " + std::to_string(static_cast<unsigned>(request.kind)) +
                   " is no kind of proof");
}

Result<std::shared_ptr<const Statement>> read_request(ThreadPool& pool, ProofRequest request) {
  // The vanilla proofs of the other kinds are a list; their checks name the element themselves.
  const bool porep = request.kind == ProofKind::porep_seal_commit;
  CUZK_TRY_ASSIGN(std::shared_ptr<const Statement> statement, decode_request(request));
  const Result<void> verdict = statement->verify_vanilla(pool);
  if (!verdict) return porep ? verdict.error().within("vanilla_proof") : verdict.error();
  return statement;
}

}  // namespace cuzk
