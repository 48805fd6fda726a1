#pragma once

#include <array>
#include <span>
#include <vector>

#include "cuzk/filecoin/update/partition_input.h"
#include "cuzk/gadgets/snap.h"

namespace cuzk::update {
namespace detail {

/// What all challenges of a partition share.
struct PartitionVariables {
  std::vector<AllocatedBit> partition_bits;
  std::vector<AllocatedBit> h_select_bits;
  std::vector<AllocatedNum> apex_leaves;
  AllocatedNum phi;
  AllocatedNum root_r_old;
  AllocatedNum root_r_new;
  std::vector<std::vector<AllocatedBit>> challenges;  ///< of each its bits below the partition's
};

/// The low bits of a number, each a variable.
template <class CS>
std::vector<AllocatedBit> alloc_bits(CS& cs, const char* name, std::uint64_t value, std::size_t count) {
  std::vector<AllocatedBit> out;
  for (std::size_t i = 0; i < count; ++i) {
    const Namespace ns(cs, {name, i});
    out.push_back(bit_alloc(cs, (value >> i & 1) != 0));
  }
  return out;
}

inline std::vector<Boolean> as_booleans(std::span<const AllocatedBit> bits) {
  std::vector<Boolean> out;
  out.reserve(bits.size());
  for (const AllocatedBit& b : bits) out.push_back(Boolean::is(b));
  return out;
}

/// Variables for the siblings of a path, cut into the tree's levels.
template <class CS>
AllocatedSiblings alloc_siblings(CS& cs, const char* name, std::span<const Fr> values,
                                 const TreeShape& shape) {
  AllocatedSiblings out;
  std::size_t next = 0;
  for (unsigned level = 0; level < shape.levels(); ++level) {
    const Namespace ns(cs, {name, level});
    std::vector<AllocatedNum>& siblings = out.emplace_back();
    for (unsigned s = 1; s < shape.arity(level); ++s) siblings.push_back(num_alloc(cs, values[next++]));
  }
  CUZK_CHECK(next == values.size());
  return out;
}

/// One challenge: the two openings in the replicas, the encoding that ties them to the data leaf, and the
/// data leaf's path up to an apex leaf.
template <class CS>
void challenge(CS& cs, const SectorParams& sector, const PartitionVariables& shared, std::size_t i,
               const ChallengeInput& input) {
  std::vector<AllocatedBit> bits = shared.challenges[i];
  bits.insert(bits.end(), shared.partition_bits.begin(), shared.partition_bits.end());

  AllocatedNum high;
  {
    const Namespace ns(cs, "high bits");
    high = get_challenge_high_bits(cs, bits, shared.h_select_bits, sector.high_bit_counts());
  }
  AllocatedNum rho;
  {
    const Namespace ns(cs, "rho");
    rho = poseidon_circuit(cs, snap_poseidon_constants(), std::array{shared.phi, high});
  }
  AllocatedNum leaf_old;
  AllocatedNum leaf_data;
  AllocatedNum leaf_new;
  {
    const Namespace ns(cs, "leaf_r_old");
    leaf_old = num_alloc(cs, input.leaf_r_old);
  }
  {
    const Namespace ns(cs, "leaf_d_new");
    leaf_data = num_alloc(cs, input.leaf_d_new);
  }
  {
    const Namespace ns(cs, "leaf_r_new");
    leaf_new = label_r_new(cs, leaf_old, leaf_data, rho);
  }

  const AllocatedSiblings old_path = alloc_siblings(cs, "path_r_old level ", input.path_r_old, sector.tree);
  {
    const Namespace ns(cs, "por_r_old");
    por_no_challenge_input<PoseidonTree>(cs, bits, leaf_old, old_path, shared.root_r_old);
  }
  const AllocatedSiblings new_path = alloc_siblings(cs, "path_r_new level ", input.path_r_new, sector.tree);
  {
    const Namespace ns(cs, "por_r_new");
    por_no_challenge_input<PoseidonTree>(cs, bits, leaf_new, new_path, shared.root_r_new);
  }

  const unsigned levels = sector.levels_to_apex();
  AllocatedNum apex_leaf;
  {
    const Namespace ns(cs, "apex leaf");
    apex_leaf =
        select(cs, shared.apex_leaves, as_booleans(std::span(bits).subspan(levels, sector.apex_bits())));
  }
  const AllocatedSiblings data_path =
      alloc_siblings(cs, "path_d_new level ", input.path_d_new, TreeShape::binary(levels));
  const Namespace ns(cs, "por_d_new");
  por_no_challenge_input<Sha256Tree>(cs, std::span(bits).first(levels), leaf_data, data_path, apex_leaf);
}

}  // namespace detail

/// The circuit as far as the challenges share it; what they read of it.
template <class CS>
detail::PartitionVariables synthesize_head(CS& cs, const PartitionInput& input) {
  const SectorParams& sector = *input.sector;
  const auto allocate = [&](const char* name, const Fr& value) {
    const Namespace ns(cs, name);
    return num_alloc(cs, value);
  };
  const auto publish = [&](const char* name, const AllocatedNum& n) {
    const Namespace ns(cs, name);
    inputize(cs, n);
  };
  detail::PartitionVariables shared;

  const AllocatedNum k_and_h = allocate("k_and_h_select", Fr::from_u64(input.k_and_h_select));
  publish("k_and_h_select_input", k_and_h);
  const std::vector<AllocatedBit> selection = detail::alloc_bits(
      cs, "k_and_h_select_bit_", input.k_and_h_select, sector.partition_bits() + kHighBitChoices);
  enforce_sum_of_bits(cs, selection, k_and_h);
  const auto h_begin = selection.begin() + static_cast<std::ptrdiff_t>(sector.partition_bits());
  shared.partition_bits.assign(selection.begin(), h_begin);
  shared.h_select_bits.assign(h_begin, selection.end());
  AllocatedNum partition;
  {
    const Namespace ns(cs, "pack partition bits");
    partition = pack_bits(cs, detail::as_booleans(shared.partition_bits));
  }

  const AllocatedNum comm_r_old = allocate("comm_r_old", input.comm_r_old);
  publish("comm_r_old_input", comm_r_old);
  const AllocatedNum comm_d_new = allocate("comm_d_new", input.comm_d_new);
  publish("comm_d_new_input", comm_d_new);
  const AllocatedNum comm_r_new = allocate("comm_r_new", input.comm_r_new);
  publish("comm_r_new_input", comm_r_new);
  {
    const Namespace ns(cs, "phi");
    shared.phi = poseidon_circuit(cs, snap_poseidon_constants(), std::array{comm_d_new, comm_r_old});
  }
  const AllocatedNum comm_c = allocate("comm_c", input.comm_c);
  shared.root_r_old = allocate("root_r_old", input.root_r_old);
  shared.root_r_new = allocate("root_r_new", input.root_r_new);
  for (std::size_t i = 0; i < sector.apex_leaves(); ++i) {
    const Namespace ns(cs, {"apex_leaf_", i});
    shared.apex_leaves.push_back(num_alloc(cs, input.apex_leaves[i]));
  }
  AllocatedSiblings partition_path;
  for (std::size_t i = 0; i < sector.partition_bits(); ++i) {
    const Namespace ns(cs, {"partition_path_sibling_", i});
    partition_path.push_back({num_alloc(cs, input.partition_path[i])});
  }

  const auto check_commitment = [&](const char* name, const AllocatedNum& root, const AllocatedNum& comm_r) {
    AllocatedNum hash;
    {
      const Namespace ns(cs, name);
      hash = poseidon_circuit(cs, std::array{comm_c, root});
    }
    enforce_equal(cs, hash, comm_r);
  };
  check_commitment("H_comm_c_root_r_old", shared.root_r_old, comm_r_old);
  check_commitment("H_comm_c_root_r_new", shared.root_r_new, comm_r_new);
  {
    const Namespace ns(cs, "apex");
    apex_por(cs, shared.apex_leaves, shared.partition_bits, partition_path, comm_d_new);
  }

  const Namespace ns(cs, "challenge bits");
  shared.challenges =
      gen_challenge_bits(cs, comm_r_new, partition, sector.challenges(), sector.random_bits());
  return shared;
}

/// Challenge i. None reads a variable of another.
template <class CS>
void synthesize_challenge(CS& cs, const detail::PartitionVariables& shared, const PartitionInput& input,
                          std::size_t i) {
  const Namespace ns(cs, {"challenge_", i});
  detail::challenge(cs, *input.sector, shared, i, input.challenges[i]);
}

/// The EmptySectorUpdate circuit of one partition (post-and-snap 3.5), into any constraint system. Public
/// inputs: ONE, the partition's number with h_select, comm_r_old, comm_d_new, comm_r_new.
template <class CS>
void synthesize(CS& cs, const PartitionInput& input) {
  const detail::PartitionVariables shared = synthesize_head(cs, input);
  for (std::size_t i = 0; i < shared.challenges.size(); ++i) synthesize_challenge(cs, shared, input, i);
}

}  // namespace cuzk::update
