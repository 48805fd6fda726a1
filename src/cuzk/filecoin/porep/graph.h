#pragma once

#include <array>
#include <cstdint>

#include "cuzk/filecoin/porep/sector.h"

namespace cuzk::porep {

/// A node number; sectors have at most 2^31 nodes.
using Node = std::uint32_t;

/// The dependency graph of a sector: 6 parents in the same layer (bucket sampling) and 8 in the layer before
/// (Feistel permutation). porep 2. Immutable, so safe to share between threads.
class Graph {
 public:
  /// `nodes` is a power of two, at most 2^31.
  Graph(std::uint64_t nodes, const Bytes32& porep_id, ApiVersion version);
  explicit Graph(const PorepConfig& config)
      : Graph(config.sector->nodes(), config.porep_id, config.version) {}

  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }
  /// `node` must be below nodes().
  [[nodiscard]] std::array<Node, kDrgParents> drg_parents(Node node) const;
  [[nodiscard]] std::array<Node, kExpanderParents> expander_parents(Node node) const;
  /// The DRG parents, then the expander parents.
  [[nodiscard]] std::array<Node, kParents> parents(Node node) const;

  [[nodiscard]] const std::array<std::uint8_t, 28>& drg_seed() const { return drg_seed_; }
  [[nodiscard]] const std::array<std::uint64_t, 4>& feistel_keys() const { return feistel_keys_; }

 private:
  [[nodiscard]] std::uint64_t permute(std::uint64_t x) const;

  std::uint64_t nodes_;
  ApiVersion version_;
  unsigned half_bits_;  // of one half of the Feistel network
  std::array<std::uint8_t, 28> drg_seed_{};
  std::array<std::uint64_t, 4> feistel_keys_{};
};

}  // namespace cuzk::porep
