#include "cuzk/filecoin/peak_memory_fixture.h"
#include "cuzk/filecoin/update/circuit_fixture.h"
#include "cuzk/filecoin/update/fabricated_circuit_fixture.h"

namespace cuzk::update {
namespace {

TEST_P(UpdateShape, MatchesTheReferenceInTwoGibibytes) {
  check();
  expect_small_peak();
}
INSTANTIATE_TEST_SUITE_P(Production, UpdateShape, testing::ValuesIn(shape_rows_between(50'000'000, SIZE_MAX)),
                         shape_name);

INSTANTIATE_TEST_SUITE_P(Production, FabricatedCircuit,
                         testing::Values(std::pair{std::uint64_t{32} << 30, "update 32 GiB k=0"}),
                         [](const auto&) { return "32GiB"; });

}  // namespace
}  // namespace cuzk::update
