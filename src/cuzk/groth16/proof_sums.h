#pragma once

#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/verifying_key.h"

namespace cuzk::groth16 {

/// What the device work of a proof leaves: one sum per query and that of the quotient. For implementations of
/// Prover.
struct ProofSums {
  G1Jacobian h, l, a, b_g1;
  G2Jacobian b_g2;
};

/// The proof of these sums, blinded by r and s: groth16-and-formats 4.4.
[[nodiscard]] Proof assemble_proof(const VerifyingKey& vk, const ProofSums& sums, const Fr& r, const Fr& s);

}  // namespace cuzk::groth16
