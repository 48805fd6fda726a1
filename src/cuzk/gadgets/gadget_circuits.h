#pragma once

// The circuits behind tests/data/gadgets: constraint-system-and-gadgets 12.2 and 12.1. Test support.

#include <optional>
#include <string>
#include <string_view>

#include "cuzk/gadgets/encode.h"
#include "cuzk/gadgets/label.h"
#include "cuzk/gadgets/por.h"
#include "cuzk/gadgets/snap.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::gadget_circuits {

inline Fr s(std::size_t i) {
  return Fr::from_u64(i + 2).inverse();
}

template <class CS>
std::vector<AllocatedNum> nums(CS& cs, std::size_t n) {
  std::vector<AllocatedNum> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(num_alloc(cs, s(i)));
  return out;
}

template <class CS>
std::vector<Boolean> bits(CS& cs, std::size_t n) {
  std::vector<Boolean> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(Boolean::is(bit_alloc(cs, ((i * 7919) >> 3 & 1) != 0)));
  return out;
}

/// The low `count` bits of v, least significant first.
template <class CS>
std::vector<AllocatedBit> index_bits(CS& cs, std::size_t v, std::size_t count) {
  std::vector<AllocatedBit> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(bit_alloc(cs, (v >> i & 1) != 0));
  return out;
}

inline std::vector<Boolean> as_booleans(std::span<const AllocatedBit> allocated) {
  std::vector<Boolean> out;
  for (const AllocatedBit& b : allocated) out.push_back(Boolean::is(b));
  return out;
}

template <class CS>
void boolean_ops(CS& cs) {
  const std::vector<Boolean> b = bits(cs, 4);
  const std::array<Boolean, 6> z{Boolean::constant(false), Boolean::constant(true), b[0], !b[1], b[2], !b[3]};
  for (const Boolean& x : z)
    for (const Boolean& y : z) {
      (void)boolean_xor(cs, x, y);
      (void)boolean_and(cs, x, y);
    }
  for (const Boolean& x : z)
    for (const Boolean& y : z)
      for (const Boolean& w : z) {
        (void)sha256_ch(cs, x, y, w);
        (void)sha256_maj(cs, x, y, w);
      }
}

inline MerklePath por_path(std::size_t base, std::size_t sub, std::size_t top, std::size_t levels) {
  MerklePath path;
  std::size_t next = 1;
  const auto level = [&](std::size_t arity, std::size_t index) {
    MerkleLevel l;
    l.index = static_cast<std::uint32_t>(index);
    for (std::size_t i = 0; i + 1 < arity; ++i) l.siblings.push_back(s(next++));
    return l;
  };
  for (std::size_t d = 0; d < levels; ++d) path.base.push_back(level(base, (3 * d + 1) % base));
  if (sub != 0) path.sub.push_back(level(sub, 1));
  if (top != 0) path.top.push_back(level(top, 1));
  return path;
}

/// The circuit's root is the one that the path leads to, found by a first run.
template <class Tree, class CS>
Fr por_fixture(CS& cs, const MerklePath& path, bool is_private) {
  WitnessBuilder first;
  const Fr root = por<Tree>(first, s(0), path, Fr::zero(), true).value;
  return por<Tree>(cs, s(0), path, root, is_private).value;
}

/// por_poseidon_BASE[_SUB[_TOP]][_private]
template <class CS>
Fr por_poseidon(CS& cs, std::string_view shape) {
  constexpr std::string_view kPrivate = "_private";
  const bool is_private = shape.ends_with(kPrivate);
  if (is_private) shape.remove_suffix(kPrivate.size());
  std::array<std::size_t, 3> arity{};
  for (std::size_t i = 0; 2 * i < shape.size(); ++i) arity[i] = static_cast<std::size_t>(shape[2 * i] - '0');
  const std::size_t levels = arity[0] == 2 ? 6 : arity[0] == 4 ? 3 : 2;
  return por_fixture<PoseidonTree>(cs, por_path(arity[0], arity[1], arity[2], levels), is_private);
}

