#pragma once

#include <vector>

#include "cuzk/field/fr.h"
#include "cuzk/filecoin/porep/challenges.h"

namespace cuzk::porep {

/// What the verifier of a sector's proof knows (besides the configuration).
struct Statement {
  Bytes32 replica_id{};
  Bytes32 comm_d{};
  Bytes32 comm_r{};
  Bytes32 seed{};  ///< without effect on non-interactive types

  [[nodiscard]] ChallengeInputs challenge_inputs() const { return {replica_id, comm_r, seed}; }
};

/// The public inputs of one partition's circuit without the leading ONE: 3 + 18 per challenge (porep
/// 7). Fails when a commitment or the replica id is no canonical scalar.
Result<std::vector<Fr>> public_inputs(const PorepConfig& config, const Graph& graph,
                                      const Statement& statement, unsigned partition);

}  // namespace cuzk::porep
