#include "cuzk/filecoin/update/partition_input.h"

#include "cuzk/filecoin/merkle/node_hash.h"

namespace cuzk::update {
namespace {

std::vector<Fr> scalars(std::span<const Bytes32> nodes) {
  std::vector<Fr> out;
  out.reserve(nodes.size());
  for (const Bytes32& node : nodes) out.push_back(node_scalar(node));
  return out;
}

}  // namespace

PartitionInput PartitionInput::blank(const SectorParams& sector) {
  const auto zeros = [](std::size_t count) { return std::vector<Fr>(count, Fr::zero()); };
  PartitionInput out;
  out.sector = &sector;
  out.apex_leaves = zeros(sector.apex_leaves());
  out.partition_path = zeros(sector.partition_bits());
  ChallengeInput challenge;
  challenge.path_r_old = zeros(sector.tree.siblings());
  challenge.path_r_new = zeros(sector.tree.siblings());
  challenge.path_d_new = zeros(sector.levels_to_apex());
  out.challenges.assign(sector.challenges(), challenge);
  return out;
}

Result<PartitionInput> partition_input(const PartitionProof& proof, const Statement& statement, unsigned k) {
  const SectorParams& sector = *proof.sector;
  CUZK_CHECK(k < sector.partitions());
  CUZK_TRY_ASSIGN(const Commitments c, commitments(statement));
  PartitionInput out;
  out.sector = &sector;
  out.k_and_h_select = sector.k_and_h_select(k);
  out.comm_r_old = c.comm_r_old;
  out.comm_d_new = c.comm_d_new;
  out.comm_r_new = c.comm_r_new;
  out.comm_c = node_scalar(proof.comm_c);
  out.root_r_old = node_scalar(proof.r_old[0].root);
  out.root_r_new = node_scalar(proof.r_new[0].root);
  out.apex_leaves = scalars(proof.apex_leaves);
  out.partition_path = scalars(proof.partition_path());
  out.challenges.reserve(sector.challenges());
  for (std::size_t i = 0; i < sector.challenges(); ++i) {
    ChallengeInput challenge;
    challenge.leaf_r_old = node_scalar(proof.r_old[i].leaf);
    challenge.leaf_d_new = node_scalar(proof.d_new[i].leaf);
    challenge.path_r_old = scalars(proof.r_old[i].siblings);
    challenge.path_r_new = scalars(proof.r_new[i].siblings);
    challenge.path_d_new = scalars(proof.d_new[i].siblings.first(sector.levels_to_apex()));
    out.challenges.push_back(std::move(challenge));
  }
  return out;
}

}  // namespace cuzk::update
