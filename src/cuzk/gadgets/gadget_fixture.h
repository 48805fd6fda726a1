#pragma once

// Runs one line of tests/data/gadgets/gadgets.tsv through every constraint system. Test support.

#include <gtest/gtest.h>

#include <map>

#include "cuzk/base/hex.h"
#include "cuzk/base/test_table.h"
#include "cuzk/gadgets/gadget_circuits.h"
#include "cuzk/r1cs/checker.h"
#include "cuzk/r1cs/digest.h"
#include "cuzk/r1cs/shape_recorder.h"

namespace cuzk {

using Fixture = std::map<std::string, std::string>;

inline std::vector<Fixture> gadget_fixtures(bool large) {
  std::vector<Fixture> out;
  for (const Fixture& f : read_table("gadgets/gadgets.tsv"))
    if ((std::stoul(f.at("constraints")) > 100'000) == large) out.push_back(f);
  return out;
}

inline std::string fr_hex(const Fr& x) {
  auto bytes = x.to_bytes_le();
  std::reverse(bytes.begin(), bytes.end());
  return to_hex(bytes);
}

class GadgetFixture : public testing::TestWithParam<Fixture> {
 protected:
  void check() {
    const Fixture& want = GetParam();
    const std::string& name = want.at("name");
    std::optional<Fr> output;
    const auto circuit = [&](auto& cs) { ASSERT_TRUE(gadget_circuits::synthesize(cs, name, output)); };
    const auto number = [&](const char* column) { return std::stoul(want.at(column)); };

    DigestSystem::Options options;
    options.blake2s = want.at("r1cs_blake2s") != "-";
    const CircuitDigest d = digest_circuit(circuit, options);
    EXPECT_EQ(d.counts.inputs, number("inputs"));
    EXPECT_EQ(d.counts.aux, number("aux"));
    EXPECT_EQ(d.counts.constraints, number("constraints"));
    EXPECT_EQ(d.terms[0] + d.terms[1] + d.terms[2], number("terms"));
    EXPECT_EQ(d.a_aux_density, number("a_aux"));
    EXPECT_EQ(d.b_input_density, number("b_input"));
    EXPECT_EQ(d.b_aux_density, number("b_aux"));
    EXPECT_EQ(to_hex(d.r1cs_sha256), want.at("r1cs_sha256"));
    EXPECT_EQ(to_hex(d.witness_sha256), want.at("witness_sha256"));
    if (options.blake2s) {
      ASSERT_TRUE(d.r1cs_blake2s.has_value());
      EXPECT_EQ(to_hex(*d.r1cs_blake2s), want.at("r1cs_blake2s"));
    }
    if (want.at("result") != "-") {
      ASSERT_TRUE(output.has_value());
      EXPECT_EQ(fr_hex(*output), want.at("result"));
    }

    // The recorded forms are the same circuit and the same witness.
    ShapeRecorder recorder;
    circuit(recorder);
    const Shape shape = std::move(recorder).finish();
    WitnessBuilder builder(shape.num_bits(), shape.num_wide());
    circuit(builder);
    const Witness witness = std::move(builder).finish();
    ASSERT_TRUE(shape.validate(witness));
    EXPECT_EQ(shape.num_bits(), d.bits);
    EXPECT_EQ(shape.num_terms(), number("terms"));
    EXPECT_EQ(shape.a_aux_count(), d.a_aux_density);
    EXPECT_EQ(shape.b_input_count(), d.b_input_density);
    EXPECT_EQ(shape.b_aux_count(), d.b_aux_density);
    EXPECT_EQ(r1cs_sha256(shape), d.r1cs_sha256);
    EXPECT_EQ(witness_sha256(shape, witness), d.witness_sha256);
    ThreadPool pool(2);
    EXPECT_EQ(shape.first_unsatisfied(pool, witness), shape.num_constraints());

    Checker checker;
    circuit(checker);
    EXPECT_TRUE(checker.result()) << checker.result().error().message;
  }
};

inline std::string fixture_name(const testing::TestParamInfo<Fixture>& info) {
  return info.param.at("name");
}

}  // namespace cuzk
