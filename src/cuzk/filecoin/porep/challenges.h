#pragma once

#include <vector>

#include "cuzk/filecoin/porep/graph.h"

namespace cuzk::porep {

/// The public values of a sector that its challenges depend on. Which of them count is decided by the type:
/// replica_id and seed (interactive), replica_id and comm_r (non-interactive), all three (synthetic).
struct ChallengeInputs {
  Bytes32 replica_id{};
  Bytes32 comm_r{};
  Bytes32 seed{};
};

/// The challenged nodes of one partition, in order, repetitions kept. porep 4.
std::vector<Node> derive_challenges(const PorepConfig& config, const ChallengeInputs& inputs,
                                    unsigned partition);

/// The fixed set of candidates that a synthetic sector draws from, and the draw: the building blocks of
/// derive_challenges, for any number of nodes and candidates.
class SyntheticChallenges {
 public:
  SyntheticChallenges(std::uint64_t nodes, std::uint64_t candidates, const Bytes32& replica_id,
                      const Bytes32& comm_r);
  /// Candidate i, i < number of candidates.
  [[nodiscard]] Node candidate(std::uint64_t i) const;
  /// Indexes of the candidates number first .. first + count - 1 that the seed selects.
  [[nodiscard]] std::vector<std::uint32_t> selected(const Bytes32& seed, std::uint64_t first,
                                                    std::uint64_t count) const;

 private:
  std::uint64_t nodes_;
  std::uint64_t candidates_;
  Bytes32 replica_id_;
  Bytes32 generation_key_;
};

}  // namespace cuzk::porep
