#include <chrono>
#include <cstdio>
#include <numeric>
#include <utility>

#include "cuzk/filecoin/peak_memory_fixture.h"
#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/filecoin/post/post_fixture.h"
#include "cuzk/filecoin/post/witness.h"

namespace cuzk::post {
namespace {

TEST_P(BlankPost, MatchesTheReferenceInTwoGibibytes) {
  check();
  expect_small_peak();
}
INSTANTIATE_TEST_SUITE_P(Production, BlankPost, testing::ValuesIn(blank_circuits(50'000'000, SIZE_MAX)),
                         [](const auto& c) { return identifier(c.param.name); });

/// A full partition with a sector missing at the end, 125 M constraints: prints what its witness takes.
TEST(ProductionWitness, Window32Gib) {
  ThreadPool pool;
  const PostConfig config = post_config(*find_post_proof(13));
  std::vector<std::uint64_t> ids(config.params->sector_count - 1);
  std::iota(ids.begin(), ids.end(), 1);
  auto seconds = [start = std::chrono::steady_clock::now()]() mutable {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start, now)).count();
  };
  const auto partition = fabricate_partition(pool, config, reference_randomness(), 0, ids);
  ASSERT_TRUE(partition);
  std::printf("fabricate %.2f s\n", seconds());
  ASSERT_TRUE(verify_vanilla(pool, *partition));
  std::printf("verify %.2f s, peak %ld MiB\n", seconds(), peak_kib() >> 10);
  const auto witness = build_witness(pool, *partition);
  ASSERT_TRUE(witness);
  std::printf("witness %.2f s, peak %ld MiB\n", seconds(), peak_kib() >> 10);
  EXPECT_EQ(witness->inputs.size(), 25'840U);
  EXPECT_EQ(public_inputs(partition->statement()).value(),
            std::vector<Fr>(witness->inputs.begin() + 1, witness->inputs.end()));
}

}  // namespace
}  // namespace cuzk::post
