#include "cuzk/groth16/verifier.h"

#include <string>

#include "cuzk/base/random.h"
#include "cuzk/msm/msm.h"

namespace cuzk::groth16 {
namespace {

constexpr const char* kEquationFails =
    "the pairing equation does not hold: the proof is not of these public inputs";

/// A uniform 128-bit integer as a scalar. 64 + 64 bits as in the reference.
Result<Fr> random_coefficient() {
  std::array<std::uint8_t, 16> bytes;
  CUZK_TRY(os_random(bytes));
  return Fr::from_int(
      FrInt{{load_le<std::uint64_t>(bytes.data()), load_le<std::uint64_t>(bytes.data() + 8), 0, 0}});
}

}  // namespace

PreparedVerifyingKey::PreparedVerifyingKey(VerifyingKey vk)
    : vk_(std::move(vk)),
      alpha_beta_(pairing(vk_.alpha_g1, vk_.beta_g2)),
      minus_gamma_(-vk_.gamma_g2),
      minus_delta_(-vk_.delta_g2) {}

Result<void> PreparedVerifyingKey::check_input_count(const ProofInstance& instance) const {
  if (instance.inputs.size() + 1 == vk_.ic.size()) return {};
  return bad_input(std::to_string(instance.inputs.size()) + " public inputs, the verifying key takes " +
                   std::to_string(vk_.ic.size() - 1));
}

Result<void> PreparedVerifyingKey::verify(ThreadPool& pool, const ProofInstance& instance) const {
  CUZK_TRY(check_input_count(instance));
  const G1Jacobian inputs =
      msm(pool, std::span<const G1Affine>(vk_.ic).subspan(1), instance.inputs) + vk_.ic[0];
  const G2Prepared b(instance.proof.b);
  const PairingInput factors[] = {
      {instance.proof.a, &b}, {inputs.to_affine(), &minus_gamma_}, {instance.proof.c, &minus_delta_}};
  if (final_exponentiation(multi_miller_loop(factors)) == alpha_beta_) return {};
  return bad_input(kEquationFails);
}

Result<void> PreparedVerifyingKey::verify_batch(ThreadPool& pool,
                                                std::span<const ProofInstance> instances) const {
  if (instances.empty()) return bad_input("no proof to verify");
  const auto of_proof = [](std::size_t j, const Error& error) {
    return error.within("proof " + std::to_string(j));
  };
  for (std::size_t j = 0; j < instances.size(); ++j)
    if (const auto ok = check_input_count(instances[j]); !ok) return of_proof(j, ok.error());
  if (instances.size() == 1) {
    const auto ok = verify(pool, instances[0]);
    return ok ? ok : of_proof(0, ok.error());
  }

  // sum_j z_j times the equation of proof j, with the pairings of gamma, delta and (alpha, beta) merged.
  std::vector<Fr> z(instances.size());
  for (Fr& coefficient : z) {
    CUZK_TRY_ASSIGN(coefficient, random_coefficient());
  }
  std::vector<Fr> input_sums(vk_.ic.size(), Fr::zero());
  std::vector<G1Affine> c(instances.size());
  std::vector<G1Jacobian> scaled(instances.size());
  std::vector<G2Prepared> b;
  b.reserve(instances.size());
  for (std::size_t j = 0; j < instances.size(); ++j) {
    input_sums[0] += z[j];
    for (std::size_t i = 0; i < instances[j].inputs.size(); ++i)
      input_sums[i + 1] += z[j] * instances[j].inputs[i];
    c[j] = instances[j].proof.c;
    scaled[j] = mul(instances[j].proof.a, z[j]);
    b.emplace_back(instances[j].proof.b);
  }
  std::vector<G1Affine> a(instances.size());
  batch_to_affine(std::span<const G1Jacobian>(scaled), std::span(a));
  std::vector<PairingInput> factors;
  for (std::size_t j = 0; j < instances.size(); ++j) factors.push_back({a[j], &b[j]});
  const G1Jacobian inputs = msm(pool, std::span<const G1Affine>(vk_.ic), std::span<const Fr>(input_sums));
  const G1Jacobian c_sum = msm(pool, std::span<const G1Affine>(c), std::span<const Fr>(z));
  factors.push_back({inputs.to_affine(), &minus_gamma_});
  factors.push_back({c_sum.to_affine(), &minus_delta_});
  // e(alpha, beta)^-S as one more Miller loop, which the common final exponentiation completes.
  const G2Prepared beta(vk_.beta_g2);
  factors.push_back({(-mul(vk_.alpha_g1, input_sums[0])).to_affine(), &beta});
  if (final_exponentiation(multi_miller_loop(factors)).is_one()) return {};

  for (std::size_t j = 0; j < instances.size(); ++j)
    if (const auto ok = verify(pool, instances[j]); !ok) return of_proof(j, ok.error());
  return Error{ErrorCode::kInternal, "a batch of proofs fails though each of them holds"};
}

}  // namespace cuzk::groth16