template <class CS>
Fr create_label_fixture(CS& cs) {
  std::vector<std::vector<Boolean>> parents;
  constexpr std::size_t kSlots = 37;  // porep::kLabelSlots, which belongs to a higher layer
  for (std::size_t i = 0; i < kSlots; ++i) parents.push_back(bits(cs, 256));
  const std::vector<Boolean> replica_id = bits(cs, 256);
  std::vector<const std::vector<Boolean>*> slots;
  for (const auto& p : parents) slots.push_back(&p);
  return create_label(cs, replica_id, slots, 3, UInt64::constant(22)).value;
}

/// `leaves` apex leaves under `levels` more levels.
template <class CS>
void apex_por_inputs_and_gadget(CS& cs, std::size_t leaves, std::size_t levels) {
  const std::vector<AllocatedNum> apex = nums(cs, leaves);
  const std::vector<AllocatedBit> partition = index_bits(cs, levels == 2 ? 2 : 0, levels);
  AllocatedSiblings path;
  for (std::size_t i = 0; i < levels; ++i) path.push_back({num_alloc(cs, s(50 + i))});
  // The root, natively.
  std::vector<Bytes32> row;
  for (const AllocatedNum& leaf : apex) row.push_back(leaf.value.to_bytes_le());
  const auto node = [](const Bytes32& l, const Bytes32& r) {
    return truncate_to_254_bits(sha256_pair(l, r));
  };
  for (; row.size() > 1; row.resize(row.size() / 2))
    for (std::size_t i = 0; i < row.size() / 2; ++i) row[i] = node(row[2 * i], row[2 * i + 1]);
  for (std::size_t i = 0; i < levels; ++i) {
    const Bytes32 sibling = path[i][0].value.to_bytes_le();
    row[0] = partition[i].value ? node(sibling, row[0]) : node(row[0], sibling);
  }
  const AllocatedNum comm_d = num_alloc(cs, *Fr::from_bytes_le(row[0]));
  apex_por(cs, apex, partition, path, comm_d);
}

