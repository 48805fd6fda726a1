#pragma once

// Runs the circuit of a fabricated update with values. Test support.

#include <gtest/gtest.h>

#include <utility>

#include "cuzk/filecoin/update/circuit.h"
#include "cuzk/filecoin/update/fabricate.h"
#include "cuzk/filecoin/update/update_case.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk::update {

/// synth/post-update.json, whose members are named "update 2 KiB k=0".
inline nlohmann::json fabricated_digests(const std::string& name) {
  std::ifstream in(CUZK_TEST_DATA "/synth/post-update.json");
  for (const auto& entry : nlohmann::json::parse(in))
    if (entry.at("name") == name) return entry;
  return {};
}

/// Sector size and the name of partition 0's circuit in that file.
class FabricatedCircuit : public testing::TestWithParam<std::pair<std::uint64_t, const char*>> {};

TEST_P(FabricatedCircuit, IsTheReferences) {
  const auto& [bytes, name] = GetParam();
  const auto want = fabricated_digests(name);
  ASSERT_FALSE(want.is_null());
  ThreadPool pool(2);
  const FabricatedUpdate update = fabricate_update(pool, *find_sector(bytes));
  const auto input = partition_input(update.proofs[0], update.statement, 0);
  ASSERT_TRUE(input);
  const CircuitDigest d = digest_circuit([&](auto& cs) { synthesize(cs, *input); });
  EXPECT_EQ(to_hex(d.r1cs_sha256), want.at("r1cs_sha256"));
  EXPECT_EQ(to_hex(d.witness_sha256), want.at("witness_sha256"));
  EXPECT_EQ(nlohmann::json(hex_of(std::span(d.inputs).subspan(1))), want.at("public_inputs"));
}

}  // namespace cuzk::update
