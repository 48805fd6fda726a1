#include "fabricated_request.h"

#include <numeric>

#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/filecoin/update/fabricate.h"
#include "cuzk/proving/circuit.h"

namespace cuzk::bench {
namespace {

std::vector<std::uint8_t> bytes_of(const Bytes32& bytes) {
  return {bytes.begin(), bytes.end()};
}

Result<ProofRequest> porep_request(ThreadPool& pool, const porep::RegisteredSealProof& type) {
  const porep::SectorIdentity identity = porep::SectorIdentity::reference();
  CUZK_TRY_ASSIGN(const porep::C1Output c1,
                  porep::fabricate_sector(pool, porep::porep_config(type), identity));
  const std::string wrapper =
      porep::write_c1_wrapper({identity.sector_number, type.sector->bytes}, porep::write_c1_json(c1));
  ProofRequest request;
  request.registered_proof = type.number;
  request.miner_id = identity.miner;
  request.sector_number = identity.sector_number;
  request.vanilla_proof.assign(wrapper.begin(), wrapper.end());
  return request;
}

Result<ProofRequest> post_request(ThreadPool& pool, const post::RegisteredPostProof& type) {
  std::vector<std::uint64_t> sectors(type.params->max_sectors());
  std::iota(sectors.begin(), sectors.end(), 1);
  CUZK_TRY_ASSIGN(
      const post::Partition partition,
      post::fabricate_partition(pool, post::post_config(type), post::reference_randomness(), 0, sectors));
  ProofRequest request;
  request.registered_proof = type.number;
  request.randomness = bytes_of(post::reference_randomness());
  for (const post::SectorProof& sector : partition.sectors)
    request.vanilla_proofs.push_back(post::write_sector_proof(sector));
  return request;
}

ProofRequest update_request(ThreadPool& pool, const update::RegisteredUpdateProof& type) {
  const update::FabricatedUpdate made = update::fabricate_update(pool, *type.sector);
  ProofRequest request;
  request.registered_proof = type.number;
  request.comm_r_old = bytes_of(made.statement.comm_r_old);
  request.comm_r_new = bytes_of(made.statement.comm_r_new);
  request.comm_d_new = bytes_of(made.statement.comm_d_new);
  for (const update::PartitionProof& proof : made.proofs)
    request.vanilla_proofs.push_back(update::write_partition_proof(proof));
  return request;
}

/// Of several types with the circuit that of today: version 1.1 of PoReps, 1.2 of windows.
Result<ProofRequest> fabricate(ThreadPool& pool, const Circuit& circuit) {
  if (circuit.kind == ProofKind::porep_seal_commit) {
    for (const porep::RegisteredSealProof& type : porep::registered_seal_proofs())
      if (type.feature == porep::Feature::none && type.version == ApiVersion::v1_1_0 &&
          porep_circuit(*type.sector).id == circuit.id)
        return porep_request(pool, type);
  } else if (circuit.kind == ProofKind::snap_deals_update) {
    for (const update::RegisteredUpdateProof& type : update::registered_update_proofs())
      if (update_circuit(*type.sector).id == circuit.id) return update_request(pool, type);
  } else {
    for (const post::RegisteredPostProof& type : post::registered_post_proofs())
      if ((circuit.kind == ProofKind::winning_post || type.version == ApiVersion::v1_2_0) &&
          post_circuit(*type.params).id == circuit.id)
        return post_request(pool, type);
  }
  return usage_error(circuit.id + ": sectors of this size have no registered type");
}

}  // namespace

Result<ProofRequest> fabricated_request(ThreadPool& pool, const std::string& circuit_id) {
  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(circuit_id));
  CUZK_TRY_ASSIGN(ProofRequest request, fabricate(pool, circuit));
  request.kind = circuit.kind;
  return request;
}

}  // namespace cuzk::bench
