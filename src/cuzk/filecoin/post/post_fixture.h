#pragma once

// The reference's inputs and circuits in tests/data. Test support.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/checkpoint_fixture.h"
#include "cuzk/filecoin/post/circuit.h"
#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/filecoin/shape_fixture.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk::post {

inline nlohmann::json read_json(const std::string& file) {
  std::ifstream in(std::string(CUZK_TEST_DATA) + "/" + file);
  CUZK_CHECK(in.good());
  return nlohmann::json::parse(in);
}

/// The really sealed sectors in tests/data/post.
inline const std::vector<std::string>& case_names() {
  static const std::vector<std::string> kNames{"window-2k-one-padded",
                                               "window-2k-two",
                                               "window-2k-three-old-api",
                                               "window-2k-three-two-partitions",
                                               "window-4k",
                                               "window-16k",
                                               "window-32k",
                                               "winning-2k",
                                               "winning-16k"};
  return kNames;
}

/// One of them: what a caller would send.
struct PostCase {
  explicit PostCase(const std::string& name) : json(read_json("post/" + name + ".json")) {
    const Kind kind = json.at("kind") == "Winning" ? Kind::winning : Kind::window;
    const auto version = api_version_from_string(json.at("api_version").get<std::string>());
    config = post_config(kind, json.at("sector_size"), version.value()).value();
    randomness = bytes32_from_hex(json.at("randomness").get<std::string>()).value();
    for (const auto& sector : json.at("vanilla")) {
      const auto file = InputFile::open(CUZK_TEST_DATA "/post/" + sector.at("file").get<std::string>());
      CUZK_CHECK(file.has_value());
      blobs.emplace_back(file->bytes().begin(), file->bytes().end());
    }
  }

  [[nodiscard]] std::size_t partitions() const { return json.at("partitions").size(); }
  /// The vanilla proofs of partition k.
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> blobs_of(std::size_t k) const {
    const std::size_t each = config.params->max_sectors();
    return {blobs.begin() + static_cast<std::ptrdiff_t>(k * each),
            blobs.begin() + static_cast<std::ptrdiff_t>(std::min(blobs.size(), (k + 1) * each))};
  }
  [[nodiscard]] Result<Partition> read(std::size_t k) const {
    return read_partition(config, randomness, static_cast<std::uint32_t>(k), blobs_of(k));
  }

  nlohmann::json json;
  PostConfig config;
  Bytes32 randomness{};
  std::vector<std::vector<std::uint8_t>> blobs;
};

/// Counts, densities and digests as the reference writes them.
inline void expect_circuit(const CircuitDigest& have, const nlohmann::json& want) {
  expect_shape(have, want);
  if (want.at("witness_sha256").is_null()) return;  // of a blank circuit
  EXPECT_EQ(to_hex(have.witness_sha256), want.at("witness_sha256"));
  if (want.contains("public_inputs")) {
    EXPECT_EQ(nlohmann::json(hex_of(std::span(have.inputs).subspan(1))), want.at("public_inputs"));
  }
}

/// The fabricated proofs of tests/data/synth/post-update.json: sector 1234, the reference's randomness.
/// Window circuits there have two slots whatever the size.
struct SyntheticCircuit {
  nlohmann::json want;
  PostParams params;

  friend void PrintTo(const SyntheticCircuit& c, std::ostream* out) { *out << c.want.at("name"); }
};

inline std::vector<SyntheticCircuit> synthetic_circuits(std::size_t least, std::size_t limit) {
  std::vector<SyntheticCircuit> out;
  for (const auto& want : read_json("synth/post-update.json")) {
    const auto name = want.at("name").get<std::string>();
    const std::size_t constraints = want.at("num_constraints");
    if (constraints < least || constraints >= limit) continue;
    for (PostParams params : post_table()) {
      // "post Window 2 KiB"
      const std::string_view size = params.size->name;
      std::string label("post ");
      label.append(to_string(params.kind)).append(" ").append(size.substr(0, size.size() - 3));
      label.append(" ").append(size.substr(size.size() - 3));
      if (name != label) continue;
      if (params.kind == Kind::window) params.sector_count = 2;
      out.push_back({want, params});
    }
  }
  return out;
}

