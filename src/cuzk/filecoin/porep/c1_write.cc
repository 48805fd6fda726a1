#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "cuzk/base/base64.h"
#include "cuzk/base/hex.h"
#include "cuzk/filecoin/merkle/merkle_bincode.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {
namespace {

struct DecimalByte {
  std::array<char, 3> digits;
  std::uint8_t length;
};
constexpr std::array<DecimalByte, 256> kDecimalBytes = [] {
  std::array<DecimalByte, 256> table{};
  for (unsigned v = 0; v < 256; ++v) {
    DecimalByte& d = table[v];
    if (v >= 100) d.digits[d.length++] = static_cast<char>('0' + v / 100);
    if (v >= 10) d.digits[d.length++] = static_cast<char>('0' + v / 10 % 10);
    d.digits[d.length++] = static_cast<char>('0' + v % 10);
  }
  return table;
}();

/// Members in the order of the reference's types, no white space.
class JsonWriter {
 public:
  JsonWriter(const SectorParams& sector, std::string& out) : sector_(sector), out_(out) {}

  void node(const Bytes32& value) {
    std::array<char, 2 + 32 * 4> text;
    std::size_t at = 0;
    char separator = '[';
    for (const std::uint8_t byte : value) {
      const DecimalByte& d = kDecimalBytes[byte];
      text[at++] = separator;
      std::copy_n(d.digits.begin(), 3, text.begin() + static_cast<std::ptrdiff_t>(at));
      at += d.length;
      separator = ',';
    }
    text[at++] = ']';
    out_.append(text.data(), at);
  }

  void challenge(const ChallengeProof& proof) {
    out_ += R"({"comm_d_proofs":)";
    merkle(proof.tree_d());
    out_ += R"(,"comm_r_last_proof":)";
    merkle(proof.tree_r());
    out_ += R"(,"replica_column_proofs":{"c_x":)";
    column(proof.own_column());
    out_ += R"(,"drg_parents":)";
    list(kDrgParents, [&](std::size_t i) { column(proof.drg_parent(i)); });
    out_ += R"(,"exp_parents":)";
    list(kExpanderParents, [&](std::size_t i) { column(proof.expander_parent(i)); });
    out_ += R"(},"labeling_proofs":)";
    list(sector_.layers, [&](std::size_t i) { labeling(proof.labeling(i)); });
    out_ += R"(,"encoding_proof":)";
    labeling(proof.encoding());
    out_ += '}';
  }

  template <class Item>
  void list(std::size_t count, Item&& item) {
    out_ += '[';
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ',';
      item(i);
    }
    out_ += ']';
  }

 private:
  void number(std::uint64_t value) {
    std::array<char, 20> text;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    out_.append(text.data(), end);
  }
  void nodes(std::span<const Bytes32> values) {
    list(values.size(), [&](std::size_t i) { node(values[i]); });
  }
  void column(const ColumnProof& proof) {
    out_ += R"({"column":{"index":)";
    number(proof.index);
    out_ += R"(,"rows":)";
    nodes(proof.rows);
    out_ += R"(,"_h":null},"inclusion_proof":)";
    merkle(proof.inclusion);
    out_ += '}';
  }
  void labeling(const LabelingProof& proof) {
    out_ += R"({"parents":)";
    nodes(proof.parents);
    out_ += R"(,"layer_index":)";
    number(proof.layer_index);
    out_ += R"(,"node":)";
    number(proof.node);
    out_ += '}';
  }
  void path(const MerkleProof& proof, unsigned first, unsigned count) {
    out_ += R"({"path":)";
    list(count, [&](std::size_t i) {
      const unsigned level = first + static_cast<unsigned>(i);
      out_ += R"({"hashes":)";
      nodes(proof.siblings_at(level));
      out_ += R"(,"index":)";
      number(proof.indices[level]);
      out_ += '}';
    });
    out_ += '}';
  }
  void ends(const MerkleProof& proof) {
    out_ += R"("root":)";
    node(proof.root);
    out_ += R"(,"leaf":)";
    node(proof.leaf);
  }
  void merkle(const MerkleProof& proof) {
    const unsigned base = proof.shape.base_levels;
    if (proof.shape.sub_arity == 0) {
      out_ += R"({"data":{"Single":{)";
      ends(proof);
      out_ += R"(,"path":)";
      path(proof, 0, base);
    } else {
      const bool top = proof.shape.top_arity != 0;
      out_ += top ? R"({"data":{"Top":{"base_proof":)" : R"({"data":{"Sub":{"base_proof":)";
      path(proof, 0, base);
      out_ += R"(,"sub_proof":)";
      path(proof, base, 1);
      if (top) {
        out_ += R"(,"top_proof":)";
        path(proof, base + 1, 1);
      }
      out_ += ',';
      ends(proof);
    }
    out_ += "}}}";
  }

