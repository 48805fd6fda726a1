#pragma once

#include <memory>

#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/proving/statement.h"

namespace cuzk {

/// A PoRep as a statement. The C1 output is as its parser left it; its replica id is taken as it stands
/// (porep::verify_replica_id compares it with a miner and a sector number).
std::shared_ptr<const Statement> porep_statement(porep::C1Output c1);

/// "2KiB, StackedDrg2KiBV1_1, 1 partition of 2 challenges"
std::string describe(const porep::PorepConfig& config);

/// kUnsupported for non-interactive types, whose proof is an aggregate that this program cannot make.
Result<void> require_concatenation(const porep::PorepConfig& config);

/// decode_request for kind porep_seal_commit.
Result<std::shared_ptr<const Statement>> decode_porep_request(const ProofRequest& request);

}  // namespace cuzk
