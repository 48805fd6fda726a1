#pragma once

#include <span>
#include <vector>

#include "cuzk/gadgets/por.h"

namespace cuzk {

/// (sum 2^i bits[i]) * ONE = n.
template <class CS>
void enforce_sum_of_bits(CS& cs, std::span<const AllocatedBit> bits, const AllocatedNum& n) {
  cs.enforce(
      [&](auto& lc) {
        for (std::size_t i = 0; i < bits.size(); ++i) lc.add(bits[i].variable, power_of_two(i));
      },
      [](auto& lc) { lc.add(Variable::one()); }, [&](auto& lc) { lc.add(n.variable); });
}

/// 255 bits that sum up to n: to_bits_le with another placement of the same sum.
template <class CS>
std::vector<AllocatedBit> num_to_allocated_bits(CS& cs, const AllocatedNum& n) {
  std::vector<AllocatedBit> bits = field_bits_le(cs, n.value);
  enforce_sum_of_bits(cs, bits, n);
  return bits;
}

/// The Poseidon instance of SnapDeals randomness (phi, rho, challenges): arity 2, tag 2^40.
inline const PoseidonConstants& snap_poseidon_constants() {
  static const PoseidonConstants kConstants = poseidon_constants_custom(2, power_of_two(40));
  return kConstants;
}

/// `count` challenges of `bits_per_challenge` bits each, drawn from hashes of the new comm_r and the
/// partition (constraint-system-and-gadgets 10.3). Each challenge is least significant bit first.
template <class CS>
std::vector<std::vector<AllocatedBit>> gen_challenge_bits(CS& cs, const AllocatedNum& comm_r_new,
                                                          const AllocatedNum& partition, std::size_t count,
                                                          std::size_t bits_per_challenge) {
  CUZK_CHECK(bits_per_challenge >= 1 && bits_per_challenge <= kFrCapacity);
  const std::size_t per_digest = kFrCapacity / bits_per_challenge;
  const std::size_t digests = (count + per_digest - 1) / per_digest;
  std::vector<std::vector<AllocatedBit>> out;
  for (std::size_t j = 0; j < digests; ++j) {
    const Namespace ns(cs, {"digest ", j});
    const Fr factor = Fr::from_u64(digests);
    const Fr offset = Fr::from_u64(j);
    const AllocatedNum x = num_alloc(cs, partition.value * factor + offset);
    cs.enforce([&](auto& lc) { lc.add(partition.variable, factor).add(Variable::one(), offset); },
               [](auto& lc) { lc.add(Variable::one()); }, [&](auto& lc) { lc.add(x.variable); });
    const AllocatedNum digest = poseidon_circuit(cs, snap_poseidon_constants(), std::array{comm_r_new, x});
    const std::vector<AllocatedBit> bits = num_to_allocated_bits(cs, digest);
    for (std::size_t i = 0; i < per_digest && out.size() < count; ++i) {
      const auto begin = bits.begin() + static_cast<std::ptrdiff_t>(i * bits_per_challenge);
      out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(bits_per_challenge));
    }
  }
  return out;
}

/// The top h bits of a challenge as a number, for the one h of `hs` that `h_select` marks.
template <class CS>
AllocatedNum get_challenge_high_bits(CS& cs, std::span<const AllocatedBit> challenge,
                                     std::span<const AllocatedBit> h_select,
                                     std::span<const std::size_t> hs) {
  CUZK_CHECK(h_select.size() == hs.size());
  std::vector<AllocatedNum> selected;
  for (std::size_t k = 0; k < hs.size(); ++k) {
    CUZK_CHECK(hs[k] <= challenge.size());
    std::vector<Boolean> high;
    for (const AllocatedBit& b : challenge.last(hs[k])) high.push_back(Boolean::is(b));
    const AllocatedNum p = pack_bits(cs, high);
    const AllocatedNum z = num_alloc(cs, h_select[k].value ? p.value : Fr::zero());
    cs.enforce([&](auto& lc) { lc.add(p.variable); }, [&](auto& lc) { lc.add(h_select[k].variable); },
               [&](auto& lc) { lc.add(z.variable); });
    selected.push_back(z);
  }
  Fr sum = Fr::zero();
  for (const AllocatedNum& z : selected) sum += z.value;
  const AllocatedNum s = num_alloc(cs, sum);
  cs.enforce(
      [&](auto& lc) {
        for (const AllocatedNum& z : selected) lc.add(z.variable);
      },
      [](auto& lc) { lc.add(Variable::one()); }, [&](auto& lc) { lc.add(s.variable); });
  return s;
}

/// label_r_old + label_d_new * rho.
template <class CS>
AllocatedNum label_r_new(CS& cs, const AllocatedNum& label_r_old, const AllocatedNum& label_d_new,
                         const AllocatedNum& rho) {
  const AllocatedNum m = num_mul(cs, label_d_new, rho);
  return num_add(cs, label_r_old, m);
}

/// The SHA-256 tree over the apex leaves, then the path of its root in tree D of the whole sector.
template <class CS>
void apex_por(CS& cs, std::span<const AllocatedNum> apex_leafs, std::span<const AllocatedBit> partition_bits,
              const AllocatedSiblings& partition_path, const AllocatedNum& comm_d) {
  CUZK_CHECK(std::has_single_bit(apex_leafs.size()));
  std::vector<AllocatedNum> row(apex_leafs.begin(), apex_leafs.end());
  for (std::size_t level = 0; row.size() > 1; ++level) {
    const Namespace ns(cs, {"apex level ", level});
    for (std::size_t i = 0; i < row.size() / 2; ++i)
      row[i] = Sha256Tree::hash(cs, std::span<const AllocatedNum>(row).subspan(2 * i, 2));
    row.resize(row.size() / 2);
  }
  por_no_challenge_input<Sha256Tree>(cs, partition_bits, row[0], partition_path, comm_d);
}

}  // namespace cuzk
