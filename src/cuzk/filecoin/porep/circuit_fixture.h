#pragma once

// Runs one line of tests/data/shapes/porep.tsv. Test support.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/shape_fixture.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk::porep {

inline std::vector<ShapeRow> shape_rows_between(std::size_t least, std::size_t limit) {
  return cuzk::shape_rows_between("shapes/porep.tsv", least, limit);
}

inline CircuitParams params_of(const ShapeRow& row) {
  const auto at = [&](const char* column) { return static_cast<unsigned>(number(row, column)); };
  return {at("layers"),
          at("challenges"),
          at("tree_d_levels"),
          {at("base_levels"), at("base_arity"), at("sub_arity"), at("top_arity")}};
}

/// The sector size that a row names, or null: "porep_2kib" is that of "2KiB".
inline const SectorParams* sector_of(const ShapeRow& row) {
  for (const SectorParams& s : sector_table()) {
    std::string name = "porep_";
    for (const char c : s.name) name.push_back(static_cast<char>(std::tolower(c)));
    if (name == row.at("name")) return &s;
  }
  return nullptr;
}

class PorepShape : public testing::TestWithParam<ShapeRow> {
 protected:
  void check_counts(const CircuitCounts& counts) const {
    EXPECT_EQ(counts.inputs, number(GetParam(), "inputs"));
    EXPECT_EQ(counts.aux, number(GetParam(), "aux"));
    EXPECT_EQ(counts.constraints, number(GetParam(), "constraints"));
  }

  void check() const {
    const ShapeRow& want = GetParam();
    const SectorParams* sector = sector_of(want);
    const PartitionInput blank =
        sector != nullptr ? PartitionInput::blank(*sector) : PartitionInput::blank(params_of(want));
    DigestSystem::Options options;
    options.blake2s = want.at("r1cs_blake2s") != "-";
    const CircuitDigest d = digest_circuit([&](auto& cs) { synthesize(cs, blank); }, options);
    check_counts(d.counts);
    EXPECT_EQ(d.terms[0], number(want, "terms_a"));
    EXPECT_EQ(d.terms[1], number(want, "terms_b"));
    EXPECT_EQ(d.terms[2], number(want, "terms_c"));
    EXPECT_EQ(d.a_aux_density, number(want, "a_aux"));
    EXPECT_EQ(d.b_input_density, 1U);
    EXPECT_EQ(d.b_aux_density, number(want, "b_aux"));
    if (want.at("r1cs_sha256") != "-") {
      EXPECT_EQ(to_hex(d.r1cs_sha256), want.at("r1cs_sha256"));
    }
    if (options.blake2s) {
      ASSERT_TRUE(d.r1cs_blake2s.has_value());
      EXPECT_EQ(to_hex(*d.r1cs_blake2s), want.at("r1cs_blake2s"));
    }
    if (sector != nullptr) check_reference_file(d, *sector);
  }

 private:
  /// shapes/porep-SIZE.json, written by the reference.
  static void check_reference_file(const CircuitDigest& d, const SectorParams& sector) {
    // "2KiB" is porep-2k.json.
    const std::string_view digits = sector.name.substr(0, sector.name.size() - 3);
    const char unit = static_cast<char>(std::tolower(sector.name[digits.size()]));
    std::string file(CUZK_TEST_DATA "/shapes/porep-");
    file.append(digits).push_back(unit);
    file.append(".json");
    std::ifstream in(file);
    ASSERT_TRUE(in) << file;
    expect_shape(d, nlohmann::json::parse(in));
  }
};

}  // namespace cuzk::porep
