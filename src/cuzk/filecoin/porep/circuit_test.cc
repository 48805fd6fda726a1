#include "cuzk/filecoin/porep/circuit_fixture.h"

namespace cuzk::porep {
namespace {

TEST_P(PorepShape, HasTheReferencesCounts) {
  const PartitionInput blank = PartitionInput::blank(params_of(GetParam()));
  CountingSystem cs;
  synthesize(cs, blank);
  check_counts(cs.counts());
}
INSTANTIATE_TEST_SUITE_P(Toy, PorepShape, testing::ValuesIn(shape_rows_between(0, 1'300'000)), shape_name);

TEST(PorepShapes, SectorSizesHaveTheParametersOfTheTable) {
  std::size_t sizes = 0;
  for (const ShapeRow& row : shape_rows_between(0, SIZE_MAX)) {
    const SectorParams* sector = sector_of(row);
    if (sector == nullptr) continue;
    ++sizes;
    const CircuitParams want = params_of(row);
    const CircuitParams have = CircuitParams::of(*sector);
    EXPECT_EQ(have.layers, want.layers);
    EXPECT_EQ(have.challenges, want.challenges);
    EXPECT_EQ(have.tree_d_levels, want.tree_d_levels);
    EXPECT_EQ(have.tree, want.tree);
  }
  EXPECT_EQ(sizes, sector_table().size());
}

TEST(PorepWitness, IsThatOfItsPieces) {
  for (const unsigned layers : {2U, 11U}) {
    PartitionInput input = PartitionInput::blank(CircuitParams{layers, 1, 2, sector_table()[0].tree});
    std::uint64_t next = 0x9e3779b97f4a7c15;
    const auto value = [&next] { return Fr::from_u64(next *= 0xd1342543de82ef95); };
    input.replica_id = value();
    ChallengeInput& challenge = input.challenges[0];
    challenge.data_leaf = value();
    challenge.node = 0x123456789;
    for (ColumnInput& parent : challenge.drg_parents)
      for (Fr& row : parent.rows) row = value() * value();
    for (ColumnInput& parent : challenge.expander_parents)
      for (Fr& row : parent.rows) row = value() * value();

    WitnessBuilder whole;
    synthesize(whole, input);
    const std::size_t bits = whole.num_bits();
    const Witness want = std::move(whole).finish();

    WitnessBuilder first;
    const detail::PartitionVariables head = synthesize_head(first, input);
    const std::size_t bits_of_head = first.num_bits();
    Witness have = std::move(first).finish();
    Bitmap joined(std::move(have.bits), bits_of_head);
    for (std::size_t piece = 0; piece < kChallengePieces; ++piece) {
      WitnessBuilder cs;
      synthesize_piece(cs, head, input, 0, piece);
      const std::size_t count = cs.num_bits();
      const Witness made = std::move(cs).finish();
      joined.append(made.bits, 0, count);
      have.inputs.insert(have.inputs.end(), made.inputs.begin() + 1, made.inputs.end());
      have.wide.insert(have.wide.end(), made.wide.begin(), made.wide.end());
    }
    EXPECT_EQ(joined.size(), bits);
    EXPECT_EQ(joined.take(), want.bits);
    EXPECT_EQ(have.inputs, want.inputs);
    EXPECT_EQ(have.wide, want.wide);
  }
}

}  // namespace
}  // namespace cuzk::porep
