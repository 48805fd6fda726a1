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

}  // namespace
}  // namespace cuzk::porep
