#include "cuzk/filecoin/post/fabricate.h"

#include <algorithm>
#include <string>

#include "cuzk/filecoin/merkle/node_hash.h"
#include "cuzk/filecoin/merkle/sparse_tree.h"
#include "cuzk/filecoin/post/challenges.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::post {
namespace {

template <class T>
void update_le(Sha256& hash, T value) {
  std::array<std::uint8_t, sizeof value> bytes;
  store_le(bytes.data(), value);
  hash.update(bytes);
}

Bytes32 filler_node(std::uint64_t sector_id, unsigned height, std::uint64_t position) {
  Sha256 hash;
  hash.update(byte_span("cuzk-synth-node"));
  update_le(hash, sector_id);
  update_le(hash, std::uint32_t{height});
  update_le(hash, position);
  return truncate_to_254_bits(hash.finish());
}

Bytes32 filler_comm_c(std::uint64_t sector_id) {
  Sha256 hash;
  hash.update(byte_span("cuzk-synth-comm-c"));
  update_le(hash, sector_id);
  return truncate_to_254_bits(hash.finish());
}

}  // namespace

Bytes32 reference_randomness() {
  Bytes32 out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i);
  return out;
}

SectorProof fabricate_sector(ThreadPool& pool, const PostConfig& config, const Bytes32& randomness,
                             std::uint64_t sector_id, std::uint64_t position) {
  const std::vector<std::uint64_t> challenges = challenged_leaves(config, randomness, sector_id, position);
  std::vector<std::uint64_t> distinct = challenges;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<SparseTree::Leaf> leaves;
  for (const std::uint64_t leaf : distinct) leaves.push_back({leaf, filler_node(sector_id, 0, leaf)});
  const SparseTree tree(
      pool, config.params->size->tree,
      [sector_id](unsigned height, std::uint64_t place) { return filler_node(sector_id, height, place); },
      std::move(leaves));

  SectorProof out(*config.params);
  out.sector_id = sector_id;
  out.comm_r_last = tree.root();
  out.comm_c = filler_comm_c(sector_id);
  out.comm_r = replica_commitment(node_scalar(out.comm_c), node_scalar(out.comm_r_last)).to_bytes_le();
  out.inclusion.reserve(challenges.size());
  for (const std::uint64_t leaf : challenges) tree.fill_proof(leaf, out.inclusion.append());
  return out;
}

Result<Partition> fabricate_partition(ThreadPool& pool, const PostConfig& config, const Bytes32& randomness,
                                      std::uint32_t partition_index,
                                      std::span<const std::uint64_t> sector_ids) {
  const PostParams& params = *config.params;
  if (sector_ids.empty() || sector_ids.size() > params.max_sectors())
    return usage_error(std::to_string(sector_ids.size()) + " sectors, but a proof takes 1 to " +
                       std::to_string(params.max_sectors()));
  if (std::adjacent_find(sector_ids.begin(), sector_ids.end(), std::greater_equal<>()) != sector_ids.end())
    return usage_error("the sector ids do not ascend");
  if (!is_canonical_fr(randomness)) return usage_error("the randomness is not a canonical scalar");
  Partition out{config, randomness, partition_index, {}};
  out.sectors.assign(sector_ids.size(), SectorProof(params));
  const std::uint64_t first = Statement{config, randomness, partition_index, {}}.position(0);
  pool.parallel_for(sector_ids.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      out.sectors[i] = fabricate_sector(pool, config, randomness, sector_ids[i], first + i);
  });
  return out;
}

}  // namespace cuzk::post
