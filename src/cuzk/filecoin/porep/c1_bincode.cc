#include <algorithm>
#include <string>

#include "cuzk/filecoin/field_path.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {
namespace {

/// The grammar of porep.md 9.3. Functions return false after the first error, which stays.
class BincodeReader {
 public:
  BincodeReader(ByteSpan bytes, C1Output& out) : bytes_(bytes), out_(out), sector_(*out.config.sector) {}

  bool read() {
    if (!read_partitions()) return false;
    const std::pair<Bytes32*, std::string_view> tail[] = {{&out_.comm_r, "comm_r"},
                                                          {&out_.comm_d, "comm_d"},
                                                          {&out_.replica_id, "replica_id"},
                                                          {&out_.seed, "seed"},
                                                          {&out_.ticket, "ticket"}};
    for (const auto& [value, name] : tail) {
      const PathLevel level(path_, name);
      if (!read_raw(*value)) return false;
    }
    return at_ == bytes_.size() || fail("bytes after the end of the phase-1 output");
  }

  [[nodiscard]] const Error& error() const { return error_; }

 private:
  bool fail(const std::string& what) {
    const std::string where = path_.to_string();
    error_ = bad_input("bincode: " + (where.empty() ? "" : where + ": ") + what + " (at byte " +
                       std::to_string(at_) + ")");
    return false;
  }

