#pragma once

#include <array>

#include "cuzk/filecoin/post/partition_input.h"
#include "cuzk/gadgets/por.h"

namespace cuzk::post {

/// One slot of the fallback PoSt circuit (post-and-snap 2.5): comm_r as a public input, its opening, and
/// one path for each challenge with the leaf's index as a public input. Slots share no variable but ONE, so
/// the circuit is slots in a row.
template <class CS>
void synthesize_slot(CS& cs, const SlotInput& input) {
  const auto allocate = [&](const char* name, const Fr& value) {
    const Namespace ns(cs, name);
    return num_alloc(cs, value);
  };
  const AllocatedNum comm_r_last = allocate("comm_r_last", input.comm_r_last);
  const AllocatedNum comm_c = allocate("comm_c", input.comm_c);
  const AllocatedNum comm_r = allocate("comm_r", input.comm_r);
  {
    const Namespace ns(cs, "comm_r_input");
    inputize(cs, comm_r);
  }
  AllocatedNum hash;
  {
    const Namespace ns(cs, "H_comm_c_comm_r_last");
    hash = poseidon_circuit(cs, std::array{comm_c, comm_r_last});
  }
  enforce_equal(cs, comm_r, hash);
  for (std::size_t i = 0; i < input.challenges.size(); ++i) {
    const Namespace ns(cs, {"challenge_inclusion_", i});
    por<PoseidonTree>(cs, input.challenges[i].leaf, input.challenges[i].path, comm_r_last, true);
  }
}

/// The circuit of one partition, WinningPoSt or WindowPoSt, into any constraint system. Public inputs: ONE,
/// then 1 + challenges of each slot. The namespaces are those of the reference circuit down to three steps,
/// so that checkpoints compare line by line.
template <class CS>
void synthesize(CS& cs, const PartitionInput& input) {
  const Namespace outer(cs, "outer namespace");
  for (std::size_t i = 0; i < input.slot_count; ++i) {
    const Namespace ns(cs, {"sector_", i});
    synthesize_slot(cs, input.slot(i));
  }
}

}  // namespace cuzk::post
