#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/filecoin/porep/labels.h"
#include "cuzk/filecoin/porep/partition_input.h"
#include "cuzk/gadgets/encode.h"
#include "cuzk/gadgets/label.h"
#include "cuzk/gadgets/por.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::porep {
namespace detail {

/// Replica id and roots, shared by all challenges of a partition.
struct PartitionVariables {
  std::vector<Boolean> replica_id_bits;
  AllocatedNum comm_d;
  AllocatedNum comm_r_last;
  AllocatedNum comm_c;
};

/// The rows of one parent's column as variables; its hash leads to comm_c.
template <class CS>
std::vector<AllocatedNum> parent_column(CS& cs, const char* kind, std::size_t i, const ColumnInput& input,
                                        const AllocatedNum& comm_c) {
  std::vector<AllocatedNum> rows;
  {
    const Namespace ns(cs, {kind, i, "_num"});
    const Namespace column(cs, "column");
    for (const Fr& row : input.rows) rows.push_back(num_alloc(cs, row));
  }
  AllocatedNum hash;
  {
    const Namespace ns(cs, {kind, i, "_constraint"});
    hash = hash_single_column(cs, rows);
  }
  const Namespace ns(cs, {kind, i, "_inclusion"});
  por<PoseidonTree>(cs, hash, input.path, comm_c, true);
  return rows;
}

/// The label of one layer. The bits of a parent are taken afresh in every layer and repeated over the 37
/// slots.
template <class CS>
AllocatedNum label(CS& cs, const PartitionVariables& shared, std::span<const std::vector<AllocatedNum>> drg,
                   std::span<const std::vector<AllocatedNum>> expander, std::uint32_t layer,
                   const UInt64& node) {
  std::vector<std::vector<Boolean>> bits;
  for (std::size_t i = 0; i < drg.size(); ++i) {
    const Namespace ns(cs, {"drg_parent_", i, "_bits"});
    bits.push_back(reverse_bit_numbering(to_bits_le(cs, drg[i][layer - 1])));
  }
  if (layer > 1)
    for (std::size_t i = 0; i < expander.size(); ++i) {
      const Namespace ns(cs, {"exp_parent_", drg.size() + i, "_bits"});
      bits.push_back(reverse_bit_numbering(to_bits_le(cs, expander[i][layer - 2])));
    }
  std::array<const std::vector<Boolean>*, kLabelSlots> slots;
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = &bits[i % bits.size()];
  const Namespace ns(cs, "create_label");
  return cuzk::create_label(cs, shared.replica_id_bits, slots, layer, node);
}

/// What a challenge's rows from its labels on read of those before.
struct ChallengeVariables {
  AllocatedNum data_leaf;
  std::vector<std::vector<AllocatedNum>> drg;  ///< a parent's column each
  std::vector<std::vector<AllocatedNum>> expander;
  UInt64 node;
};

/// A challenge before its labels.
template <class CS>
ChallengeVariables challenge_columns(CS& cs, const PartitionVariables& shared, const ChallengeInput& input) {
  ChallengeVariables out;
  {
    const Namespace ns(cs, "data_leaf");
    out.data_leaf = num_alloc(cs, input.data_leaf);
  }
  {
    const Namespace ns(cs, "comm_d_inclusion");
    por<Sha256Tree>(cs, out.data_leaf, input.tree_d, shared.comm_d, true);
  }
  for (std::size_t i = 0; i < input.drg_parents.size(); ++i)
    out.drg.push_back(parent_column(cs, "drg_parent_", i, input.drg_parents[i], shared.comm_c));
  for (std::size_t i = 0; i < input.expander_parents.size(); ++i)
    out.expander.push_back(parent_column(cs, "exp_parent_", i, input.expander_parents[i], shared.comm_c));
  {
    const Namespace ns(cs, "challenge");
    out.node = UInt64::alloc(cs, input.node);
  }
  {
    const Namespace ns(cs, "challenge input");
    out.node.pack_into_input(cs);
  }
  return out;
}

/// Appends the labels of layers done + 1 to `last`.
template <class CS>
void challenge_labels(CS& cs, const PartitionVariables& shared, const ChallengeVariables& before,
                      std::uint32_t done, std::uint32_t last, std::vector<AllocatedNum>& labels) {
  for (std::uint32_t layer = done + 1; layer <= last; ++layer) {
    const Namespace ns(cs, {"labeling_", layer});
    labels.push_back(label(cs, shared, before.drg, before.expander, layer, before.node));
  }
}

/// A challenge behind its labels.
template <class CS>
void challenge_replica(CS& cs, const PartitionVariables& shared, const ChallengeInput& input,
                       const ChallengeVariables& before, const std::vector<AllocatedNum>& labels) {
  AllocatedNum replica_node;
  {
    const Namespace ns(cs, "encode_node");
    const Namespace inner(cs, "encode_add");
    replica_node = encode(cs, labels.back(), before.data_leaf);
  }
  {
    const Namespace ns(cs, "comm_r_last_data_inclusion");
    por<PoseidonTree>(cs, replica_node, input.tree_r, shared.comm_r_last, true);
  }
  AllocatedNum column_hash;
  {
    const Namespace ns(cs, "c_x_column_hash");
    column_hash = hash_single_column(cs, labels);
  }
  const Namespace ns(cs, "c_x_inclusion");
  por<PoseidonTree>(cs, column_hash, input.own_column, shared.comm_c, true);
}

inline std::uint32_t layers_of(const ChallengeInput& input) {
  return static_cast<std::uint32_t>(input.drg_parents[0].rows.size());
}

/// challenge_columns without its paths and hashes; `aside` takes what is allocated.
inline ChallengeVariables column_values(WitnessBuilder& aside, const ChallengeInput& input) {
  const auto rows = [&aside](const ColumnInput& column) {
    std::vector<AllocatedNum> out;
    for (const Fr& row : column.rows) out.push_back(num_alloc(aside, row));
    return out;
  };
  ChallengeVariables out;
  out.data_leaf = num_alloc(aside, input.data_leaf);
  for (const ColumnInput& parent : input.drg_parents) out.drg.push_back(rows(parent));
  for (const ColumnInput& parent : input.expander_parents) out.expander.push_back(rows(parent));
  out.node = UInt64::alloc(aside, input.node);
  return out;
}

/// The value that label() has.
inline Fr label_value(const Fr& replica_id, const ChallengeInput& input, std::uint32_t layer) {
  std::vector<Bytes32> parents;
  for (const ColumnInput& parent : input.drg_parents) parents.push_back(parent.rows[layer - 1].to_bytes_le());
  if (layer > 1)
    for (const ColumnInput& parent : input.expander_parents)
      parents.push_back(parent.rows[layer - 2].to_bytes_le());
  return *Fr::from_bytes_le(create_label(replica_id.to_bytes_le(), layer, input.node, parents));
}

}  // namespace detail

