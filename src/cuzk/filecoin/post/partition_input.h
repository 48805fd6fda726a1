#pragma once

#include <algorithm>
#include <vector>

#include "cuzk/filecoin/post/partition.h"
#include "cuzk/gadgets/merkle_path.h"

namespace cuzk::post {

/// What decides the structure of a circuit.
struct CircuitParams {
  TreeShape tree;
  unsigned sector_count;
  unsigned challenge_count;

  static CircuitParams of(const PostParams& p) { return {p.size->tree, p.sector_count, p.challenge_count}; }
};

struct ChallengeInput {
  Fr leaf{};
  MerklePath path;
};

/// The values of one slot of the circuit.
struct SlotInput {
  Fr comm_r{};
  Fr comm_c{};
  Fr comm_r_last{};
  std::vector<ChallengeInput> challenges;

  /// All values zero.
  static SlotInput blank(const CircuitParams& p);
};

/// What the circuit of one partition reads, as plain values. Slots behind the last repeat it, so a blank
/// input is small whatever the circuit.
struct PartitionInput {
  std::vector<SlotInput> slots;  ///< at least one
  std::size_t slot_count = 0;    ///< of the circuit

  [[nodiscard]] const SlotInput& slot(std::size_t i) const { return slots[std::min(i, slots.size() - 1)]; }

  /// All values zero: for recording the shape.
  static PartitionInput blank(const CircuitParams& p) { return {{SlotInput::blank(p)}, p.sector_count}; }
  static PartitionInput blank(const PostParams& p) { return blank(CircuitParams::of(p)); }
};

/// Slots that have values of their own: the sectors of WindowPoSt, the challenges of WinningPoSt.
std::size_t distinct_slots(const Partition& partition);

/// The values of slot `slot` < distinct_slots(). The partition is one that read_partition returned (or made
/// the same way); whether its proofs are true is not looked at. kBadInput when a value is no canonical
/// scalar.
Result<SlotInput> slot_input(const Partition& partition, std::size_t slot);

/// The values of all slots. Meant for small circuits: it holds some 300 KB for each sector of 32 GiB.
Result<PartitionInput> partition_input(const Partition& partition);

}  // namespace cuzk::post
