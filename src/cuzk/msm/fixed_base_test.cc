#include "cuzk/msm/fixed_base.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/msm/test_points.h"

namespace cuzk {
namespace {

template <class F>
class FixedBaseTest : public testing::Test {};
using Fields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(FixedBaseTest, Fields);

TYPED_TEST(FixedBaseTest, EqualsScalarMultiplication) {
  using Point = Affine<TypeParam>;
  TestRandom random(1);
  const Point base = test_points<TypeParam>(1, 12345)[0];
  for (const std::size_t n : {0UL, 1UL, 2UL, 40UL}) {
    std::vector<Fr> scalars = test_scalars(n, random);
    std::vector<Point> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = mul(base, scalars[i]).to_affine();
    for (const unsigned threads : {1U, 3U}) {
      for (const Isa isa : test_isas())
        for (const std::size_t expected_count : {0UL, 500UL}) {
          ThreadPool pool(threads, isa);
          const FixedBase<Point> fixed(pool, base, expected_count);
          std::vector<Point> out(n);
          fixed.multiply(pool, scalars, out);
          EXPECT_EQ(out, expected) << isa_name(isa) << " " << expected_count;
        }
    }
  }
}

TYPED_TEST(FixedBaseTest, SeveralBlocks) {
  using Point = Affine<TypeParam>;
  const std::size_t n = 5000;
  // Consecutive scalars around zero: each result is the one before plus the base.
  std::vector<Fr> scalars(n);
  for (std::size_t i = 0; i < n; ++i) scalars[i] = Fr::from_u64(i) - Fr::from_u64(n / 2);
  for (const Isa isa : test_isas()) {
    ThreadPool pool(2, isa);
    const FixedBase<Point> fixed(pool, generator<TypeParam>(), n);
    std::vector<Point> out(n);
    fixed.multiply(pool, scalars, out);
    EXPECT_TRUE(out[n / 2].is_infinity());
    Jacobian<TypeParam> running = mul(generator<TypeParam>(), scalars[0]);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(running, out[i]) << i;
      running += generator<TypeParam>();
    }
  }
}

TYPED_TEST(FixedBaseTest, BaseInfinity) {
  using Point = Affine<TypeParam>;
  ThreadPool pool(1);
  const FixedBase<Point> fixed(pool, Point::infinity(), 10);
  const std::vector<Fr> scalars(10, Fr::from_u64(5));
  std::vector<Point> out(10, generator<TypeParam>());
  fixed.multiply(pool, scalars, out);
  for (const Point& p : out) EXPECT_TRUE(p.is_infinity());
}

}  // namespace
}  // namespace cuzk