class SyntheticPost : public testing::TestWithParam<SyntheticCircuit> {
 protected:
  void check() const {
    ThreadPool pool(2);
    const PostConfig config{&GetParam().params, ApiVersion::v1_0_0, nullptr};
    const std::vector<std::uint64_t> ids{1234};
    const auto partition = fabricate_partition(pool, config, reference_randomness(), 0, ids);
    ASSERT_TRUE(partition) << partition.error().message;
    const auto input = partition_input(*partition);
    ASSERT_TRUE(input) << input.error().message;
    const CircuitDigest digest = digest_circuit([&](auto& cs) { synthesize(cs, *input); });
    expect_circuit(digest, GetParam().want);
    const auto inputs = public_inputs(partition->statement());
    ASSERT_TRUE(inputs) << inputs.error().message;
    EXPECT_TRUE(std::equal(inputs->begin(), inputs->end(), digest.inputs.begin() + 1, digest.inputs.end()));
  }
};

/// Blank circuits of tests/data/shapes: "window-2k", ...
struct BlankCircuit {
  std::string name;
  CircuitParams params;

  friend void PrintTo(const BlankCircuit& c, std::ostream* out) { *out << c.name; }
};

/// Those with at least `least` and fewer than `limit` constraints. For 16 MiB and 1 GiB there is no
/// reference, so these four are left out; any other file that is missing fails read_json.
inline std::vector<BlankCircuit> blank_circuits(std::size_t least, std::size_t limit) {
  std::vector<BlankCircuit> out;
  for (const PostParams& params : post_table()) {
    // "2KiB" is window-2k.
    std::string name(params.kind == Kind::winning ? "winning-" : "window-");
    name.append(params.size->name.substr(0, params.size->name.size() - 2));
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    if (name.ends_with("-16m") || name.ends_with("-1g")) continue;
    const std::size_t constraints = read_json("shapes/" + name + ".json").at("num_constraints");
    if (constraints >= least && constraints < limit) out.push_back({name, CircuitParams::of(params)});
  }
  return out;
}

class BlankPost : public testing::TestWithParam<BlankCircuit> {
 protected:
  void check() const {
    const PartitionInput blank = PartitionInput::blank(GetParam().params);
    DigestSystem::Options options;
    options.witness = false;
    expect_circuit(digest_circuit([&](auto& cs) { synthesize(cs, blank); }, options),
                   read_json("shapes/" + GetParam().name + ".json"));
  }
};

/// Lines of tests/data/shapes/post.tsv.
inline std::vector<ShapeRow> post_rows(std::size_t least, std::size_t limit) {
  return shape_rows_between("shapes/post.tsv", least, limit);
}

class PostTable : public testing::TestWithParam<ShapeRow> {
 protected:
  void check() const {
    const ShapeRow& want = GetParam();
    const auto number = [&](const char* column) {
      return static_cast<unsigned>(std::stoul(want.at(column)));
    };
    const CircuitParams params{
        {number("base_levels"), number("base_arity"), number("sub_arity"), number("top_arity")},
        number("sectors"),
        number("challenges")};
    const PartitionInput blank = PartitionInput::blank(params);
    const CircuitDigest d = digest_circuit([&](auto& cs) { synthesize(cs, blank); });
    EXPECT_EQ(d.counts.inputs, number("inputs"));
    EXPECT_EQ(d.counts.aux, number("aux"));
    EXPECT_EQ(d.counts.constraints, number("constraints"));
    EXPECT_EQ(d.terms[0], number("terms_a"));
    EXPECT_EQ(d.terms[1], number("terms_b"));
    EXPECT_EQ(d.terms[2], number("terms_c"));
    EXPECT_EQ(d.a_aux_density, number("a_aux"));
    EXPECT_EQ(d.b_input_density, 1U);
    EXPECT_EQ(d.b_aux_density, number("b_aux"));
    if (want.at("r1cs_sha256") != "-") {
      EXPECT_EQ(to_hex(d.r1cs_sha256), want.at("r1cs_sha256"));
    }
  }
};

/// A name that GoogleTest takes.
inline std::string identifier(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return text;
}

}  // namespace cuzk::post
