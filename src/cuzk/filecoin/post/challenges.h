#pragma once

#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/filecoin/post/config.h"

namespace cuzk::post {

/// The leaf that challenge number `challenge` asks of a sector, out of `nodes` (a power of two).
/// post-and-snap 2.2. The miner does not enter.
std::uint64_t challenged_leaf(const Bytes32& randomness, std::uint64_t sector_id, std::uint64_t challenge,
                              std::uint64_t nodes);

/// The leaves that a sector must open, in the order of its vanilla proof. `position` counts the sectors of
/// all partitions: partition_index * sector_count + place in the partition; it matters for WindowPoSt below
/// 1.2.0 only.
std::vector<std::uint64_t> challenged_leaves(const PostConfig& config, const Bytes32& randomness,
                                             std::uint64_t sector_id, std::uint64_t position);

/// Which of a miner's `eligible` >= 1 sectors the winning ticket asks for, as an index into its list.
std::uint64_t winning_sector(const Bytes32& prover_id, const Bytes32& randomness, std::uint64_t eligible);

}  // namespace cuzk::post
