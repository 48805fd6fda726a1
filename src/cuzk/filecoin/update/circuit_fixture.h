#pragma once

// Runs one line of tests/data/shapes/update.tsv. Test support.

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/shape_fixture.h"
#include "cuzk/filecoin/update/circuit.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk::update {

inline std::vector<ShapeRow> shape_rows_between(std::size_t least, std::size_t limit) {
  return cuzk::shape_rows_between("shapes/update.tsv", least, limit);
}

/// The size of a row; two of them exist in the reference's tests only and are not in sector_table().
inline SectorParams sector_of(const ShapeRow& row) {
  const auto at = [&](const char* column) { return static_cast<unsigned>(number(row, column)); };
  return {{"a size of the table",
           number(row, "bytes"),
           {at("base_levels"), 8, at("sub_arity"), at("top_arity")}}};
}

class UpdateShape : public testing::TestWithParam<ShapeRow> {
 protected:
  const SectorParams sector_ = sector_of(GetParam());

  void check_counts(const CircuitCounts& counts) const {
    expect("inputs", counts.inputs);
    expect("aux", counts.aux);
    expect("constraints", counts.constraints);
  }

  void check() const {
    const PartitionInput blank = PartitionInput::blank(sector_);
    const CircuitDigest d = digest_circuit([&](auto& cs) { synthesize(cs, blank); });
    check_counts(d.counts);
    expect("terms_a", d.terms[0]);
    expect("terms_b", d.terms[1]);
    expect("terms_c", d.terms[2]);
    expect("a_aux", d.a_aux_density);
    expect("b_aux", d.b_aux_density);
    EXPECT_EQ(d.b_input_density, 1U);
    if (GetParam().at("r1cs_sha256") != "-") {
      EXPECT_EQ(to_hex(d.r1cs_sha256), GetParam().at("r1cs_sha256"));
    }
    check_reference_file(d);
  }

 private:
  void expect(const char* column, std::size_t have) const {
    if (GetParam().at(column) == "-") return;
    EXPECT_EQ(have, number(GetParam(), column)) << column;
  }

  /// shapes/update-SIZE.json, written by the reference; "update_2kib" is update-2k.json. Sizes of its tests
  /// and 16 MiB have none.
  void check_reference_file(const CircuitDigest& d) const {
    std::string file = GetParam().at("name");
    file.resize(file.size() - 2);
    std::ifstream in(CUZK_TEST_DATA "/shapes/update-" + file.substr(file.find('_') + 1) + ".json");
    if (!in) {
      EXPECT_TRUE(file == "update_1k" || file == "update_8k" || file == "update_16m");
      return;
    }
    expect_shape(d, nlohmann::json::parse(in));
  }
};

}  // namespace cuzk::update
