#pragma once

#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/update/partition_proof.h"
#include "cuzk/filecoin/update/public_inputs.h"

namespace cuzk::update {

/// An update that was never made, but whose proofs pass every check.
struct FabricatedUpdate {
  Statement statement;
  std::vector<PartitionProof> proofs;  ///< of all partitions
};

/// The update of post-and-snap 6.2: old replica and data repeat with a period of 64 nodes, so that trees
/// of any size have few different nodes and every leaf can be opened. For tests and benchmarks. The values of
/// a witness repeat more than those of a real sector. 64 GiB: 17,000 Poseidon hashes, 8 MiB of trees and 9
/// MiB of proofs, under a second on one core.
FabricatedUpdate fabricate_update(ThreadPool& pool, const SectorParams& sector);

}  // namespace cuzk::update
