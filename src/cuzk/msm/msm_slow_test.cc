#include <gtest/gtest.h>

#include <vector>

#include "cuzk/msm/msm.h"
#include "cuzk/msm/test_agreement.h"
#include "cuzk/msm/test_points.h"

namespace cuzk {
namespace {

template <class F>
class Msm : public testing::Test {};
using Fields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(Msm, Fields);

TYPED_TEST(Msm, AThousandBases) {
  TestRandom random(2);
  expect_all_agree(test_points<TypeParam>(1000), test_scalars(1000, random), "mixed scalars", {0, 10},
                   {1, 3});
}

// Bases are known multiples of the generator, so the result is one multiplication.
template <class F>
void expect_large(std::size_t n, bool small_scalars, unsigned threads) {
  TestRandom random(5);
  const auto bases = test_points<F>(n, 1000);
  std::vector<Fr> scalars(n);
  Fr sum = Fr::zero();
  for (std::size_t i = 0; i < n; ++i) {
    scalars[i] =
        small_scalars ? Fr::from_u64(random.next() % 4) : fr_from_words([&] { return random.next(); });
    sum += scalars[i] * Fr::from_u64(1000 + i);
  }
  const Jacobian<F> expected = mul(generator<F>(), sum);
  for (const Isa isa : test_isas()) {
    ThreadPool pool(threads, isa);
    EXPECT_EQ(msm(pool, std::span<const Affine<F>>(bases), std::span<const Fr>(scalars)), expected)
        << n << " " << isa_name(isa);
  }
}

TEST(MsmLarge, BucketsThatSpanSeveralBatches) {
  expect_large<Fp>(20000, true, 3);
  expect_large<Fp2>(9000, true, 2);
}

TEST(MsmLarge, RandomScalars) {
  expect_large<Fp>(10000, false, 3);
  expect_large<Fp2>(3000, false, 2);
}

}  // namespace
}  // namespace cuzk
