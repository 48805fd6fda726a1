#include "cuzk/proving/porep.h"

#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk {
namespace {

std::string partition_name(std::size_t k) {
  return "partition " + std::to_string(k);
}

}  // namespace

Result<void> require_concatenation(const porep::PorepConfig& config) {
  if (config.feature != porep::Feature::non_interactive) return {};
  return Error{
      ErrorCode::kUnsupported,
      std::string(config.registered != nullptr ? config.registered->name : "a non-interactive type") +
          " needs aggregation of its partition proofs, which this program does not offer"};
}

Result<Blinding> random_blinding() {
  Blinding b;
  CUZK_TRY_ASSIGN(b.r, random_fr());
  CUZK_TRY_ASSIGN(b.s, random_fr());
  return b;
}

Result<PartitionWitness> partition_witness(const Shape& shape, const porep::C1Output& c1,
                                           const porep::Graph& graph, unsigned k) {
  CUZK_TRY_ASSIGN(const porep::PartitionInput input, porep::partition_input(c1, k));
  WitnessBuilder builder(shape.num_bits(), shape.num_wide());
  porep::synthesize(builder, input);
  auto witness = std::make_shared<const Witness>(std::move(builder).finish());

  // The circuit's inputs and the verifier's are computed in two ways; a difference would only show as a
  // proof that does not verify, so name it here.
  CUZK_TRY_ASSIGN(std::vector<Fr> inputs, porep::public_inputs(c1.config, graph, c1.statement(), k));
  if (!std::equal(inputs.begin(), inputs.end(), witness->inputs.begin() + 1, witness->inputs.end()))
    return bad_input("the vanilla proof's node numbers are not those that the seed and the graph demand")
        .within(partition_name(k));
  return PartitionWitness{std::move(witness), std::move(inputs)};
}

Result<void> check_proof(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                         const groth16::ProofInstance& instance) {
  const Result<void> verdict = vk.verify(pool, instance);
  if (verdict) return {};
  return Error{ErrorCode::kInternal, "the proof just made does not verify: " + verdict.error().message};
}

Result<std::vector<groth16::Proof>> prove_porep(ThreadPool& pool, groth16::Prover& prover,
                                                const std::shared_ptr<const groth16::ProvingKey>& key,
                                                const groth16::PreparedVerifyingKey& vk,
                                                const porep::C1Output& c1, std::span<const Blinding> blinding,
                                                const StageObserver& observer) {
  CUZK_TRY(require_concatenation(c1.config));
  const unsigned partitions = c1.config.partitions();
  if (!blinding.empty() && blinding.size() != partitions)
    return usage_error("there must be one r and s for each of the " + std::to_string(partitions) +
                       " partitions");
  const std::shared_ptr<const Shape>& shape = key->shape();
  const porep::Graph graph(c1.config);

  const auto enter = [&](unsigned k, const char* stage) {
    if (observer) observer(partitions == 1 ? std::string(stage) : partition_name(k) + ": " + stage);
  };

  std::vector<groth16::Proof> proofs;
  for (unsigned k = 0; k < partitions; ++k) {
    enter(k, "build the witness");
    CUZK_TRY_ASSIGN(const PartitionWitness partition, partition_witness(*shape, c1, graph, k));
    Blinding b;
    if (blinding.empty()) {
      CUZK_TRY_ASSIGN(b, random_blinding());
    } else {
      b = blinding[k];
    }
    enter(k, "prove");
    Result<groth16::Proof> proof = groth16::prove(prover, key, shape, partition.witness, b.r, b.s);
    if (!proof) return proof.error().within(partition_name(k));
    enter(k, "verify the proof");
    const Result<void> checked = check_proof(pool, vk, {partition.inputs, *proof});
    if (!checked) return checked.error().within(partition_name(k));
    proofs.push_back(*std::move(proof));
  }
  return proofs;
}

Result<void> verify_porep(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                          const porep::PorepConfig& config, const porep::Statement& statement,
                          ByteSpan proof) {
  CUZK_TRY(require_concatenation(config));
  const unsigned partitions = config.partitions();
  CUZK_TRY_ASSIGN(const std::vector<groth16::Proof> proofs, groth16::decode_proofs(proof, partitions));
  const porep::Graph graph(config);
  std::vector<std::vector<Fr>> inputs;
  std::vector<groth16::ProofInstance> instances;
  inputs.reserve(partitions);
  for (unsigned k = 0; k < partitions; ++k) {
    CUZK_TRY_ASSIGN(std::vector<Fr> partition_inputs, porep::public_inputs(config, graph, statement, k));
    inputs.push_back(std::move(partition_inputs));
    instances.push_back({inputs.back(), proofs[k]});
  }
  return vk.verify_batch(pool, instances);
}

}  // namespace cuzk
