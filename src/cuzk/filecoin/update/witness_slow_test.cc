#include <gmock/gmock.h>

#include <optional>

#include "cuzk/filecoin/update/fabricated_circuit_fixture.h"
#include "cuzk/filecoin/update/update_case.h"
#include "cuzk/r1cs/checker.h"
#include "cuzk/r1cs/checkpoint_follower.h"
#include "cuzk/r1cs/digest.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::update {
namespace {

Shape record(const SectorParams& sector) {
  ShapeRecorder recorder;
  synthesize(recorder, PartitionInput::blank(sector));
  return std::move(recorder).finish();
}

Witness build(const Shape& shape, const PartitionInput& input) {
  WitnessBuilder builder(shape.num_bits(), shape.num_wide());
  synthesize(builder, input);
  return std::move(builder).finish();
}

class SealedUpdate : public testing::TestWithParam<const char*> {};

/// Also the partitions for which the reference's circuit is not given: they must be satisfied.
TEST_P(SealedUpdate, WitnessesAreTheReferences) {
  const UpdateCase c(GetParam());
  ThreadPool pool(2);
  const Shape shape = record(*c.sector);
  std::size_t compared = 0;
  for (unsigned k = 0; k < c.sector->partitions(); ++k) {
    const auto input = partition_input(c.proofs[k], c.statement, k);
    ASSERT_TRUE(input) << input.error().message;
    const Witness witness = build(shape, *input);
    ASSERT_TRUE(shape.validate(witness));
    EXPECT_EQ(shape.first_unsatisfied(pool, witness), shape.num_constraints());
    const auto expected = public_inputs(*c.sector, c.statement, k);
    ASSERT_TRUE(expected);
    EXPECT_TRUE(
        std::equal(expected->begin(), expected->end(), witness.inputs.begin() + 1, witness.inputs.end()));
    const auto& partition = c.json.at("partitions")[k];
    EXPECT_EQ(partition.at("public_inputs"), nlohmann::json(hex_of(*expected)));
    if (!partition.contains("circuit")) continue;
    const auto& circuit = partition.at("circuit");
    EXPECT_EQ(to_hex(witness_sha256(shape, witness)), circuit.at("witness_sha256"));
    EXPECT_EQ(to_hex(r1cs_sha256(shape)), circuit.at("r1cs_sha256"));
    EXPECT_EQ(shape.num_terms(), circuit.at("terms"));
    EXPECT_EQ(shape.a_aux_count(), circuit.at("a_aux_density"));
    EXPECT_EQ(shape.b_input_count(), circuit.at("b_input_density"));
    EXPECT_EQ(shape.b_aux_count(), circuit.at("b_aux_density"));
    ++compared;
  }
  EXPECT_EQ(compared, 1U);
}

TEST_P(SealedUpdate, EveryCheckpointIsTheReferences) {
  const UpdateCase c(GetParam());
  const auto input = partition_input(c.proofs[0], c.statement, 0);
  ASSERT_TRUE(input) << input.error().message;
  const auto checkpoints =
      read_checkpoints(CUZK_TEST_DATA "/update/" + std::string(GetParam()) + ".k0.checkpoints.tsv.gz");
  ASSERT_GT(checkpoints.size(), 6000U);
  CheckpointFollower cs(checkpoints);
  synthesize(cs, *input);
  EXPECT_EQ(cs.fault().value_or("none"), "none");
  EXPECT_EQ(cs.inputs(), checkpoints.back().inputs);
}

INSTANTIATE_TEST_SUITE_P(Reference, SealedUpdate, testing::Values("update-2k", "update-4k", "update-32k"),
                         [](const auto& name) { return std::string(name.param).substr(7); });

INSTANTIATE_TEST_SUITE_P(Small, FabricatedCircuit,
                         testing::Values(std::pair{std::uint64_t{2} << 10, "update 2 KiB k=0"},
                                         std::pair{std::uint64_t{8} << 20, "update 8 MiB k=0"}),
                         [](const auto& size) { return size.index == 0 ? "2KiB" : "8MiB"; });

/// Which fields of a partition proof the circuit reads (post-and-snap 3.5).
class UpdateFieldUse : public testing::Test {
 protected:
  const UpdateCase c_{"update-32k"};

  Witness witness(const Shape& shape, const PartitionProof& proof) const {
    return build(shape, partition_input(proof, c_.statement, 1).value());
  }
};

TEST_F(UpdateFieldUse, UsedFieldsBreakSatisfactionAndUnusedOnesDoNotMatter) {
  const Shape shape = record(*c_.sector);
  const Bytes32 want = witness_sha256(shape, witness(shape, c_.proofs[1]));
  PartitionProof changed = c_.proofs[1];
  const unsigned to_apex = c_.sector->levels_to_apex();
  for (std::size_t i = 0; i < c_.sector->challenges(); ++i) {
    changed.r_new[i].leaf[0] ^= 1;
    for (MerkleProofs* tree : {&changed.r_old, &changed.d_new, &changed.r_new}) {
      for (std::uint64_t& index : (*tree)[i].indices) index ^= 1;
      if (i != 0) (*tree)[i].root[0] ^= 1;
    }
    // Levels inside the apex tree; above it those of the first proof count.
    for (unsigned level = to_apex; level < c_.sector->log_nodes(); ++level)
      if (i != 0 || level < to_apex + c_.sector->apex_bits()) changed.d_new[i].siblings[level][0] ^= 1;
  }
  changed.d_new[0].root[0] ^= 1;
  EXPECT_EQ(witness_sha256(shape, witness(shape, changed)), want);

  ThreadPool pool(2);
  const auto breaks = [&](const char* what, auto&& change) {
    PartitionProof proof = c_.proofs[1];
    change(proof);
    EXPECT_NE(shape.first_unsatisfied(pool, witness(shape, proof)), shape.num_constraints()) << what;
  };
  breaks("comm_c", [](auto& p) { p.comm_c[0] ^= 1; });
  breaks("apex leaf", [](auto& p) { p.apex_leaves[100][0] ^= 1; });
  breaks("partition path", [](auto& p) { p.d_new[0].siblings.back()[0] ^= 1; });
  breaks("old root", [](auto& p) { p.r_old[0].root[0] ^= 1; });
  breaks("new root", [](auto& p) { p.r_new[0].root[0] ^= 1; });
  breaks("old leaf", [](auto& p) { p.r_old[4].leaf[0] ^= 1; });
  breaks("data leaf", [](auto& p) { p.d_new[4].leaf[0] ^= 1; });
  breaks("old sibling", [](auto& p) { p.r_old[4].siblings[20][0] ^= 1; });
  breaks("new sibling", [](auto& p) { p.r_new[4].siblings[3][0] ^= 1; });
  breaks("data sibling", [](auto& p) { p.d_new[4].siblings[1][0] ^= 1; });
}

TEST_F(UpdateFieldUse, TheCheckerNamesTheGadget) {
  PartitionProof changed = c_.proofs[1];
  changed.r_new[6].siblings[9][0] ^= 1;
  Checker checker;
  synthesize(checker, partition_input(changed, c_.statement, 1).value());
  ASSERT_TRUE(checker.failure().has_value());
  EXPECT_EQ(checker.failure()->path, "challenge_6/por_r_new");
}

}  // namespace
}  // namespace cuzk::update
