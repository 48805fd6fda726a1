#include "cuzk/proving/prove.h"

#include <string>

namespace cuzk {
namespace {

std::string partition_name(std::size_t k) {
  return "partition " + std::to_string(k);
}

}  // namespace

Result<Blinding> random_blinding() {
  Blinding b;
  CUZK_TRY_ASSIGN(b.r, random_fr());
  CUZK_TRY_ASSIGN(b.s, random_fr());
  return b;
}

Result<void> check_proof(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                         const groth16::ProofInstance& instance) {
  const Result<void> verdict = vk.verify(pool, instance);
  if (verdict) return {};
  return Error{ErrorCode::kInternal, "the proof just made does not verify: " + verdict.error().message};
}

std::string suspect_parameters(const std::string& circuit_id, const std::string& path) {
  return "the parameters of " + circuit_id +
         " may be wrong: compare the digest that cuzk inspect prints for " +
         (path.empty() ? "their file" : path) + " with the published one";
}

Result<std::vector<groth16::Proof>> prove_statement(ThreadPool& pool, groth16::Prover& prover,
                                                    const std::shared_ptr<const groth16::ProvingKey>& key,
                                                    const groth16::PreparedVerifyingKey& vk,
                                                    const Statement& statement,
                                                    std::span<const Blinding> blinding,
                                                    const ProveObserver& observer) {
  CUZK_TRY(statement.provable());
  const unsigned partitions = statement.partitions();
  if (!blinding.empty() && blinding.size() != partitions)
    return usage_error("there must be one r and s for each of the " + std::to_string(partitions) +
                       " partitions");
  const std::shared_ptr<const Shape>& shape = key->shape();
  const auto enter = [&](unsigned k, const char* stage) {
    if (observer.stage)
      observer.stage(partitions == 1 ? std::string(stage) : partition_name(k) + ": " + stage);
  };

  groth16::LaunchOptions launch;
  launch.progress = observer.progress;
  std::vector<groth16::Proof> proofs;
  for (unsigned k = 0; k < partitions; ++k) {
    enter(k, "build the witness");
    CUZK_TRY_ASSIGN(const PartitionWitness partition,
                    statement.synthesize(pool, *shape, k, std::stop_token()));
    Blinding b;
    if (blinding.empty()) {
      CUZK_TRY_ASSIGN(b, random_blinding());
    } else {
      b = blinding[k];
    }
    enter(k, "prove");
    Result<groth16::Proof> proof =
        groth16::prove(prover, key, shape, partition.witness, b.r, b.s, nullptr, launch);
    if (!proof) return proof.error().within(partition_name(k));
    enter(k, "verify the proof");
    const Result<void> checked = check_proof(pool, vk, {partition.inputs, *proof});
    if (!checked)
      return Error{checked.error().code, partition_name(k) + ": " + checked.error().message + "; " +
                                             suspect_parameters(statement.circuit_id(), key->path())};
    proofs.push_back(*std::move(proof));
  }
  return proofs;
}

Result<void> verify_statement(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                              const Statement& statement, ByteSpan proof) {
  CUZK_TRY(statement.provable());
  const unsigned partitions = statement.partitions();
  CUZK_TRY_ASSIGN(const std::vector<groth16::Proof> proofs, groth16::decode_proofs(proof, partitions));
  std::vector<std::vector<Fr>> inputs;
  std::vector<groth16::ProofInstance> instances;
  inputs.reserve(partitions);
  for (unsigned k = 0; k < partitions; ++k) {
    CUZK_TRY_ASSIGN(std::vector<Fr> partition_inputs, statement.public_inputs(k));
    inputs.push_back(std::move(partition_inputs));
    instances.push_back({inputs.back(), proofs[k]});
  }
  return vk.verify_batch(pool, instances);
}

}  // namespace cuzk
