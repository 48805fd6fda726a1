#include "cuzk/gadgets/gadget_counts.h"

namespace cuzk {
namespace {

TEST_P(GadgetFixture, MatchesTheReference) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Large, GadgetFixture, testing::ValuesIn(gadget_fixtures(true)), fixture_name);

TEST_P(GadgetCount, IsWhatTheReferenceAsserts) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Large, GadgetCount, testing::ValuesIn(gadget_counts(true)), count_name);

}  // namespace
}  // namespace cuzk
