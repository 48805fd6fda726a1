#include "cuzk/filecoin/porep/partition_input.h"

#include <optional>
#include <string>

#include "cuzk/filecoin/merkle/circuit_path.h"

namespace cuzk::porep {
namespace {

/// Converts values, remembering the first that is not canonical.
class Converter {
 public:
  explicit Converter(std::string where) : where_(std::move(where)) {}

  Fr scalar(const Bytes32& bytes, const char* member) {
    if (const auto x = Fr::from_bytes_le(bytes)) return *x;
    if (!error_) error_ = bad_input(where_ + ": " + member + " is not a canonical scalar");
    return Fr::zero();
  }
  MerklePath path(const MerkleProof& proof, const char* member) {
    auto out = circuit_path(proof);
    if (out) return std::move(*out);
    if (!error_) error_ = out.error().within(where_ + ": " + member);
    return {};
  }
  ColumnInput column(const ColumnProof& proof, const char* member) {
    ColumnInput out;
    for (const Bytes32& row : proof.rows) out.rows.push_back(scalar(row, member));
    out.path = path(proof.inclusion, member);
    return out;
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::string where_;
  std::optional<Error> error_;
};

}  // namespace

PartitionInput PartitionInput::blank(const CircuitParams& p) {
  const MerklePath tree = blank_circuit_path(p.tree);
  const ColumnInput column{std::vector<Fr>(p.layers, Fr::zero()), tree};
  ChallengeInput challenge;
  challenge.tree_d = blank_circuit_path(TreeShape::binary(p.tree_d_levels));
  challenge.drg_parents.fill(column);
  challenge.expander_parents.fill(column);
  challenge.tree_r = tree;
  challenge.own_column = tree;
  PartitionInput out;
  out.challenges.assign(p.challenges, challenge);
  return out;
}

Result<PartitionInput> partition_input(const C1Output& c1, unsigned k) {
  const SectorParams& sector = *c1.config.sector;
  const std::string partition = "partition " + std::to_string(k);
  if (k >= c1.vanilla.partitions()) return bad_input("vanilla proof: no " + partition);
  Converter head("phase-1 output");
  PartitionInput out;
  out.replica_id = head.scalar(c1.replica_id, "replica_id");
  out.comm_d = head.scalar(c1.comm_d, "comm_d");
  out.comm_r = head.scalar(c1.comm_r, "comm_r");
  const ChallengeProof first = c1.vanilla.challenge(k, 0);
  out.comm_r_last = head.scalar(first.tree_r().root, "comm_r_last_proof's root");
  out.comm_c = head.scalar(first.own_column().inclusion.root, "c_x's root");
  if (head.error()) return *head.error();
  for (std::size_t i = 0; i < sector.challenges; ++i) {
    const ChallengeProof proof = c1.vanilla.challenge(k, i);
    const std::string where = "vanilla proof: " + partition + ", challenge proof " + std::to_string(i);
    if (proof.tree_r().root != first.tree_r().root)
      return bad_input(where + ": the root of comm_r_last_proof differs from the partition's first");
    if (proof.own_column().inclusion.root != first.own_column().inclusion.root)
      return bad_input(where + ": the root of c_x differs from the partition's first");
    Converter convert(where);
    ChallengeInput c;
    c.data_leaf = convert.scalar(proof.tree_d().leaf, "comm_d_proofs' leaf");
    c.tree_d = convert.path(proof.tree_d(), "comm_d_proofs");
    for (unsigned p = 0; p < kDrgParents; ++p)
      c.drg_parents[p] = convert.column(proof.drg_parent(p), "drg_parents");
    for (unsigned p = 0; p < kExpanderParents; ++p)
      c.expander_parents[p] = convert.column(proof.expander_parent(p), "exp_parents");
    c.node = proof.labeling(0).node;
    c.tree_r = convert.path(proof.tree_r(), "comm_r_last_proof");
    c.own_column = convert.path(proof.own_column().inclusion, "c_x");
    if (convert.error()) return *convert.error();
    out.challenges.push_back(std::move(c));
  }
  return out;
}

}  // namespace cuzk::porep
