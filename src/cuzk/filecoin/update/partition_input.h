#pragma once

#include <vector>

#include "cuzk/field/fr.h"
#include "cuzk/filecoin/update/partition_proof.h"
#include "cuzk/filecoin/update/public_inputs.h"

namespace cuzk::update {

/// What one challenge contributes. Siblings level by level from the leaf up, each level in ascending position
/// without the own node. Positions are not read from the proof: the circuit derives them.
struct ChallengeInput {
  Fr leaf_r_old{};
  Fr leaf_d_new{};
  std::vector<Fr> path_r_old;  ///< sector.tree.siblings()
  std::vector<Fr> path_r_new;  ///< sector.tree.siblings()
  std::vector<Fr> path_d_new;  ///< sector.levels_to_apex(): the part below the apex leaves
};

/// The part of a partition proof that the circuit reads (post-and-snap 3.5), as plain values. The
/// circuit's structure follows from `sector`, and the lengths must be those that blank() gives; values are
/// free.
struct PartitionInput {
  const SectorParams* sector = nullptr;  ///< must outlive this
  std::uint64_t k_and_h_select = 0;
  Fr comm_r_old{};
  Fr comm_d_new{};
  Fr comm_r_new{};
  Fr comm_c{};
  Fr root_r_old{};
  Fr root_r_new{};
  std::vector<Fr> apex_leaves;
  std::vector<Fr> partition_path;  ///< sector.partition_bits() siblings, from the partition's root up
  std::vector<ChallengeInput> challenges;

  /// All values zero: for recording the shape.
  static PartitionInput blank(const SectorParams& sector);
};

/// The circuit values of partition `k`, below proof.sector->partitions(). Fails when a commitment is no
/// canonical scalar. Nodes must be canonical, as read_partition_proof ensures; whether the proof is true is
/// not looked at.
Result<PartitionInput> partition_input(const PartitionProof& proof, const Statement& statement, unsigned k);

}  // namespace cuzk::update
