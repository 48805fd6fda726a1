#include "cuzk/msm/bit_sum.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/msm/test_points.h"

namespace cuzk {
namespace {

template <class F>
void expect_sum(const std::vector<Affine<F>>& bases, const std::vector<std::uint64_t>& bits) {
  Jacobian<F> expected = Jacobian<F>::infinity();
  for (std::size_t i = 0; i < bases.size(); ++i)
    if ((bits[i / 64] >> (i % 64) & 1) != 0) expected += bases[i];
  for (const unsigned threads : {1U, 2U, 5U})
    for (const Isa isa : test_isas()) {
      ThreadPool pool(threads, isa);
      EXPECT_EQ(bit_sum(pool, std::span<const Affine<F>>(bases), std::span<const std::uint64_t>(bits)),
                expected)
          << bases.size() << " bases, " << isa_name(isa) << ", " << threads << " threads";
    }
}

template <class F>
class BitSum : public testing::Test {};
using Fields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(BitSum, Fields);

TYPED_TEST(BitSum, RandomBits) {
  TestRandom random(1);
  for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 63UL, 64UL, 65UL, 1000UL, 6000UL}) {
    std::vector<std::uint64_t> bits((n + 63) / 64);
    for (auto& word : bits) word = random.next();  // bits beyond the last base are set, too
    expect_sum(test_points<TypeParam>(n), bits);
  }
}

TYPED_TEST(BitSum, AllOrNone) {
  const auto bases = test_points<TypeParam>(200);
  expect_sum(bases, std::vector<std::uint64_t>(4, 0));
  expect_sum(bases, std::vector<std::uint64_t>(4, ~std::uint64_t{0}));
}

TYPED_TEST(BitSum, RepeatedOppositeAndInfiniteBases) {
  TestRandom random(2);
  const auto points = test_points<TypeParam>(3);
  std::vector<Affine<TypeParam>> bases(500);
  for (auto& base : bases) {
    const std::uint64_t pick = random.next();
    if (pick % 4 != 3) base = pick / 4 % 2 != 0 ? points[pick % 4] : -points[pick % 4];
  }
  std::vector<std::uint64_t> bits(8);
  for (auto& word : bits) word = random.next();
  expect_sum(bases, bits);
  expect_sum(std::vector<Affine<TypeParam>>(300, points[0]),
             std::vector<std::uint64_t>(5, ~std::uint64_t{0}));
}

}  // namespace
}  // namespace cuzk
