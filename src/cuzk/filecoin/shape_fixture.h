#pragma once

// Tables and files of tests/data/shapes, for every kind of circuit. Test support.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/test_table.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk {

/// One line of a table: column name to text.
using ShapeRow = std::map<std::string, std::string>;

inline std::size_t number(const ShapeRow& row, const char* column) {
  return std::stoul(row.at(column));
}

/// Rows of a table with at least `least` and fewer than `limit` constraints.
inline std::vector<ShapeRow> shape_rows_between(const char* table, std::size_t least, std::size_t limit) {
  std::vector<ShapeRow> out;
  for (const ShapeRow& row : read_table(table))
    if (number(row, "constraints") >= least && number(row, "constraints") < limit) out.push_back(row);
  return out;
}

inline std::string shape_name(const testing::TestParamInfo<ShapeRow>& info) {
  return info.param.at("name");
}

/// Rows, counts and densities as a JSON file of the reference has them.
inline void expect_shape(const CircuitDigest& have, const nlohmann::json& want) {
  EXPECT_EQ(to_hex(have.r1cs_sha256), want.at("r1cs_sha256"));
  EXPECT_EQ(have.counts.inputs, want.at("num_inputs"));
  EXPECT_EQ(have.counts.aux, want.at("num_aux"));
  EXPECT_EQ(have.counts.constraints, want.at("num_constraints"));
  EXPECT_EQ(have.terms[0] + have.terms[1] + have.terms[2], want.at("terms"));
  EXPECT_EQ(have.a_aux_density, want.at("a_aux_density"));
  EXPECT_EQ(have.b_input_density, want.at("b_input_density"));
  EXPECT_EQ(have.b_aux_density, want.at("b_aux_density"));
}

}  // namespace cuzk
