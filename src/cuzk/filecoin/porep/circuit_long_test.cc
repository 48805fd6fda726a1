#include "cuzk/filecoin/checkpoint_fixture.h"
#include "cuzk/filecoin/peak_memory_fixture.h"
#include "cuzk/filecoin/porep/circuit_fixture.h"
#include "cuzk/filecoin/porep/fabricate.h"

namespace cuzk::porep {
namespace {

TEST_P(PorepShape, MatchesTheReferenceInTwoGibibytes) {
  check();
  expect_small_peak();
}
INSTANTIATE_TEST_SUITE_P(Production, PorepShape, testing::ValuesIn(shape_rows_between(100'000'000, SIZE_MAX)),
                         shape_name);

TEST(FabricatedSector, Witness32GibIsTheReferences) {
  std::ifstream in(CUZK_TEST_DATA "/synth/32g.json");
  const auto partition = nlohmann::json::parse(in).at("partitions")[0];
  ASSERT_EQ(partition.at("k"), 0);
  const auto& circuit = partition.at("circuit");
  ThreadPool pool(2);
  const auto c1 = fabricate_sector(pool, porep_config(*find_seal_proof(8)), SectorIdentity::reference());
  ASSERT_TRUE(c1) << c1.error().message;
  const auto input = partition_input(*c1, 0);
  ASSERT_TRUE(input) << input.error().message;
  DigestSystem::Options options;
  options.checkpoint_depth = 3;
  std::vector<Checkpoint> checkpoints;
  const CircuitDigest d = digest_circuit([&](auto& cs) { synthesize(cs, *input); }, options, &checkpoints);
  expect_checkpoints(checkpoints, "synth/32g.k0");
  EXPECT_EQ(to_hex(d.r1cs_sha256), circuit.at("r1cs_sha256"));
  EXPECT_EQ(to_hex(d.witness_sha256), circuit.at("witness_sha256"));
  EXPECT_EQ(nlohmann::json(hex_of(std::span(d.inputs).subspan(1))), circuit.at("public_inputs"));
  EXPECT_EQ(d.a_aux_density, circuit.at("a_aux_density"));
  EXPECT_EQ(d.b_aux_density, circuit.at("b_aux_density"));
  expect_small_peak();
}

}  // namespace
}  // namespace cuzk::porep