  template <class T>
  bool read_integer(T& value) {
    if (bytes_.size() - at_ < sizeof(T)) return fail("the data ends");
    value = load_le<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return true;
  }
  bool read_u32(std::uint64_t& value) {
    std::uint32_t v = 0;
    if (!read_integer(v)) return false;
    value = v;
    return true;
  }
  bool read_raw(Bytes32& value) {
    if (bytes_.size() - at_ < 32) return fail("the data ends");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), 32, value.begin());
    at_ += 32;
    return true;
  }
  bool read_node(Bytes32& value) {
    if (!read_raw(value)) return false;
    if (is_canonical_fr(value)) return true;
    at_ -= 32;
    return fail("not a canonical scalar (r or more)");
  }
  bool read_count(std::uint64_t expected) {
    std::uint64_t count = 0;
    if (!read_integer(count)) return false;
    if (count == expected) return true;
    at_ -= 8;
    return fail(std::to_string(count) + " elements, expected " + std::to_string(expected));
  }
  template <class Element>
  bool read_list(std::string_view name, std::uint64_t count, Element&& element) {
    const PathLevel level(path_, name);
    if (!read_count(count)) return false;
    PathLevel index(path_, std::uint64_t{0});
    for (std::uint64_t i = 0; i < count; ++i) {
      index.set_index(i);
      if (!element(i)) return false;
    }
    return true;
  }
  bool read_nodes(std::string_view name, std::span<Bytes32> nodes) {
    return read_list(name, nodes.size(), [&](std::uint64_t i) { return read_node(nodes[i]); });
  }

  bool read_partitions() {
    // Nothing is allocated for partitions that the data cannot hold: append() follows the reading.
    return read_list("vanilla_proofs", out_.config.partitions(), [&](std::uint64_t) {
      if (!read_count(sector_.challenges)) return false;
      PathLevel index(path_, std::uint64_t{0});
      for (std::uint64_t i = 0; i < sector_.challenges; ++i) {
        index.set_index(i);
        if (!read_challenge(out_.vanilla.append())) return false;
      }
      return true;
    });
  }

  bool read_challenge(const MutableChallengeProof& proof) {
    return read_merkle("comm_d_proofs", proof.tree_d(), true) &&
           read_merkle("comm_r_last_proof", proof.tree_r(), false) && read_columns(proof) &&
           read_list("labeling_proofs", sector_.layers,
                     [&](std::uint64_t i) { return read_labeling(proof.labeling(i)); }) &&
           read_encoding(proof.encoding());
  }

  bool read_columns(const MutableChallengeProof& proof) {
    const PathLevel level(path_, "replica_column_proofs");
    {
      const PathLevel own(path_, "c_x");
      if (!read_column(proof.own_column())) return false;
    }
    return read_list("drg_parents", kDrgParents,
                     [&](std::uint64_t i) { return read_column(proof.drg_parent(i)); }) &&
           read_list("exp_parents", kExpanderParents,
                     [&](std::uint64_t i) { return read_column(proof.expander_parent(i)); });
  }

  bool read_column(const MutableColumnProof& proof) {
    {
      const PathLevel level(path_, "column");
      {
        const PathLevel index(path_, "index");
        if (!read_u32(proof.index)) return false;
      }
      if (!read_nodes("rows", proof.rows)) return false;
    }
    return read_merkle("inclusion_proof", proof.inclusion, false);
  }

  bool read_encoding(const MutableLabelingProof& proof) {
    const PathLevel level(path_, "encoding_proof");
    return read_labeling(proof);
  }

  bool read_labeling(const MutableLabelingProof& proof) {
    if (!read_nodes("parents", proof.parents)) return false;
    {
      const PathLevel level(path_, "layer_index");
      if (!read_u32(proof.layer_index)) return false;
    }
    const PathLevel level(path_, "node");
    return read_integer(proof.node);
  }

  bool read_merkle(std::string_view name, const MutableMerkleProof& proof, bool tree_d) {
    const PathLevel level(path_, name);
    const std::uint32_t expected = tree_d || sector_.sub_arity == 0 ? 0 : sector_.top_arity == 0 ? 1 : 2;
    std::uint32_t variant = 0;
    if (!read_integer(variant)) return false;
    if (variant != expected) {
      at_ -= 4;
      return fail("variant " + std::to_string(variant) + " of a Merkle proof, expected " +
                  std::to_string(expected));
    }
    if (variant == 0) return read_ends(proof) && read_path("path", proof, tree_d, 0, proof.indices.size());
    return read_path("base_proof", proof, false, 0, sector_.base_levels) &&
           read_path("sub_proof", proof, false, sector_.base_levels, 1) &&
           (variant == 1 || read_path("top_proof", proof, false, sector_.base_levels + 1, 1)) &&
           read_ends(proof);
  }

  bool read_ends(const MutableMerkleProof& proof) {
    {
      const PathLevel level(path_, "root");
      if (!read_node(proof.root)) return false;
    }
    const PathLevel level(path_, "leaf");
    return read_node(proof.leaf);
  }

  bool read_path(std::string_view name, const MutableMerkleProof& proof, bool tree_d, std::size_t first,
                 std::size_t count) {
    return read_list(name, count, [&](std::uint64_t i) {
      const std::size_t level = first + i;
      const unsigned arity = tree_d ? 2 : sector_.tree_arity(static_cast<unsigned>(level));
      const std::size_t offset = tree_d ? level : sector_.siblings_below(static_cast<unsigned>(level));
      if (!read_nodes("hashes", proof.siblings.subspan(offset, arity - 1))) return false;
      const PathLevel index(path_, "index");
      if (!read_integer(proof.indices[level])) return false;
      if (proof.indices[level] < arity) return true;
      at_ -= 8;
      return fail("index " + std::to_string(proof.indices[level]) + " in a level of arity " +
                  std::to_string(arity));
    });
  }

  ByteSpan bytes_;
  C1Output& out_;
  const SectorParams& sector_;
  std::size_t at_ = 0;
  FieldPath path_;
  Error error_;
};

}  // namespace

Result<C1Output> parse_c1_bincode(ByteSpan bytes, const PorepConfig& config) {
  C1Output c1(config);
  BincodeReader reader(bytes, c1);
  if (!reader.read()) return reader.error();
  CUZK_TRY(detail::check_c1(c1));
  return c1;
}

}  // namespace cuzk::porep
