#include "cuzk/proving/request.h"

#include <string>

#include "cuzk/hash/sha256.h"

namespace cuzk {
namespace {

struct KindNames {
  ProofKind kind;
  std::string_view name;
  std::string_view short_name;  ///< as in circuit ids and `-t`
  std::string_view label;
};
constexpr KindNames kNames[] = {
    {ProofKind::porep_seal_commit, "porep-c2", "porep", "porep_c2"},
    {ProofKind::snap_deals_update, "snap-update", "snap", "snap_update"},
    {ProofKind::window_post_partition, "window-post", "wpost", "window_post"},
    {ProofKind::winning_post, "winning-post", "winning", "winning_post"},
};

const KindNames& names_of(ProofKind kind) {
  const auto index = static_cast<std::size_t>(kind) - 1;
  CUZK_CHECK(index < std::size(kNames));
  return kNames[index];
}

}  // namespace

std::string_view to_string(ProofKind kind) {
  return names_of(kind).name;
}

std::string_view metric_label(ProofKind kind) {
  return names_of(kind).label;
}

Result<ProofKind> proof_kind_from_string(std::string_view name) {
  std::string known;
  for (const KindNames& entry : kNames) {
    if (entry.name == name || entry.short_name == name) return entry.kind;
    known += (known.empty() ? "" : ", ") + std::string(entry.short_name) + " or " + std::string(entry.name);
  }
  return usage_error("there is no kind of proof '" + std::string(name) + "'; known: " + known);
}

Bytes32 payload_digest(const ProofRequest& request) {
  Sha256 hash;
  const auto number = [&](std::uint64_t n) {
    std::uint8_t bytes[8];
    store_le(bytes, n);
    hash.update(bytes);
  };
  const auto bytes = [&](const std::vector<std::uint8_t>& b) {
    number(b.size());
    hash.update(b);
  };
  number(static_cast<std::uint64_t>(request.kind));
  number(request.sector_size);
  number(request.registered_proof);
  bytes(request.vanilla_proof);
  number(request.vanilla_proofs.size());
  for (const auto& proof : request.vanilla_proofs) bytes(proof);
  number(request.sector_number);
  number(request.miner_id);
  bytes(request.randomness);
  number(request.partition_index);
  bytes(request.comm_r_old);
  bytes(request.comm_r_new);
  bytes(request.comm_d_new);
  return hash.finish();
}

}  // namespace cuzk
