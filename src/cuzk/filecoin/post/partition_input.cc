#include "cuzk/filecoin/post/partition_input.h"

#include <string>
#include <utility>

#include "cuzk/filecoin/merkle/circuit_path.h"

namespace cuzk::post {
namespace {

Result<Fr> scalar(const Bytes32& bytes, const char* name) {
  if (const auto x = Fr::from_bytes_le(bytes)) return *x;
  return bad_input(std::string(name) + ": not a canonical scalar (r or more)");
}

Result<SlotInput> read_slot(const SectorProof& proof, std::size_t first, std::size_t count) {
  SlotInput out;
  CUZK_TRY_ASSIGN(out.comm_r, scalar(proof.comm_r, "comm_r"));
  CUZK_TRY_ASSIGN(out.comm_c, scalar(proof.comm_c, "comm_c"));
  CUZK_TRY_ASSIGN(out.comm_r_last, scalar(proof.comm_r_last, "comm_r_last"));
  for (std::size_t i = first; i < first + count; ++i) {
    const std::string name = "inclusion_proofs[" + std::to_string(i) + "]";
    const auto leaf = scalar(proof.inclusion[i].leaf, "leaf");
    if (!leaf) return leaf.error().within(name);
    auto path = circuit_path(proof.inclusion[i]);
    if (!path) return path.error().within(name);
    out.challenges.push_back({*leaf, *std::move(path)});
  }
  return out;
}

}  // namespace

SlotInput SlotInput::blank(const CircuitParams& p) {
  SlotInput out;
  out.challenges.assign(p.challenge_count, {Fr::zero(), blank_circuit_path(p.tree)});
  return out;
}

std::size_t distinct_slots(const Partition& partition) {
  const PostParams& params = *partition.config.params;
  return params.kind == Kind::winning ? params.sector_count : partition.sectors.size();
}

Result<SlotInput> slot_input(const Partition& partition, std::size_t slot) {
  CUZK_CHECK(slot < distinct_slots(partition));
  const bool winning = partition.config.params->kind == Kind::winning;
  const std::size_t sector = winning ? 0 : slot;
  const std::size_t count = partition.config.params->challenge_count;
  auto out = read_slot(partition.sectors[sector], winning ? slot * count : 0, count);
  if (!out) return out.error().within(partition.list[sector]);
  return out;
}

Result<PartitionInput> partition_input(const Partition& partition) {
  PartitionInput out;
  out.slot_count = partition.config.params->sector_count;
  for (std::size_t i = 0; i < distinct_slots(partition); ++i) {
    CUZK_TRY_ASSIGN(SlotInput slot, slot_input(partition, i));
    out.slots.push_back(std::move(slot));
  }
  return out;
}

}  // namespace cuzk::post
