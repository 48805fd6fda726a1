#include <sys/resource.h>

#include "cuzk/filecoin/porep/circuit_fixture.h"

namespace cuzk::porep {
namespace {

// 130 M constraints each, streamed.
TEST_P(PorepShape, MatchesTheReferenceInTwoGibibytes) {
  check();
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  EXPECT_LT(usage.ru_maxrss, 2L << 20) << "KiB resident at the peak";
  RecordProperty("peak_rss_kib", std::to_string(usage.ru_maxrss));
}
INSTANTIATE_TEST_SUITE_P(Production, PorepShape, testing::ValuesIn(shape_rows_between(100'000'000, SIZE_MAX)),
                         shape_name);

}  // namespace
}  // namespace cuzk::porep