/// The circuit as far as the challenges share it; what they read of it.
template <class CS>
detail::PartitionVariables synthesize_head(CS& cs, const PartitionInput& input) {
  detail::PartitionVariables shared;
  const auto allocate = [&](const char* name, const Fr& value) {
    const Namespace ns(cs, name);
    return num_alloc(cs, value);
  };
  const auto publish = [&](const char* name, const AllocatedNum& n) {
    const Namespace ns(cs, name);
    inputize(cs, n);
  };
  const AllocatedNum replica_id = allocate("replica_id", input.replica_id);
  publish("replica_id_input", replica_id);
  {
    const Namespace ns(cs, "replica_id_bits");
    shared.replica_id_bits = reverse_bit_numbering(to_bits_le(cs, replica_id));
  }
  shared.comm_d = allocate("comm_d", input.comm_d);
  publish("comm_d_input", shared.comm_d);
  const AllocatedNum comm_r = allocate("comm_r", input.comm_r);
  publish("comm_r_input", comm_r);
  shared.comm_r_last = allocate("comm_r_last", input.comm_r_last);
  shared.comm_c = allocate("comm_c", input.comm_c);
  AllocatedNum hash;
  {
    const Namespace ns(cs, "H_comm_c_comm_r_last");
    hash = poseidon_circuit(cs, std::array{shared.comm_c, shared.comm_r_last});
  }
  enforce_equal(cs, comm_r, hash);
  return shared;
}

/// Challenge i. All have the same rows, and none reads a variable of another.
template <class CS>
void synthesize_challenge(CS& cs, const detail::PartitionVariables& shared, const PartitionInput& input,
                          std::size_t i) {
  const ChallengeInput& challenge = input.challenges[i];
  const Namespace ns(cs, {"challenge_", i});
  const detail::ChallengeVariables columns = detail::challenge_columns(cs, shared, challenge);
  std::vector<AllocatedNum> labels;
  detail::challenge_labels(cs, shared, columns, 0, detail::layers_of(challenge), labels);
  detail::challenge_replica(cs, shared, challenge, columns, labels);
}

/// Pieces of a challenge that witnesses are built in: nine tenths of a challenge are its labels, and a label
/// reads no more of another than the columns' values, which are known.
inline constexpr std::size_t kChallengePieces = 4;

/// Piece `piece` of challenge i, for a system that keeps values and drops constraints: what earlier pieces
/// allocate has its value here, but another variable.
template <class CS>
void synthesize_piece(CS& cs, const detail::PartitionVariables& shared, const PartitionInput& input,
                      std::size_t i, std::size_t piece) {
  static_assert(!CS::kRecords);
  const ChallengeInput& challenge = input.challenges[i];
  const std::uint32_t layers = detail::layers_of(challenge);
  const auto done = static_cast<std::uint32_t>(piece * layers / kChallengePieces);
  const auto end = static_cast<std::uint32_t>((piece + 1) * layers / kChallengePieces);
  WitnessBuilder aside;
  const detail::ChallengeVariables columns =
      piece == 0 ? detail::challenge_columns(cs, shared, challenge) : detail::column_values(aside, challenge);
  std::vector<AllocatedNum> labels;
  const bool last = piece + 1 == kChallengePieces;
  if (last)
    for (std::uint32_t layer = 1; layer <= done; ++layer)
      labels.push_back(num_alloc(aside, detail::label_value(input.replica_id, challenge, layer)));
  detail::challenge_labels(cs, shared, columns, done, end, labels);
  if (last) detail::challenge_replica(cs, shared, challenge, columns, labels);
}

/// The PoRep circuit of one partition (porep 6), into any constraint system. Public inputs: ONE,
/// replica_id, comm_d, comm_r, then 18 per challenge. The namespaces are those of the reference circuit down
/// to three steps, so that checkpoints compare line by line.
template <class CS>
void synthesize(CS& cs, const PartitionInput& input) {
  CUZK_CHECK(!input.challenges.empty());
  const detail::PartitionVariables shared = synthesize_head(cs, input);
  for (std::size_t i = 0; i < input.challenges.size(); ++i) synthesize_challenge(cs, shared, input, i);
}

}  // namespace cuzk::porep
