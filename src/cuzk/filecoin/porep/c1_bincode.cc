#include <utility>

#include "cuzk/filecoin/merkle/merkle_bincode.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {
namespace {

/// The grammar of porep 9.3. Functions return false after the first error, which stays with the reader.
class C1BincodeReader {
 public:
  C1BincodeReader(ByteSpan bytes, C1Output& out) : in_(bytes), out_(out), sector_(*out.config.sector) {}

  bool read() {
    if (!read_partitions()) return false;
    const std::pair<Bytes32*, std::string_view> tail[] = {{&out_.comm_r, "comm_r"},
                                                          {&out_.comm_d, "comm_d"},
                                                          {&out_.replica_id, "replica_id"},
                                                          {&out_.seed, "seed"},
                                                          {&out_.ticket, "ticket"}};
    for (const auto& [value, name] : tail)
      if (!in_.read_field(name, [&, v = value] { return in_.read_bytes32(*v); })) return false;
    return in_.read_end("phase-1 output");
  }

  [[nodiscard]] const Error& error() const { return in_.error(); }

 private:
  bool read_partitions() {
    // Nothing is allocated for partitions that the data cannot hold: append() follows the reading.
    return in_.read_list("vanilla_proofs", out_.config.partitions(), [&](std::uint64_t) {
      return in_.read_elements(sector_.challenges,
                               [&](std::uint64_t) { return read_challenge(out_.vanilla.append()); });
    });
  }

  bool read_challenge(const MutableChallengeProof& proof) {
    return read_merkle("comm_d_proofs", proof.tree_d()) && read_merkle("comm_r_last_proof", proof.tree_r()) &&
           in_.read_field("replica_column_proofs", [&] { return read_columns(proof); }) &&
           in_.read_list("labeling_proofs", sector_.layers,
                         [&](std::uint64_t i) { return read_labeling(proof.labeling(i)); }) &&
           in_.read_field("encoding_proof", [&] { return read_labeling(proof.encoding()); });
  }

  bool read_columns(const MutableChallengeProof& proof) {
    return in_.read_field("c_x", [&] { return read_column(proof.own_column()); }) &&
           in_.read_list("drg_parents", kDrgParents,
                         [&](std::uint64_t i) { return read_column(proof.drg_parent(i)); }) &&
           in_.read_list("exp_parents", kExpanderParents,
                         [&](std::uint64_t i) { return read_column(proof.expander_parent(i)); });
  }

  bool read_column(const MutableColumnProof& proof) {
    return in_.read_field("column", [&] {
      return read_u32("index", proof.index) && in_.read_nodes("rows", proof.rows);
    }) && read_merkle("inclusion_proof", proof.inclusion);
  }

  bool read_labeling(const MutableLabelingProof& proof) {
    return in_.read_nodes("parents", proof.parents) && read_u32("layer_index", proof.layer_index) &&
           in_.read_field("node", [&] { return in_.read_u64(proof.node); });
  }

  bool read_u32(std::string_view name, std::uint64_t& value) {
    return in_.read_field(name, [&] {
      std::uint32_t number = 0;
      if (!in_.read_u32(number)) return false;
      value = number;
      return true;
    });
  }

  bool read_merkle(std::string_view name, const MutableMerkleProof& proof) {
    return in_.read_field(name, [&] { return read_merkle_proof(in_, proof); });
  }

  BincodeReader in_;
  C1Output& out_;
  const SectorParams& sector_;
};

}  // namespace

Result<C1Output> parse_c1_bincode(ByteSpan bytes, const PorepConfig& config) {
  C1Output c1(config);
  C1BincodeReader reader(bytes, c1);
  if (!reader.read()) return reader.error();
  CUZK_TRY(detail::check_c1(c1));
  return c1;
}

}  // namespace cuzk::porep