/// Synthesizes the circuit called `name`; gives its output where it has one. False for an unknown name.
template <class CS>
bool synthesize(CS& cs, std::string_view name, std::optional<Fr>& output) {
  const auto suffix = [&](std::string_view prefix) { return std::string(name.substr(prefix.size())); };
  if (name == "to_bits_le") {
    (void)to_bits_le(cs, nums(cs, 1)[0]);
  } else if (name == "to_bits_le_strict") {
    (void)to_bits_le_strict(cs, nums(cs, 1)[0]);
  } else if (name == "num_to_allocated_bits") {
    (void)num_to_allocated_bits(cs, nums(cs, 1)[0]);
  } else if (name == "inputize") {
    inputize(cs, nums(cs, 1)[0]);
  } else if (name == "cond_reverse_not") {
    const auto n = nums(cs, 2);
    const AllocatedBit c = bit_alloc(cs, true);
    (void)conditionally_reverse(cs, n[0], n[1], Boolean::is_not(c));
  } else if (name == "pack_into_inputs_300") {
    pack_into_inputs(cs, bits(cs, 300));
  } else if (name == "pack_bits_300") {
    (void)pack_bits(cs, bits(cs, 300));
  } else if (name == "uint64_pack") {
    UInt64::alloc(cs, 0x0123456789abcdef).pack_into_input(cs);
  } else if (name == "boolean_ops") {
    boolean_ops(cs);
  } else if (name.starts_with("insert_")) {
    const std::size_t n = std::stoul(suffix("insert_"));
    const auto elements = nums(cs, n - 1);
    const AllocatedNum x = num_alloc(cs, s(100));
    const auto index =
        index_bits(cs, n == 2 ? 1 : n / 2 + (n == 4 ? 0 : 1), static_cast<std::size_t>(std::countr_zero(n)));
    (void)insert(cs, x, as_booleans(index), elements);
  } else if (name == "select_8") {
    const auto from = nums(cs, 8);
    output = select(cs, from, as_booleans(index_bits(cs, 5, 3))).value;
    CUZK_CHECK(*output == from[5].value);
    output.reset();
  } else if (name == "encode_decode") {
    const auto n = nums(cs, 2);
    (void)encode(cs, n[0], n[1]);
    (void)decode(cs, n[0], n[1]);
  } else if (name == "xor_512") {
    const auto key = bits(cs, 256);
    (void)xor_with_key(cs, key, bits(cs, 512));
  } else if (name == "sha256_block") {
    (void)sha256_block_no_padding(cs, bits(cs, 512));
  } else if (name == "sha256_512") {
    (void)sha256_circuit(cs, bits(cs, 512));
  } else if (name == "sha256_const" || name == "sha256_const8_var8") {
    std::vector<Boolean> message;
    for (unsigned i = 8; i-- > 0;) message.push_back(Boolean::constant((0xa5U >> i & 1) != 0));
    if (name == "sha256_const8_var8") {
      const auto variable = bits(cs, 8);
      message.insert(message.end(), variable.begin(), variable.end());
    }
    (void)sha256_circuit(cs, message);
  } else if (name == "poseidon_2_custom1") {
    output = poseidon_circuit(cs, snap_poseidon_constants(), nums(cs, 2)).value;
  } else if (name.starts_with("poseidon_")) {
    output = poseidon_circuit(cs, nums(cs, std::stoul(suffix("poseidon_")))).value;
  } else if (name == "column_11") {
    (void)hash_single_column(cs, nums(cs, 11));
  } else if (name == "hash_md_71") {
    output = poseidon_md_circuit(cs, nums(cs, 71)).value;
  } else if (name == "hash_md_71_ones") {
    std::vector<AllocatedNum> ones;
    for (int i = 0; i < 71; ++i) ones.push_back(num_alloc(cs, Fr::one()));
    output = poseidon_md_circuit(cs, ones).value;
  } else if (name == "sha256_hash2") {
    output = Sha256Tree::hash(cs, nums(cs, 2)).value;
  } else if (name == "sha256_leaf_bits") {
    const auto left = bits(cs, 256);
    (void)sha256_leaf_bits(cs, left, bits(cs, 256));
  } else if (name == "por_sha256_2") {
    output = por_fixture<Sha256Tree>(cs, por_path(2, 0, 0, 6), false);
  } else if (name.starts_with("por_poseidon_")) {
    output = por_poseidon(cs, suffix("por_poseidon_"));
  } else if (name == "create_label") {
    output = create_label_fixture(cs);
  } else if (name == "gen_challenge_bits_86_26") {
    const AllocatedNum comm = num_alloc(cs, s(0));
    const AllocatedNum partition = num_alloc(cs, Fr::from_u64(3));
    CUZK_CHECK(gen_challenge_bits(cs, comm, partition, 86, 26).size() == 86);
  } else if (name == "challenge_high_bits") {
    std::vector<AllocatedBit> challenge;
    for (const Boolean& b : bits(cs, 30)) challenge.push_back(b.bit());
    const auto h_select = index_bits(cs, 1U << 3, 6);
    (void)get_challenge_high_bits(cs, challenge, h_select, std::array<std::size_t, 6>{7, 8, 9, 10, 11, 12});
  } else if (name == "label_r_new") {
    const auto n = nums(cs, 3);
    (void)label_r_new(cs, n[0], n[1], n[2]);
  } else if (name == "apex_por_4_2") {
    apex_por_inputs_and_gadget(cs, 4, 2);
  } else {
    return false;
  }
  return true;
}

}  // namespace cuzk::gadget_circuits
