#include "cuzk/filecoin/porep/challenges.h"

#include <algorithm>
#include <string_view>

#include "cuzk/hash/blake2.h"
#include "cuzk/hash/chacha.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

constexpr std::string_view kNonInteractiveTag = "filecoin.io|PoRep|1|NonInteractive|1";
constexpr std::string_view kGenerationKey = "filecoin.io|PoRep|1|Synthetic|1|Generation";
constexpr std::string_view kSelectionKey = "filecoin.io|PoRep|1|Synthetic|1|Selection";
constexpr std::array<std::uint8_t, 12> kSyntheticNonce{'s', 'y', 'n', 't', 'h', '-',
                                                       'p', 'o', 'r', 'e', 'p', 0};
constexpr std::uint64_t kMaxCandidates = std::uint64_t{1} << 18;

/// The little-endian integer modulo (nodes - 1), plus 1: never node 0.
Node to_challenge(const std::uint8_t* bytes, std::uint64_t nodes) {
  std::uint64_t remainder = 0;
  for (std::size_t i = 32; i-- > 0;) remainder = (remainder << 8 | bytes[i]) % (nodes - 1);
  return static_cast<Node>(remainder + 1);
}

Bytes32 keyed_hash(std::string_view key, const Bytes32& a, const Bytes32& b) {
  Blake2b hash(32, byte_span(key));
  hash.update(a);
  hash.update(b);
  Bytes32 out;
  hash.finish(out);
  return out;
}

}  // namespace

SyntheticChallenges::SyntheticChallenges(std::uint64_t nodes, std::uint64_t candidates,
                                         const Bytes32& replica_id, const Bytes32& comm_r)
    : nodes_(nodes),
      candidates_(candidates),
      replica_id_(replica_id),
      generation_key_(keyed_hash(kGenerationKey, replica_id, comm_r)) {}

Node SyntheticChallenges::candidate(std::uint64_t i) const {
  CUZK_CHECK(i < candidates_);
  const auto block = ChaCha::ietf(20, generation_key_, kSyntheticNonce).block(i / 2);
  return to_challenge(block.data() + 32 * (i % 2), nodes_);
}

std::vector<std::uint32_t> SyntheticChallenges::selected(const Bytes32& seed, std::uint64_t first,
                                                         std::uint64_t count) const {
  const ChaCha stream = ChaCha::ietf(20, keyed_hash(kSelectionKey, replica_id_, seed), kSyntheticNonce);
  std::vector<std::uint32_t> out;
  for (std::uint64_t j = first; j < first + count; ++j) {
    const auto block = stream.block(j / 16);
    out.push_back(
        static_cast<std::uint32_t>(load_le<std::uint32_t>(block.data() + 4 * (j % 16)) % candidates_));
  }
  return out;
}

std::vector<Node> derive_challenges(const PorepConfig& config, const ChallengeInputs& inputs,
                                    unsigned partition) {
  const std::uint64_t nodes = config.sector->nodes();
  const unsigned count = config.sector->challenges;
  const std::uint64_t first = std::uint64_t{count} * partition;
  std::vector<Node> out;
  if (config.feature == Feature::synthetic) {
    const SyntheticChallenges synthetic(nodes, std::min(nodes, kMaxCandidates), inputs.replica_id,
                                        inputs.comm_r);
    for (const std::uint32_t i : synthetic.selected(inputs.seed, first, count))
      out.push_back(synthetic.candidate(i));
    return out;
  }
  for (std::uint64_t j = first; j < first + count; ++j) {
    Sha256 hash;
    if (config.feature == Feature::non_interactive) hash.update(byte_span(kNonInteractiveTag));
    hash.update(inputs.replica_id);
    hash.update(config.feature == Feature::non_interactive ? inputs.comm_r : inputs.seed);
    std::array<std::uint8_t, 4> number;
    store_le(number.data(), static_cast<std::uint32_t>(j));
    hash.update(number);
    out.push_back(to_challenge(hash.finish().data(), nodes));
  }
  return out;
}

}  // namespace cuzk::porep
