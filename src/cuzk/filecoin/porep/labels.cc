#include "cuzk/filecoin/porep/labels.h"

#include <algorithm>

#include "cuzk/field/fr.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {

Bytes32 create_label(const Bytes32& replica_id, unsigned layer, std::uint64_t node,
                     std::span<const Bytes32> parents) {
  // prefix (64 bytes) || 37 parents || SHA-256 padding, assembled once: 20 blocks (2 without parents).
  constexpr std::size_t kPrefix = 64;
  constexpr std::size_t kMaxMessage = kPrefix + 32 * kLabelSlots;
  alignas(64) std::array<std::uint8_t, kMaxMessage + 32> message{};
  static_assert(message.size() % 64 == 0);
  std::copy(replica_id.begin(), replica_id.end(), message.begin());
  store_be32(message.data() + 32, layer);
  store_be64(message.data() + 36, node);
  std::size_t length = kPrefix;
  if (!parents.empty())
    for (std::size_t slot = 0; slot < kLabelSlots; ++slot, length += 32)
      std::copy_n(parents[slot % parents.size()].begin(), 32,
                  message.begin() + static_cast<std::ptrdiff_t>(length));
  message[length] = 0x80;
  const std::size_t blocks = (length + 9 + 63) / 64;
  store_be64(message.data() + 64 * blocks - 8, 8 * length);
  Sha256State state = kSha256InitialState;
  sha256_compress(state, message.data(), blocks);
  Bytes32 out;
  for (std::size_t i = 0; i < 8; ++i) store_be32(out.data() + 4 * i, state[i]);
  return truncate_to_254_bits(out);
}

std::vector<std::vector<Bytes32>> label_all_nodes(const Graph& graph, const Bytes32& replica_id,
                                                  unsigned layers) {
  std::vector<std::vector<Bytes32>> labels(layers, std::vector<Bytes32>(graph.nodes()));
  for (unsigned layer = 1; layer <= layers; ++layer) {
    std::vector<Bytes32>& current = labels[layer - 1];
    for (Node node = 0; node < graph.nodes(); ++node) {
      std::array<Bytes32, kParents> parents;
      std::size_t count = 0;
      if (node > 0) {
        for (const Node p : graph.drg_parents(node)) parents[count++] = current[p];
        if (layer > 1)
          for (const Node p : graph.expander_parents(node)) parents[count++] = labels[layer - 2][p];
      }
      current[node] = create_label(replica_id, layer, node, std::span(parents).first(count));
    }
  }
  return labels;
}

Bytes32 encode(const Bytes32& key, const Bytes32& data) {
  const auto k = Fr::from_bytes_le(key);
  const auto d = Fr::from_bytes_le(data);
  CUZK_CHECK(k.has_value() && d.has_value());
  return (*k + *d).to_bytes_le();
}

}  // namespace cuzk::porep