  const SectorParams& sector_;
  std::string& out_;
};

void write_column(BincodeWriter& writer, const ColumnProof& proof) {
  writer.write_u32(static_cast<std::uint32_t>(proof.index));
  writer.write_nodes(proof.rows);
  write_merkle_proof(writer, proof.inclusion);
}

void write_labeling(BincodeWriter& writer, const LabelingProof& proof) {
  writer.write_nodes(proof.parents);
  writer.write_u32(static_cast<std::uint32_t>(proof.layer_index));
  writer.write_u64(proof.node);
}

void write_challenge(BincodeWriter& writer, const ChallengeProof& proof, unsigned layers) {
  write_merkle_proof(writer, proof.tree_d());
  write_merkle_proof(writer, proof.tree_r());
  write_column(writer, proof.own_column());
  writer.write_u64(kDrgParents);
  for (std::size_t i = 0; i < kDrgParents; ++i) write_column(writer, proof.drg_parent(i));
  writer.write_u64(kExpanderParents);
  for (std::size_t i = 0; i < kExpanderParents; ++i) write_column(writer, proof.expander_parent(i));
  writer.write_u64(layers);
  for (std::size_t i = 0; i < layers; ++i) write_labeling(writer, proof.labeling(i));
  write_labeling(writer, proof.encoding());
}

}  // namespace

std::string write_c1_json(const C1Output& c1) {
  CUZK_CHECK(c1.config.registered != nullptr);
  const SectorParams& sector = *c1.config.sector;
  std::string out;
  // A node takes 32 numbers of at most four characters; on random bytes about 116 of the 130.
  out.reserve(c1.vanilla.challenges() * ProofLayout(sector).nodes() * 122 + 4096);
  JsonWriter writer(sector, out);
  out += R"({"registered_proof":")" + std::string(c1.config.registered->name) + R"(","vanilla_proofs":{")" +
         std::string(c1.config.registered->vanilla_key) + R"(":)";
  writer.list(c1.vanilla.partitions(), [&](std::size_t k) {
    writer.list(sector.challenges, [&](std::size_t i) { writer.challenge(c1.vanilla.challenge(k, i)); });
  });
  out += '}';
  const std::pair<std::string_view, const Bytes32*> tail[] = {{"comm_r", &c1.comm_r},
                                                              {"comm_d", &c1.comm_d},
                                                              {"replica_id", &c1.replica_id},
                                                              {"seed", &c1.seed},
                                                              {"ticket", &c1.ticket}};
  for (const auto& [name, value] : tail) {
    out += ",\"" + std::string(name) + "\":";
    writer.node(*value);
  }
  out += '}';
  return out;
}

std::string write_c1_wrapper(const C1Wrapper& wrapper, std::string_view c1_json) {
  return R"({"SectorNum":)" + std::to_string(wrapper.sector_number) + R"(,"Phase1Out":")" +
         base64_encode(byte_span(c1_json)) + R"(","SectorSize":)" + std::to_string(wrapper.sector_size) + "}";
}

std::vector<std::uint8_t> write_c1_bincode(const C1Output& c1) {
  const SectorParams& sector = *c1.config.sector;
  std::vector<std::uint8_t> out;
  out.reserve(c1.vanilla.challenges() *
                  (ProofLayout(sector).nodes() * 32 + ProofLayout(sector).numbers() * 40) +
              4096);
  BincodeWriter writer(out);
  writer.write_u64(c1.vanilla.partitions());
  for (std::size_t k = 0; k < c1.vanilla.partitions(); ++k) {
    writer.write_u64(sector.challenges);
    for (std::size_t i = 0; i < sector.challenges; ++i)
      write_challenge(writer, c1.vanilla.challenge(k, i), sector.layers);
  }
  for (const Bytes32* value : {&c1.comm_r, &c1.comm_d, &c1.replica_id, &c1.seed, &c1.ticket})
    writer.write_bytes32(*value);
  return out;
}

std::string write_porep_side_json(const PorepConfig& config) {
  return R"({"sector_size":)" + std::to_string(config.sector->bytes) + R"(,"porep_id":")" +
         to_hex(config.porep_id) + R"(","api_version":")" + std::string(to_string(config.version)) + "\"}\n";
}

}  // namespace cuzk::porep
