#include "cuzk/filecoin/post/post_fixture.h"

namespace cuzk::post {
namespace {

TEST_P(BlankPost, IsTheReferences) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Large, BlankPost, testing::ValuesIn(blank_circuits(120'000, 50'000'000)),
                         [](const auto& c) { return identifier(c.param.name); });

TEST_P(PostTable, IsTheReferences) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Large, PostTable, testing::ValuesIn(post_rows(120'000, SIZE_MAX)),
                         [](const auto& row) { return row.param.at("name"); });

TEST_P(SyntheticPost, CircuitIsTheReferences) {
  check();
}
INSTANTIATE_TEST_SUITE_P(Large, SyntheticPost, testing::ValuesIn(synthetic_circuits(120'000, SIZE_MAX)),
                         [](const auto& c) { return identifier(c.param.want.at("name")); });

}  // namespace
}  // namespace cuzk::post
