#include "cuzk/groth16/prover.h"

namespace cuzk::groth16 {

Result<Proof> reread(const Proof& proof) {
  auto result = decode_proof(encode_proof(proof));
  if (!result)
    return Error{ErrorCode::kInternal, "a finished proof does not read back: " + result.error().message};
  return result;
}

Result<Proof> prove(Prover& prover, std::shared_ptr<const ProvingKey> key, std::shared_ptr<const Shape> shape,
                    std::shared_ptr<const Witness> witness, const Fr& r, const Fr& s, LaunchReport* report,
                    const LaunchOptions& options) {
  CUZK_TRY_ASSIGN(Prepared prepared,
                  prover.prepare(std::move(key), std::move(shape), std::move(witness), r, s));
  CUZK_TRY_ASSIGN(Pending pending, prover.launch(std::span(&prepared, 1), options));
  if (report != nullptr) *report = pending.report();
  CUZK_TRY_ASSIGN(const std::vector<Proof> proofs, prover.finish(std::move(pending)));
  return reread(proofs.front());
}

}  // namespace cuzk::groth16
