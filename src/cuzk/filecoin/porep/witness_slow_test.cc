#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/checkpoint_fixture.h"
#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/r1cs/checker.h"
#include "cuzk/r1cs/digest.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::porep {
namespace {

struct Case {
  std::string name;  // path under tests/data without extension
  bool bincode = false;

  friend void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
};

nlohmann::json side_of(const Case& c) {
  std::ifstream in(CUZK_TEST_DATA "/" + c.name + ".json");
  return nlohmann::json::parse(in);
}

C1Output c1_of(const Case& c) {
  auto document = read_c1_file(CUZK_TEST_DATA "/" + c.name + (c.bincode ? ".c1.bincode.gz" : ".c1.json.gz"));
  CUZK_CHECK(document.has_value());
  return std::move(document->output);
}

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

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string out = info.param.name;
  for (char& ch : out)
    if (std::isalnum(static_cast<unsigned char>(ch)) == 0) ch = '_';
  return out;
}

/// Sectors that the reference sealed, or fabricated and accepted, of one size: they share the recorded shape,
/// which costs more than anything else here.
struct SizeCases {
  const char* size;
  std::vector<Case> cases;

  friend void PrintTo(const SizeCases& s, std::ostream* out) { *out << s.size; }
};

class SealedSectors : public testing::TestWithParam<SizeCases> {
 protected:
  void check(const Case& sector) {
    const auto side = side_of(sector);
    const C1Output c1 = c1_of(sector);
    if (!shape_) {
      shape_ = record(*c1.config.sector);
      r1cs_sha256_ = r1cs_sha256(*shape_);
    }
    std::size_t compared = 0;
    for (const auto& partition : side.at("partitions")) {
      if (!partition.contains("circuit")) continue;
      const auto& circuit = partition.at("circuit");
      const unsigned k = partition.at("k");
      const auto input = partition_input(c1, k);
      ASSERT_TRUE(input) << input.error().message;
      const Witness witness = build(*shape_, *input);
      ASSERT_TRUE(shape_->validate(witness));
      EXPECT_EQ(to_hex(witness_sha256(*shape_, witness)), circuit.at("witness_sha256"));
      EXPECT_EQ(to_hex(r1cs_sha256_), circuit.at("r1cs_sha256"));
      EXPECT_EQ(shape_->num_terms(), circuit.at("terms"));
      EXPECT_EQ(shape_->a_aux_count(), circuit.at("a_aux_density"));
      EXPECT_EQ(shape_->b_input_count(), circuit.at("b_input_density"));
      EXPECT_EQ(shape_->b_aux_count(), circuit.at("b_aux_density"));
      EXPECT_EQ(shape_->first_unsatisfied(pool_, witness), shape_->num_constraints());
      const auto inputs = std::span<const Fr>(witness.inputs).subspan(1);
      EXPECT_EQ(circuit.at("public_inputs"), nlohmann::json(hex_of(inputs)));
      const auto expected = public_inputs(c1.config, Graph(c1.config), c1.statement(), k);
      ASSERT_TRUE(expected);
      EXPECT_TRUE(std::equal(inputs.begin(), inputs.end(), expected->begin(), expected->end()));
      ++compared;
    }
    EXPECT_EQ(compared, 1U);
  }

 private:
  ThreadPool pool_{2};
  std::optional<Shape> shape_;
  Bytes32 r1cs_sha256_{};
};

