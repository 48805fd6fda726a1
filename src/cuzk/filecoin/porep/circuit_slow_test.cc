#include "cuzk/filecoin/porep/circuit_fixture.h"

namespace cuzk::porep {
namespace {

TEST_P(PorepShape, MatchesTheReference) {
  check();
}
INSTANTIATE_TEST_SUITE_P(UpToOneGibibyte, PorepShape, testing::ValuesIn(shape_rows_between(0, 100'000'000)),
                         shape_name);

}  // namespace
}  // namespace cuzk::porep
