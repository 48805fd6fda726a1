#include "cuzk/groth16/proof_sums.h"

namespace cuzk::groth16 {

Proof assemble_proof(const VerifyingKey& vk, const ProofSums& sums, const Fr& r, const Fr& s) {
  const G1Jacobian a = sums.a + vk.alpha_g1 + mul(vk.delta_g1, r);
  const G2Jacobian b = sums.b_g2 + vk.beta_g2 + mul(vk.delta_g2, s);
  const G1Jacobian b_g1 = sums.b_g1 + vk.beta_g1 + mul(vk.delta_g1, s);
  const G1Jacobian c = mul(a, s) + mul(b_g1, r) - mul(vk.delta_g1, r * s) + sums.h + sums.l;
  return {a.to_affine(), b.to_affine(), c.to_affine()};
}

}  // namespace cuzk::groth16
