#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/cpu/isa.h"
#include "cuzk/field/fr.h"
#include "cuzk/filecoin/update/sector.h"

namespace cuzk::update {

/// phi, which binds the encoding to the old replica and the new data (post-and-snap 3.2).
Fr encoding_base(const Fr& comm_d_new, const Fr& comm_r_old);

/// rho of the nodes whose h = sector.high_bits() highest index bits are `high`: the factor of the new data.
Fr encoding_factor(const Fr& phi, std::uint64_t high);
/// Factors of many nodes at once: for each the value of the high bits of its index.
std::vector<Fr> encoding_factors(const Fr& phi, std::span<const std::uint64_t> high, Isa isa);

/// The new replica's node: old + data * rho.
inline Fr encode(const Fr& label_r_old, const Fr& label_d_new, const Fr& rho) {
  return label_r_old + label_d_new * rho;
}

/// The node numbers that partition `k` opens, in order; repetitions happen (post-and-snap 3.3).
std::vector<std::uint64_t> derive_challenges(const SectorParams& sector, const Fr& comm_r_new, unsigned k);

}  // namespace cuzk::update