TEST_P(SealedSectors, WitnessesAreTheReferences) {
  for (const Case& sector : GetParam().cases) {
    SCOPED_TRACE(sector.name);
    check(sector);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SealedSectors,
                         testing::Values(SizeCases{"2KiB",
                                                   {{"porep/2k-v1"},
                                                    {"porep/2k-v1_1"},
                                                    {"porep/2k-v1_1-filler"},
                                                    {"porep/2k-v1_1-zero"},
                                                    {"porep/2k-v1_2-synthetic"},
                                                    {"porep/2k-v1_2-noninteractive"},
                                                    {"synth/2k"},
                                                    {"synth/2k-v1"}}},
                                         SizeCases{"4KiB", {{"porep/4k", true}}},
                                         SizeCases{"16KiB", {{"porep/16k", true}}},
                                         SizeCases{"32KiB", {{"porep/32k", true}}},
                                         SizeCases{"8MiB", {{"porep/8m-v1_1"}, {"synth/8m"}}},
                                         SizeCases{"512MiB", {{"synth/512m"}}}),
                         [](const auto& sizes) { return sizes.param.size; });

class CheckpointedSector : public testing::TestWithParam<Case> {};

TEST_P(CheckpointedSector, EveryCheckpointIsTheReferences) {
  const C1Output c1 = c1_of(GetParam());
  const auto input = partition_input(c1, 0);
  ASSERT_TRUE(input) << input.error().message;
  DigestSystem::Options options;
  options.checkpoint_depth = 3;
  std::vector<Checkpoint> have;
  const CircuitDigest digest = digest_circuit([&](auto& cs) { synthesize(cs, *input); }, options, &have);
  EXPECT_EQ(to_hex(digest.witness_sha256),
            side_of(GetParam()).at("partitions")[0].at("circuit").at("witness_sha256"));

  expect_checkpoints(have, GetParam().name + ".k0");
}

INSTANTIATE_TEST_SUITE_P(All, CheckpointedSector,
                         testing::Values(Case{"porep/2k-v1_1"}, Case{"porep/8m-v1_1"}, Case{"porep/4k", true},
                                         Case{"porep/16k", true}, Case{"porep/32k", true}),
                         case_name);

/// Which fields of a vanilla proof the circuit reads (porep 5.3).
class FieldUse : public testing::Test {
 protected:
  const Case case_{"porep/2k-v1_1"};
  const C1Output c1_ = c1_of(case_);

  static Witness witness(const Shape& shape, const C1Output& c1) {
    const auto input = partition_input(c1, 0);
    CUZK_CHECK(input.has_value());
    return build(shape, *input);
  }
};

TEST_F(FieldUse, UsedFieldsBreakSatisfactionOrInputsAndUnusedOnesDoNotMatter) {
  const Shape shape = record(*c1_.config.sector);
  const Witness good = witness(shape, c1_);
  const Bytes32 want = witness_sha256(shape, good);
  C1Output changed = c1_;
  for (std::size_t i = 0; i < 2; ++i) {
    MutableChallengeProof p = changed.vanilla.challenge(0, i);
    p.tree_d().root[0] ^= 1;
    p.tree_r().leaf[0] ^= 1;
    p.own_column().inclusion.leaf[0] ^= 1;
    for (auto& row : p.own_column().rows) row[0] ^= 1;
    p.own_column().index ^= 1;
    for (std::size_t k = 0; k < kParents; ++k) {
      const auto column = p.column(1 + k);
      column.inclusion.leaf[0] ^= 1;
      column.inclusion.root[0] ^= 1;
      column.index ^= 1;
    }
    for (std::size_t layer = 0; layer < 2; ++layer) {
      p.labeling(layer).parents[5][0] ^= 1;
      p.labeling(layer).layer_index ^= 1;
    }
    p.labeling(1).node ^= 1;
    p.encoding().parents[0][0] ^= 1;
    p.encoding().node ^= 1;
  }
  changed.ticket[0] ^= 1;
  changed.seed[0] ^= 1;
  EXPECT_EQ(witness_sha256(shape, witness(shape, changed)), want);

  ThreadPool pool(2);
  const auto changes_something = [&](const char* what, auto&& change) {
    C1Output c1 = c1_;
    change(c1.vanilla.challenge(0, 1));
    const Witness w = witness(shape, c1);
    EXPECT_TRUE(w.inputs != good.inputs || shape.first_unsatisfied(pool, w) != shape.num_constraints())
        << what;
  };
  changes_something("data leaf", [](auto p) { p.tree_d().leaf[0] ^= 1; });
  changes_something("tree D sibling", [](auto p) { p.tree_d().siblings[3][0] ^= 1; });
  changes_something("tree D index", [](auto p) { p.tree_d().indices[3] ^= 1; });
  changes_something("tree R sibling", [](auto p) { p.tree_r().siblings[9][0] ^= 1; });
  changes_something("tree R index", [](auto p) { p.tree_r().indices[1] ^= 1; });
  changes_something("own column's sibling", [](auto p) { p.own_column().inclusion.siblings[0][0] ^= 1; });
  changes_something("own column's index", [](auto p) { p.own_column().inclusion.indices[0] ^= 1; });
  changes_something("challenge", [](auto p) { p.labeling(0).node ^= 1; });
  for (const std::size_t parent : {0U, 5U, 6U, 13U}) {
    changes_something("parent's row 1", [&](auto p) { p.column(1 + parent).rows[0][0] ^= 1; });
    changes_something("parent's row 2", [&](auto p) { p.column(1 + parent).rows[1][0] ^= 1; });
    changes_something("parent's sibling",
                      [&](auto p) { p.column(1 + parent).inclusion.siblings[2][0] ^= 1; });
    changes_something("parent's index", [&](auto p) { p.column(1 + parent).inclusion.indices[0] ^= 1; });
  }
}

TEST_F(FieldUse, RootsMustAgree) {
  C1Output changed = c1_;
  changed.vanilla.challenge(0, 1).tree_r().root[0] ^= 1;
  EXPECT_NE(partition_input(changed, 0).error().message.find("comm_r_last_proof"), std::string::npos);
  changed = c1_;
  changed.vanilla.challenge(0, 1).own_column().inclusion.root[0] ^= 1;
  EXPECT_NE(partition_input(changed, 0).error().message.find("c_x"), std::string::npos);
  EXPECT_FALSE(partition_input(c1_, 1));
  changed = c1_;
  changed.vanilla.challenge(0, 1).tree_d().leaf.fill(0xff);
  EXPECT_NE(partition_input(changed, 0).error().message.find("challenge proof 1: comm_d_proofs"),
            std::string::npos);
}

TEST_F(FieldUse, TheCheckerNamesTheGadget) {
  C1Output changed = c1_;
  changed.vanilla.challenge(0, 1).column(1 + 6).inclusion.siblings[2][0] ^= 1;
  const auto input = partition_input(changed, 0);
  ASSERT_TRUE(input);
  Checker checker;
  synthesize(checker, *input);
  ASSERT_TRUE(checker.failure().has_value());
  EXPECT_EQ(checker.failure()->path, "challenge_1/exp_parent_0_inclusion");
}

}  // namespace
}  // namespace cuzk::porep
