#include "cuzk/proving/porep.h"

#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/internal/partition_witness.h"
#include "cuzk/proving/internal/request_fields.h"

namespace cuzk {
namespace {

class PorepStatement final : public Statement {
 public:
  explicit PorepStatement(porep::C1Output c1)
      : Statement(ProofKind::porep_seal_commit, porep_circuit(*c1.config.sector).id, c1.config.partitions(),
                  describe(c1.config)),
        c1_(std::move(c1)),
        graph_(c1_.config) {}

  Result<void> provable() const override { return require_concatenation(c1_.config); }

  Result<void> verify_vanilla(ThreadPool& pool) const override { return porep::verify_vanilla(pool, c1_); }

  std::uint64_t memory_bytes() const override { return sizeof(*this) + c1_.vanilla.memory_bytes(); }

  unsigned synthesis_parts() const override {
    return c1_.config.sector->challenges * static_cast<unsigned>(porep::kChallengePieces);
  }

  Result<PartitionWitness> synthesize(ThreadPool& pool, const Shape& shape, unsigned k,
                                      std::stop_token stop) const override {
    CUZK_TRY_ASSIGN(const porep::PartitionInput input, porep::partition_input(c1_, k));
    CUZK_TRY_ASSIGN(std::vector<Fr> inputs, public_inputs(k));
    return detail::run_circuit(
        pool, shape, stop, k, std::move(inputs),
        "the vanilla proof's node numbers are not those that the seed and the graph demand",
        input.challenges.size() * porep::kChallengePieces,
        [&](auto& cs) { return porep::synthesize_head(cs, input); },
        [&](auto& cs, const auto& head, std::size_t i) {
          porep::synthesize_piece(cs, head, input, i / porep::kChallengePieces, i % porep::kChallengePieces);
        });
  }

  Result<std::vector<Fr>> public_inputs(unsigned k) const override {
    return porep::public_inputs(c1_.config, graph_, c1_.statement(), k);
  }

  Result<CircuitDigest> digest(unsigned k) const override {
    CUZK_TRY_ASSIGN(const porep::PartitionInput input, porep::partition_input(c1_, k));
    return digest_circuit([&](auto& cs) { porep::synthesize(cs, input); });
  }

 private:
  porep::C1Output c1_;
  porep::Graph graph_;
};

}  // namespace

Result<void> require_concatenation(const porep::PorepConfig& config) {
  if (config.feature != porep::Feature::non_interactive) return {};
  return Error{
      ErrorCode::kUnsupported,
      std::string(config.registered != nullptr ? config.registered->name : "a non-interactive type") +
          " needs aggregation of its partition proofs, which this program does not offer"};
}

std::string describe(const porep::PorepConfig& config) {
  const unsigned partitions = config.partitions();
  return std::string(config.sector->name) + ", " +
         std::string(config.registered != nullptr ? config.registered->name : "no registered type") + ", " +
         std::to_string(partitions) + (partitions == 1 ? " partition of " : " partitions of ") +
         std::to_string(config.sector->challenges) + " challenges";
}

std::shared_ptr<const Statement> porep_statement(porep::C1Output c1) {
  return std::make_shared<PorepStatement>(std::move(c1));
}

Result<std::shared_ptr<const Statement>> decode_porep_request(const ProofRequest& request) {
  const porep::RegisteredSealProof* registered = porep::find_seal_proof(request.registered_proof);
  if (registered == nullptr)
    return bad_input("registered_proof: " + std::to_string(request.registered_proof) +
                     " is no seal proof type");
  const Result<void> offered = require_concatenation(porep::porep_config(*registered));
  if (!offered) return offered.error().within("registered_proof");
  CUZK_TRY(detail::check_sector_size(request, registered->sector->bytes, registered->name));
  CUZK_TRY(detail::require_absent(
      request, {.vanilla_proofs = true, .randomness = true, .partition_index = true, .commitments = true}));
  if (request.vanilla_proof.empty())
    return bad_input("vanilla_proof: empty; it has to hold the C1 output in its wrapper");

  auto document = porep::parse_c1_json(request.vanilla_proof);
  if (!document) return document.error().within("vanilla_proof");
  porep::C1Output& c1 = document->output;
  if (c1.config.registered != registered)
    return bad_input("registered_proof: " + std::to_string(request.registered_proof) + " is " +
                     std::string(registered->name) + ", but vanilla_proof is of type " +
                     std::string(c1.config.registered->name));
  if (document->wrapper && document->wrapper->sector_number != request.sector_number)
    return bad_input("sector_number: " + std::to_string(request.sector_number) +
                     ", but vanilla_proof has SectorNum " + std::to_string(document->wrapper->sector_number));
  const Result<void> id = porep::verify_replica_id(c1, request.miner_id, request.sector_number);
  if (!id) return id.error().within("miner_id, sector_number: they do not belong to vanilla_proof");
  return porep_statement(std::move(c1));
}

}  // namespace cuzk
