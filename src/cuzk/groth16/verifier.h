#pragma once

#include <span>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/pairing.h"
#include "cuzk/field/fr.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/verifying_key.h"

namespace cuzk::groth16 {

/// One statement to verify: the public inputs without ONE, and its proof.
struct ProofInstance {
  std::span<const Fr> inputs;
  Proof proof;
};

/// A verifying key with its pairing constants: e(alpha, beta) and the line tables of -gamma and -delta.
/// Immutable, thread-safe. Proofs are taken as decoded by decode_proof, that is in the subgroups and finite.
class PreparedVerifyingKey {
 public:
  explicit PreparedVerifyingKey(VerifyingKey vk);

  [[nodiscard]] const VerifyingKey& vk() const { return vk_; }

  /// e(A, B) = e(alpha, beta) e(sum x_i ic_i, gamma) e(C, delta). kBadInput when the number of inputs is not
  /// |ic| - 1 or the equation does not hold.
  Result<void> verify(ThreadPool& pool, const ProofInstance& instance) const;

  /// All of them at once: one equation with random 128-bit coefficients (groth16-and-formats 5), which a
  /// false proof passes with probability 2^-128. When it fails, each is verified alone and the error names
  /// the first culprit. No instance at all is an error: nothing would be proved.
  Result<void> verify_batch(ThreadPool& pool, std::span<const ProofInstance> instances) const;

 private:
  Result<void> check_input_count(const ProofInstance& instance) const;

  VerifyingKey vk_;
  Fp12 alpha_beta_;
  G2Prepared minus_gamma_;
  G2Prepared minus_delta_;
};

}  // namespace cuzk::groth16
