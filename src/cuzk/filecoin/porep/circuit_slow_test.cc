#include <gmock/gmock.h>

#include "cuzk/filecoin/porep/circuit_fixture.h"
#include "cuzk/r1cs/block_auditor.h"

namespace cuzk::porep {
namespace {

TEST_P(PorepShape, MatchesTheReference) {
  check();
}
INSTANTIATE_TEST_SUITE_P(UpToOneGibibyte, PorepShape, testing::ValuesIn(shape_rows_between(0, 100'000'000)),
                         shape_name);

/// The smallest circuit of the table has every block of the real ones.
TEST(PorepBlocks, KeepTheirPromises) {
  const std::vector<ShapeRow> rows = shape_rows_between(0, 1'200'000);
  ASSERT_EQ(rows.size(), 1U);
  BlockAuditor cs;
  synthesize(cs, PartitionInput::blank(params_of(rows[0])));
  EXPECT_GT(cs.blocks(), cs.templates().size());
  EXPECT_THAT(cs.faults(), testing::IsEmpty());
}

}  // namespace
}  // namespace cuzk::porep
