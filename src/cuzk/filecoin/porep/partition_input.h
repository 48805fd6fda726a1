#pragma once

#include <array>
#include <vector>

#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/gadgets/merkle_path.h"

namespace cuzk::porep {

/// What decides the structure of a partition circuit.
struct CircuitParams {
  unsigned layers;
  unsigned challenges;
  unsigned tree_d_levels;
  TreeShape tree;  ///< of trees C and R

  static CircuitParams of(const SectorParams& s) {
    return {s.layers, s.challenges, s.tree_d_levels(), s.tree};
  }
};

/// A parent's column and its path in tree C.
struct ColumnInput {
  std::vector<Fr> rows;  ///< layer 1 first
  MerklePath path;
};

struct ChallengeInput {
  Fr data_leaf{};
  MerklePath tree_d;
  std::array<ColumnInput, kDrgParents> drg_parents;
  std::array<ColumnInput, kExpanderParents> expander_parents;
  std::uint64_t node = 0;  ///< the challenge
  MerklePath tree_r;
  MerklePath own_column;  ///< in tree C
};

/// The part of a vanilla proof that one partition's circuit reads (porep 5.3), as plain values. The
/// circuit's structure follows the lengths in here, so these must be the ones blank() gives for the size;
/// values are free.
struct PartitionInput {
  Fr replica_id{};
  Fr comm_d{};
  Fr comm_r{};
  Fr comm_r_last{};
  Fr comm_c{};
  std::vector<ChallengeInput> challenges;

  /// All values zero: for recording the shape.
  static PartitionInput blank(const CircuitParams& p);
  static PartitionInput blank(const SectorParams& sector) { return blank(CircuitParams::of(sector)); }
};

/// The circuit values of partition `k` of a phase-1 output. Fails, naming the member, when a value is no
/// canonical scalar, when the partition is missing, or when its proofs disagree in a root (porep 5.3).
/// Whether the proof is true is not looked at.
Result<PartitionInput> partition_input(const C1Output& c1, unsigned k);

}  // namespace cuzk::porep
