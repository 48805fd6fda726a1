#include "cuzk/proving/post.h"

#include <algorithm>

#include "cuzk/filecoin/post/circuit.h"
#include "cuzk/filecoin/post/witness.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/internal/partition_witness.h"
#include "cuzk/proving/internal/request_fields.h"

namespace cuzk {
namespace {

ProofKind proof_kind(post::Kind kind) {
  return kind == post::Kind::winning ? ProofKind::winning_post : ProofKind::window_post_partition;
}

std::string counted(std::size_t n, const char* what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

/// "2KiB, StackedDrgWindow2KiBV1_2, 3 sectors in 2 partitions of 2"
std::string describe(const std::vector<post::Partition>& partitions) {
  const post::PostConfig& config = partitions.front().config;
  std::size_t sectors = 0;
  for (const post::Partition& p : partitions) sectors += p.sectors.size();
  std::string text = std::string(config.params->size->name) + ", " +
                     (config.registered != nullptr ? std::string(config.registered->name)
                                                   : std::string(post::to_string(config.params->kind)) +
                                                         "PoSt without registered type, API " +
                                                         std::string(to_string(config.version))) +
                     ", " + counted(sectors, "sector");
  if (config.params->kind == post::Kind::window)
    text += " in " + counted(partitions.size(), "partition") + " of " +
            std::to_string(config.params->sector_count);
  return text;
}

class PostStatement final : public Statement {
 public:
  explicit PostStatement(std::vector<post::Partition> partitions)
      : Statement(proof_kind(partitions.front().config.params->kind),
                  post_circuit(*partitions.front().config.params).id,
                  static_cast<unsigned>(partitions.size()), describe(partitions)),
        partitions_(std::move(partitions)) {}

  Result<void> verify_vanilla(ThreadPool& pool) const override {
    for (const post::Partition& partition : partitions_) CUZK_TRY(post::verify_vanilla(pool, partition));
    return {};
  }

  std::uint64_t memory_bytes() const override {
    std::uint64_t bytes = sizeof(*this);
    for (const post::Partition& partition : partitions_)
      for (const post::SectorProof& sector : partition.sectors)
        bytes += sizeof(sector) + sector.inclusion.memory_bytes();
    return bytes;
  }

  /// Of the first partition, which has the most sectors.
  unsigned synthesis_parts() const override {
    return static_cast<unsigned>(post::witness_parts(partitions_.front()));
  }

  Result<PartitionWitness> synthesize(ThreadPool& pool, const Shape& /*shape*/, unsigned k,
                                      std::stop_token stop) const override {
    if (k >= partitions_.size()) return detail::no_partition(k);
    CUZK_TRY_ASSIGN(std::vector<Fr> inputs, public_inputs(k));
    CUZK_TRY_ASSIGN(Witness witness, post::build_witness(pool, partitions_[k], std::move(stop)));
    return detail::checked_partition(std::move(witness), k, std::move(inputs),
                                     "the vanilla proofs do not open the leaves that the randomness demands");
  }

  Result<std::vector<Fr>> public_inputs(unsigned k) const override {
    if (k >= partitions_.size()) return detail::no_partition(k);
    return post::public_inputs(partitions_[k].statement());
  }

  Result<CircuitDigest> digest(unsigned k) const override {
    if (k >= partitions_.size()) return detail::no_partition(k);
    CUZK_TRY_ASSIGN(const post::PartitionInput input, post::partition_input(partitions_[k]));
    return digest_circuit([&](auto& cs) { post::synthesize(cs, input); });
  }

 private:
  std::vector<post::Partition> partitions_;
};

std::shared_ptr<const Statement> make_statement(std::vector<post::Partition> partitions) {
  return std::make_shared<PostStatement>(std::move(partitions));
}

}  // namespace

Result<std::shared_ptr<const Statement>> post_statement(
    const post::PostConfig& config, ByteSpan randomness, std::uint32_t partition_index,
    std::span<const std::vector<std::uint8_t>> vanilla_proofs, const ProofList& list) {
  CUZK_TRY_ASSIGN(post::Partition partition,
                  post::read_partition(config, randomness, partition_index, vanilla_proofs, list));
  std::vector<post::Partition> partitions;
  partitions.push_back(std::move(partition));
  return make_statement(std::move(partitions));
}

Result<std::shared_ptr<const Statement>> window_post_statement(
    const post::PostConfig& config, ByteSpan randomness,
    std::span<const std::vector<std::uint8_t>> vanilla_proofs, const ProofList& list) {
  const std::size_t per_partition = config.params->max_sectors();
  if (vanilla_proofs.size() <= per_partition)
    return post_statement(config, randomness, 0, vanilla_proofs, list);
  std::vector<post::Partition> partitions;
  for (std::size_t first = 0; first < vanilla_proofs.size(); first += per_partition) {
    const auto k = static_cast<std::uint32_t>(partitions.size());
    const std::size_t count = std::min(per_partition, vanilla_proofs.size() - first);
    CUZK_TRY_ASSIGN(post::Partition partition,
                    post::read_partition(config, randomness, k, vanilla_proofs.subspan(first, count),
                                         {list.member, list.first + first}));
    if (k > 0 && partition.sectors.front().sector_id <= partitions.back().sectors.back().sector_id)
      return bad_input(list[first] + ".sector_id: " + std::to_string(partition.sectors.front().sector_id) +
                       " after " + std::to_string(partitions.back().sectors.back().sector_id) +
                       "; the network verifies sectors in ascending order");
    partitions.push_back(std::move(partition));
  }
  return make_statement(std::move(partitions));
}

Result<std::shared_ptr<const Statement>> decode_post_request(const ProofRequest& request) {
  const bool winning = request.kind == ProofKind::winning_post;
  const post::RegisteredPostProof* registered = post::find_post_proof(request.registered_proof);
  if (registered == nullptr || proof_kind(registered->params->kind) != request.kind)
    return bad_input("registered_proof: " + std::to_string(request.registered_proof) +
                     (winning ? " is no WinningPoSt type (0 to 4)" : " is no WindowPoSt type (5 to 14)"));
  CUZK_TRY(detail::check_sector_size(request, registered->params->size->bytes, registered->name));
  CUZK_TRY(detail::require_absent(request,
                                  {.vanilla_proof = true, .partition_index = winning, .commitments = true}));
  return post_statement(post::post_config(*registered), request.randomness, request.partition_index,
                        request.vanilla_proofs);
}

}  // namespace cuzk
