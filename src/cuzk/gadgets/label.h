#pragma once

#include <span>
#include <vector>

#include "cuzk/gadgets/tree_hash.h"
#include "cuzk/gadgets/uint64.h"

namespace cuzk {

/// The label of `node` in `layer` (constraint-system-and-gadgets 10.2): SHA-256 of replica id, layer, node
/// and the parents, of which the network's labels have 37. Replica id and parents are 256 Booleans at most
/// each, in message order; parents may repeat.
template <class CS>
AllocatedNum create_label(CS& cs, std::span<const Boolean> replica_id,
                          std::span<const std::vector<Boolean>* const> parents, std::uint32_t layer,
                          const UInt64& node) {
  CUZK_CHECK(replica_id.size() <= 256);
  constexpr std::size_t kGroup = 256;
  std::vector<Boolean> message;
  message.reserve(kGroup * (parents.size() + 2));
  message.assign(replica_id.begin(), replica_id.end());
  message.resize(kGroup);
  for (unsigned i = 32; i-- > 0;) message.push_back(Boolean::constant((layer >> i & 1) != 0));
  message.insert(message.end(), node.bits.rbegin(), node.bits.rend());
  message.resize(2 * kGroup);
  for (const std::vector<Boolean>* parent : parents) {
    CUZK_CHECK(parent->size() <= kGroup);
    message.insert(message.end(), parent->begin(), parent->end());
    message.resize((message.size() + kGroup - 1) / kGroup * kGroup);
  }
  CUZK_CHECK(message.size() == kGroup * (parents.size() + 2));
  return sha256_number(cs, message);
}

/// The hash of one column: Poseidon over its 2 or 11 rows, layer 1 first.
template <class CS>
AllocatedNum hash_single_column(CS& cs, std::span<const AllocatedNum> rows) {
  CUZK_CHECK(rows.size() == 2 || rows.size() == 11);
  return poseidon_circuit(cs, rows);
}

}  // namespace cuzk
