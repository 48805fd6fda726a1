#include <sys/resource.h>

#include <cstdio>

#include "cuzk/filecoin/update/circuit_fixture.h"
#include "cuzk/filecoin/update/fabricated_circuit_fixture.h"

namespace cuzk::update {
namespace {

/// The streaming systems promise to stay below 2 GiB with 85 M constraints.
void expect_small_peak() {
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 2L << 20) << "KiB resident at the peak";
  std::printf("peak resident memory %ld MiB\n", usage.ru_maxrss >> 10);
}

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
