#include <gmock/gmock.h>

#include "cuzk/filecoin/update/circuit_fixture.h"
#include "cuzk/r1cs/block_auditor.h"

namespace cuzk::update {
namespace {

TEST_P(UpdateShape, MatchesTheReference) {
  check();
}
INSTANTIATE_TEST_SUITE_P(UpToSixteenMebibytes, UpdateShape,
                         testing::ValuesIn(shape_rows_between(0, 50'000'000)), shape_name);

/// The smallest circuit of the table has every block of the real ones.
TEST(UpdateBlocks, KeepTheirPromises) {
  const SectorParams sector = sector_of(shape_rows_between(0, SIZE_MAX)[0]);
  BlockAuditor cs;
  synthesize(cs, PartitionInput::blank(sector));
  EXPECT_GT(cs.blocks(), cs.templates().size());
  EXPECT_THAT(cs.faults(), testing::IsEmpty());
}

}  // namespace
}  // namespace cuzk::update
