#pragma once

#include <cstdint>
#include <span>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/post/partition.h"

namespace cuzk::post {

/// Bytes 00, 01, ... 1f: the randomness of the reference's fabricated proofs.
Bytes32 reference_randomness();

/// The vanilla proof of a sector that does not exist: only the challenged leaves and what lies above them are
/// hashes, all other nodes are filler (post-and-snap 6.1). It passes verify_vanilla. For tests and
/// benchmarks; any size. `position` as for challenged_leaves.
SectorProof fabricate_sector(ThreadPool& pool, const PostConfig& config, const Bytes32& randomness,
                             std::uint64_t sector_id, std::uint64_t position);

/// A partition of such sectors. kUsage when their number is not 1 .. max_sectors(), when the ids do not
/// ascend, or when the randomness is no canonical scalar.
Result<Partition> fabricate_partition(ThreadPool& pool, const PostConfig& config, const Bytes32& randomness,
                                      std::uint32_t partition_index,
                                      std::span<const std::uint64_t> sector_ids);

}  // namespace cuzk::post
