#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuzk/filecoin/post/partition.h"
#include "cuzk/proving/statement.h"

namespace cuzk {

/// WinningPoSt, or one partition of WindowPoSt, as a statement: `vanilla_proofs` in bincode, one for each
/// sector, ascending. kBadInput names the field as the API calls it, the list of vanilla proofs as `list`
/// says.
Result<std::shared_ptr<const Statement>> post_statement(
    const post::PostConfig& config, ByteSpan randomness, std::uint32_t partition_index,
    std::span<const std::vector<std::uint8_t>> vanilla_proofs, const ProofList& list = {});

/// WindowPoSt over more sectors than one circuit holds: the statement has as many partitions as are needed,
/// in the order of the sectors, and only the last may be short. Places in errors are those in the whole list.
Result<std::shared_ptr<const Statement>> window_post_statement(
    const post::PostConfig& config, ByteSpan randomness,
    std::span<const std::vector<std::uint8_t>> vanilla_proofs, const ProofList& list = {});

/// decode_request for kinds winning_post and window_post_partition.
Result<std::shared_ptr<const Statement>> decode_post_request(const ProofRequest& request);

}  // namespace cuzk
