#include "cuzk/filecoin/update/challenges.h"

#include <array>

#include "cuzk/gadgets/snap.h"
#include "cuzk/hash/poseidon.h"

namespace cuzk::update {

Fr encoding_base(const Fr& comm_d_new, const Fr& comm_r_old) {
  return poseidon_hash(snap_poseidon_constants(), std::array{comm_d_new, comm_r_old});
}

Fr encoding_factor(const Fr& phi, std::uint64_t high) {
  return poseidon_hash(snap_poseidon_constants(), std::array{phi, Fr::from_u64(high)});
}

std::vector<Fr> encoding_factors(const Fr& phi, std::span<const std::uint64_t> high, Isa isa) {
  std::vector<Fr> messages;
  messages.reserve(2 * high.size());
  for (const std::uint64_t h : high) {
    messages.push_back(phi);
    messages.push_back(Fr::from_u64(h));
  }
  std::vector<Fr> out(high.size());
  poseidon_hash_batch(snap_poseidon_constants(), messages, out, isa);
  return out;
}

std::vector<std::uint64_t> derive_challenges(const SectorParams& sector, const Fr& comm_r_new, unsigned k) {
  const unsigned width = sector.random_bits();
  std::vector<std::uint64_t> out;
  out.reserve(sector.challenges());
  // Digests are numbered through all partitions.
  for (std::uint64_t j = 0; out.size() < sector.challenges(); ++j) {
    const Fr number = Fr::from_u64(std::uint64_t{k} * sector.digests() + j);
    const FrInt digest = poseidon_hash(snap_poseidon_constants(), std::array{comm_r_new, number}).to_int();
    for (unsigned t = 0; t < sector.challenges_per_digest() && out.size() < sector.challenges(); ++t) {
      std::uint64_t challenge = std::uint64_t{k} << width;
      for (unsigned i = 0; i < width; ++i) challenge |= std::uint64_t{digest.bit(t * width + i)} << i;
      out.push_back(challenge);
    }
  }
  return out;
}

}  // namespace cuzk::update
