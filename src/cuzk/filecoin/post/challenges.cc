#include "cuzk/filecoin/post/challenges.h"

#include "cuzk/hash/sha256.h"

namespace cuzk::post {
namespace {

void update_u64(Sha256& hash, std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  store_le(bytes.data(), value);
  hash.update(bytes);
}

}  // namespace

std::uint64_t challenged_leaf(const Bytes32& randomness, std::uint64_t sector_id, std::uint64_t challenge,
                              std::uint64_t nodes) {
  Sha256 hash;
  hash.update(randomness);
  update_u64(hash, sector_id);
  update_u64(hash, challenge);
  return load_le<std::uint64_t>(hash.finish().data()) % nodes;
}

std::vector<std::uint64_t> challenged_leaves(const PostConfig& config, const Bytes32& randomness,
                                             std::uint64_t sector_id, std::uint64_t position) {
  const PostParams& params = *config.params;
  const std::uint64_t count = params.proofs_per_sector();
  const bool counted_over_sectors = params.kind == Kind::window && config.version != ApiVersion::v1_2_0;
  const std::uint64_t first = counted_over_sectors ? position * count : 0;
  std::vector<std::uint64_t> out;
  out.reserve(count);
  for (std::uint64_t n = 0; n < count; ++n)
    out.push_back(challenged_leaf(randomness, sector_id, first + n, params.size->nodes()));
  return out;
}

std::uint64_t winning_sector(const Bytes32& prover_id, const Bytes32& randomness, std::uint64_t eligible) {
  Sha256 hash;
  hash.update(prover_id);
  hash.update(randomness);
  update_u64(hash, 0);
  return load_le<std::uint64_t>(hash.finish().data()) % eligible;
}

}  // namespace cuzk::post
