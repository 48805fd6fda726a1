#include <gmock/gmock.h>

#include "cuzk/filecoin/post/post_fixture.h"
#include "cuzk/filecoin/post/witness.h"
#include "cuzk/r1cs/block_auditor.h"
#include "cuzk/r1cs/checker.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::post {
namespace {

constexpr std::size_t kUnitLimit = 120'000;

TEST_P(BlankPost, IsTheReferences) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Small, BlankPost, testing::ValuesIn(blank_circuits(0, kUnitLimit)),
                         [](const auto& c) { return identifier(c.param.name); });

TEST_P(PostTable, IsTheReferences) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Small, PostTable, testing::ValuesIn(post_rows(0, kUnitLimit)),
                         [](const auto& row) { return row.param.at("name"); });

class PostCircuit : public testing::TestWithParam<std::string> {};

TEST_P(PostCircuit, RowsWitnessAndCheckpointsAreTheReferences) {
  const PostCase post(GetParam());
  for (std::size_t k = 0; k < post.partitions(); ++k) {
    const auto input = partition_input(post.read(k).value());
    ASSERT_TRUE(input) << input.error().message;
    DigestSystem::Options options;
    options.checkpoint_depth = 3;
    std::vector<Checkpoint> checkpoints;
    const CircuitDigest digest =
        digest_circuit([&](auto& cs) { synthesize(cs, *input); }, options, &checkpoints);
    expect_checkpoints(checkpoints, "post/" + GetParam() + ".k" + std::to_string(k));
    expect_circuit(digest, post.json.at("partitions")[k].at("circuit"));
  }
}
INSTANTIATE_TEST_SUITE_P(All, PostCircuit, testing::ValuesIn(case_names()),
                         [](const auto& name) { return identifier(name.param); });

TEST_P(SyntheticPost, CircuitIsTheReferences) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Small, SyntheticPost, testing::ValuesIn(synthetic_circuits(0, kUnitLimit)),
                         [](const auto& c) { return identifier(c.param.want.at("name")); });

TEST(PostCircuits, AreAllFound) {
  EXPECT_EQ(synthetic_circuits(0, SIZE_MAX).size(), 10U);
  EXPECT_EQ(blank_circuits(0, SIZE_MAX).size(), 16U);
}

TEST(PostBlocks, KeepTheirPromises) {
  BlockAuditor cs;
  synthesize(cs, PartitionInput::blank(CircuitParams{{1, 8, 8, 2}, 2, 2}));
  EXPECT_EQ(cs.blocks(), 2U * (1 + 2 * 3));
  EXPECT_THAT(cs.faults(), testing::IsEmpty());
}

/// The oracle of build_witness.
Witness in_sequence(const Partition& partition) {
  WitnessBuilder builder;
  synthesize(builder, partition_input(partition).value());
  return std::move(builder).finish();
}

void expect_same(const Witness& a, const Witness& b) {
  EXPECT_TRUE(a.inputs == b.inputs);
  EXPECT_TRUE(a.bits == b.bits);
  EXPECT_TRUE(a.wide == b.wide);
}

TEST(PostWitness, OfSealedSectorsEqualsTheSequentialOne) {
  ThreadPool pool(3);
  for (const std::string& name : case_names()) {
    SCOPED_TRACE(name);
    const PostCase post(name);
    for (std::size_t k = 0; k < post.partitions(); ++k) {
      const Partition partition = post.read(k).value();
      const auto witness = build_witness(pool, partition);
      ASSERT_TRUE(witness) << witness.error().message;
      expect_same(*witness, in_sequence(partition));
    }
  }
}

TEST(PostWitness, OfManySectorsEqualsTheSequentialOneAndSatisfies) {
  ThreadPool pool(3);
  PostParams params = *find_post(Kind::window, 32768);
  params.sector_count = 7;
  const PostConfig config{&params, ApiVersion::v1_2_0, nullptr};
  const std::vector<std::uint64_t> ids{1, 2, 30, 41, 52};
  const auto partition = fabricate_partition(pool, config, reference_randomness(), 0, ids).value();
  const auto witness = build_witness(pool, partition);
  ASSERT_TRUE(witness);
  expect_same(*witness, in_sequence(partition));
  ShapeRecorder recorder;
  synthesize(recorder, PartitionInput::blank(params));
  const Shape shape = std::move(recorder).finish();
  ASSERT_TRUE(shape.validate(*witness));
  EXPECT_EQ(shape.first_unsatisfied(pool, *witness), shape.num_constraints());
  EXPECT_EQ(public_inputs(partition.statement()).value(),
            std::vector<Fr>(witness->inputs.begin() + 1, witness->inputs.end()));
}

TEST(PostWitness, StopsAndRefuses) {
  ThreadPool pool(2);
  Partition partition = PostCase("window-2k-two").read(0).value();
  std::stop_source stop;
  EXPECT_TRUE(build_witness(pool, partition, stop.get_token()));
  stop.request_stop();
  EXPECT_EQ(build_witness(pool, partition, stop.get_token()).error().code, ErrorCode::kStopped);
  partition.sectors[1].inclusion[4].leaf.fill(0xff);
  const auto refused = build_witness(pool, partition);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "vanilla_proofs[1]: inclusion_proofs[4]: leaf: not a canonical scalar (r or more)");
}

TEST(PostWitness, FalseProofsDoNotSatisfyAndTheCheckerNamesThePlace) {
  Partition partition = PostCase("window-2k-two").read(0).value();
  const auto failure_path = [&] {
    Checker checker;
    synthesize(checker, partition_input(partition).value());
    return checker.failure() ? checker.failure()->path : "";
  };
  EXPECT_EQ(failure_path(), "");
  partition.sectors[1].inclusion[3].siblings[8][0] ^= 1;
  EXPECT_EQ(failure_path(), "outer namespace/sector_1/challenge_inclusion_3");
  partition.sectors[0].comm_c[0] ^= 1;
  EXPECT_EQ(failure_path(), "outer namespace/sector_0");
}

}  // namespace
}  // namespace cuzk::post
