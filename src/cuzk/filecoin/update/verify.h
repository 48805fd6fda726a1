#pragma once

#include <span>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/proof_list.h"
#include "cuzk/filecoin/update/partition_proof.h"
#include "cuzk/filecoin/update/public_inputs.h"

namespace cuzk::update {

/// Checks all partition proofs of an update completely, before any proving (post-and-snap 4.5): the
/// challenges are derived again; every path in the three trees is the challenged node's and leads to its
/// commitment; comm_c ties the roots to comm_r_old and comm_r_new; the apex leaves make up comm_d_new and are
/// on every path in tree D; every new node is the encoding of the old one and the data.
///
/// `proofs` holds sector.partitions() proofs in partition order, each as read_partition_proof returns it: of
/// this size, nodes canonical, positions below their arity. kBadInput names the first thing that is wrong
/// ("vanilla_proofs[3].challenge_proofs[5].proof_d_new: ...", or as `list` says).
Result<void> verify_vanilla(ThreadPool& pool, const SectorParams& sector, const Statement& statement,
                            std::span<const PartitionProof> proofs, const ProofList& list = {});

}  // namespace cuzk::update
