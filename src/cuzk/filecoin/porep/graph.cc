#include "cuzk/filecoin/porep/graph.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "cuzk/hash/blake2.h"
#include "cuzk/hash/chacha.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

Bytes32 derive(std::string_view tag, const Bytes32& porep_id) {
  Sha256 hash;
  hash.update(byte_span(tag));
  hash.update(porep_id);
  return hash.finish();
}

std::uint64_t feistel_round(std::uint64_t right, std::uint64_t key, std::uint64_t mask) {
  std::array<std::uint8_t, 16> message;
  store_be64(message.data(), right);
  store_be64(message.data() + 8, key);
  return load_be64(blake2b_512(message).data()) & mask;
}

}  // namespace

Graph::Graph(std::uint64_t nodes, const Bytes32& porep_id, ApiVersion version)
    : nodes_(nodes), version_(version) {
  CUZK_CHECK(std::has_single_bit(nodes) && nodes <= std::uint64_t{1} << 31);
  const Bytes32 drg = derive("Filecoin_DRSample", porep_id);
  std::copy_n(drg.begin(), drg_seed_.size(), drg_seed_.begin());
  const Bytes32 feistel = derive("Filecoin_Feistel", porep_id);
  for (std::size_t i = 0; i < 4; ++i) feistel_keys_[i] = load_le<std::uint64_t>(feistel.data() + 8 * i);
  half_bits_ = 1;
  while (std::uint64_t{1} << (2 * half_bits_) < kExpanderParents * nodes) ++half_bits_;
}

std::array<Node, kDrgParents> Graph::drg_parents(Node node) const {
  CUZK_CHECK(node < nodes_);
  std::array<Node, kDrgParents> out{};
  if (node < 2) return out;
  Bytes32 key;
  std::copy(drg_seed_.begin(), drg_seed_.end(), key.begin());
  store_le(key.data() + drg_seed_.size(), node);
  ChaChaReader random(ChaCha::with_stream(8, key, 0));

  // The bucket graph of degree 1 over 5 nodes per node, collapsed.
  constexpr std::uint64_t kDegree = kDrgParents - 1;
  const std::uint64_t meta_node = kDegree * node;
  const auto buckets = static_cast<std::uint64_t>(std::bit_width(meta_node));
  const bool predecessor_first = version_ != ApiVersion::v1_0_0;
  out[predecessor_first ? 0 : kDegree] = node - 1;
  for (std::size_t i = 0; i < kDegree; ++i) {
    const std::uint64_t bucket = random.next_u64() % buckets + 1;
    const std::uint64_t high = std::min(meta_node, std::uint64_t{1} << bucket);
    const std::uint64_t low = std::max<std::uint64_t>(2, high / 2);
    const std::uint64_t distance = low + random.next_u64() % (high - low + 1);
    const auto parent = static_cast<Node>((meta_node - distance) / kDegree);
    out[i + (predecessor_first ? 1 : 0)] = parent == node ? node - 1 : parent;
  }
  return out;
}

std::uint64_t Graph::permute(std::uint64_t x) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = x >> half_bits_ & mask;
  std::uint64_t right = x & mask;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::uint64_t mixed = left ^ feistel_round(right, feistel_keys_[k], mask);
    left = right;
    right = mixed;
  }
  return left << half_bits_ | right;
}

std::array<Node, kExpanderParents> Graph::expander_parents(Node node) const {
  CUZK_CHECK(node < nodes_);
  const std::uint64_t size = kExpanderParents * nodes_;
  std::array<Node, kExpanderParents> out;
  for (std::size_t i = 0; i < kExpanderParents; ++i) {
    std::uint64_t u = permute(std::uint64_t{kExpanderParents} * node + i);
    while (u >= size) u = permute(u);
    // Version 1.0 loses the upper half of the number; sealed sectors depend on it.
    if (version_ == ApiVersion::v1_0_0) u = static_cast<std::uint32_t>(u);
    out[i] = static_cast<Node>(u / kExpanderParents);
  }
  return out;
}

std::array<Node, kParents> Graph::parents(Node node) const {
  std::array<Node, kParents> out;
  const auto drg = drg_parents(node);
  const auto expander = expander_parents(node);
  std::copy(drg.begin(), drg.end(), out.begin());
  std::copy(expander.begin(), expander.end(), out.begin() + kDrgParents);
  return out;
}

}  // namespace cuzk::porep
