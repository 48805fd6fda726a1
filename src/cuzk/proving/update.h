#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuzk/filecoin/proof_list.h"
#include "cuzk/filecoin/update/partition_proof.h"
#include "cuzk/filecoin/update/public_inputs.h"
#include "cuzk/proving/statement.h"

namespace cuzk {

/// A SnapDeals update as a statement: `vanilla_proofs` in bincode, one for each partition, in partition
/// order. `sector` is one of update::sector_table(). kBadInput names the field as the API calls it, the list
/// of vanilla proofs as `list` says.
Result<std::shared_ptr<const Statement>> update_statement(
    const update::SectorParams& sector, const update::Statement& commitments,
    std::span<const std::vector<std::uint8_t>> vanilla_proofs, const ProofList& list = {});

/// decode_request for kind snap_deals_update.
Result<std::shared_ptr<const Statement>> decode_update_request(const ProofRequest& request);

}  // namespace cuzk
