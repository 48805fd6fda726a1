#pragma once

#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/field/fr.h"
#include "cuzk/filecoin/update/sector.h"

namespace cuzk::update {

/// What the verifier of an update's proof knows (besides the sector size).
struct Statement {
  Bytes32 comm_r_old{};
  Bytes32 comm_r_new{};
  Bytes32 comm_d_new{};
};

/// The commitments as scalars.
struct Commitments {
  Fr comm_r_old;
  Fr comm_r_new;
  Fr comm_d_new;
};
/// Fails, naming the commitment, when one is no canonical scalar.
Result<Commitments> commitments(const Statement& statement);

/// The four public inputs of partition `k`'s circuit without the leading ONE (post-and-snap 3.6). Fails as
/// commitments() does. `k` must be below sector.partitions().
Result<std::vector<Fr>> public_inputs(const SectorParams& sector, const Statement& statement, unsigned k);

}  // namespace cuzk::update
