#include "cuzk/proving/update.h"

#include "cuzk/filecoin/update/circuit.h"
#include "cuzk/filecoin/update/verify.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/internal/partition_witness.h"
#include "cuzk/proving/internal/request_fields.h"

namespace cuzk {
namespace {

std::string describe(const update::SectorParams& sector) {
  const unsigned partitions = sector.partitions();
  return std::string(sector.name) + ", SnapDeals update, " + std::to_string(partitions) +
         (partitions == 1 ? " partition of " : " partitions of ") + std::to_string(sector.challenges()) +
         " challenges";
}

class UpdateStatement final : public Statement {
 public:
  UpdateStatement(const update::SectorParams& sector, const update::Statement& commitments,
                  std::vector<update::PartitionProof> proofs, const ProofList& list)
      : Statement(ProofKind::snap_deals_update, update_circuit(sector).id, sector.partitions(),
                  describe(sector)),
        sector_(sector),
        commitments_(commitments),
        proofs_(std::move(proofs)),
        list_(list) {}

  Result<void> verify_vanilla(ThreadPool& pool) const override {
    return update::verify_vanilla(pool, sector_, commitments_, proofs_, list_);
  }

  std::uint64_t memory_bytes() const override {
    std::uint64_t bytes = sizeof(*this);
    for (const update::PartitionProof& proof : proofs_)
      bytes += sizeof(proof) + proof.apex_leaves.capacity() * sizeof(Bytes32) + proof.r_old.memory_bytes() +
               proof.d_new.memory_bytes() + proof.r_new.memory_bytes();
    return bytes;
  }

  unsigned synthesis_parts() const override { return sector_.challenges(); }

  Result<PartitionWitness> synthesize(ThreadPool& pool, const Shape& shape, unsigned k,
                                      std::stop_token stop) const override {
    if (k >= proofs_.size()) return detail::no_partition(k);
    CUZK_TRY_ASSIGN(const update::PartitionInput input, update::partition_input(proofs_[k], commitments_, k));
    CUZK_TRY_ASSIGN(std::vector<Fr> inputs, public_inputs(k));
    return detail::run_circuit(
        pool, shape, stop, k, std::move(inputs), "the circuit's public inputs are not the statement's",
        input.challenges.size(), [&](auto& cs) { return update::synthesize_head(cs, input); },
        [&](auto& cs, const auto& head, std::size_t i) { update::synthesize_challenge(cs, head, input, i); });
  }

  Result<std::vector<Fr>> public_inputs(unsigned k) const override {
    if (k >= proofs_.size()) return detail::no_partition(k);
    return update::public_inputs(sector_, commitments_, k);
  }

  Result<CircuitDigest> digest(unsigned k) const override {
    if (k >= proofs_.size()) return detail::no_partition(k);
    CUZK_TRY_ASSIGN(const update::PartitionInput input, update::partition_input(proofs_[k], commitments_, k));
    return digest_circuit([&](auto& cs) { update::synthesize(cs, input); });
  }

 private:
  const update::SectorParams& sector_;
  update::Statement commitments_;
  std::vector<update::PartitionProof> proofs_;
  ProofList list_;
};

}  // namespace

Result<std::shared_ptr<const Statement>> update_statement(
    const update::SectorParams& sector, const update::Statement& commitments,
    std::span<const std::vector<std::uint8_t>> vanilla_proofs, const ProofList& list) {
  CUZK_TRY(update::commitments(commitments));
  if (vanilla_proofs.size() != sector.partitions())
    return bad_input(std::string(list.member) + ": " + std::to_string(vanilla_proofs.size()) +
                     " given, but an update of " + std::string(sector.name) + " has " +
                     std::to_string(sector.partitions()) +
                     (sector.partitions() == 1 ? " partition" : " partitions"));
  std::vector<update::PartitionProof> proofs;
  proofs.reserve(vanilla_proofs.size());
  for (std::size_t k = 0; k < vanilla_proofs.size(); ++k) {
    Result<update::PartitionProof> proof = update::read_partition_proof(vanilla_proofs[k], sector);
    if (!proof) return proof.error().within(list[k]);
    proofs.push_back(*std::move(proof));
  }
  return std::shared_ptr<const Statement>(
      std::make_shared<UpdateStatement>(sector, commitments, std::move(proofs), list));
}

Result<std::shared_ptr<const Statement>> decode_update_request(const ProofRequest& request) {
  const update::RegisteredUpdateProof* registered = update::find_update_proof(request.registered_proof);
  if (registered == nullptr)
    return bad_input("registered_proof: " + std::to_string(request.registered_proof) +
                     " is no update proof type");
  CUZK_TRY(detail::check_sector_size(request, registered->sector->bytes, registered->name));
  CUZK_TRY(
      detail::require_absent(request, {.vanilla_proof = true, .randomness = true, .partition_index = true}));
  update::Statement commitments;
  CUZK_TRY_ASSIGN(commitments.comm_r_old, detail::read_bytes32(request.comm_r_old, "comm_r_old"));
  CUZK_TRY_ASSIGN(commitments.comm_r_new, detail::read_bytes32(request.comm_r_new, "comm_r_new"));
  CUZK_TRY_ASSIGN(commitments.comm_d_new, detail::read_bytes32(request.comm_d_new, "comm_d_new"));
  return update_statement(*registered->sector, commitments, request.vanilla_proofs);
}

}  // namespace cuzk
