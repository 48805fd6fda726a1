#pragma once

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {

/// Checks the vanilla proof of a phase-1 output completely, before any proving: challenges and parents are
/// derived again, every path leads to its commitment, every column hash, label and encoding is recomputed,
/// and fields that the circuit ignores must be right as well (porep 5.2, in the strict reading).
/// Non-interactive types too. kBadInput with the first offending proof's path
/// ("vanilla_proofs.StackedDrg2KiBV1[0][1].comm_d_proofs: ...").
Result<void> verify_vanilla(ThreadPool& pool, const C1Output& c1);

/// Recomputes replica_id from the miner's actor id and the sector number and compares.
Result<void> verify_replica_id(const C1Output& c1, std::uint64_t miner, std::uint64_t sector_number);

}  // namespace cuzk::porep
