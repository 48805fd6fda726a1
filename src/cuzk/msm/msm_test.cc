#include "cuzk/msm/msm.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/msm/test_agreement.h"
#include "cuzk/msm/test_points.h"

namespace cuzk {
namespace {

template <class F>
class Msm : public testing::Test {};
using Fields = testing::Types<Fp, Fp2>;
TYPED_TEST_SUITE(Msm, Fields);

TYPED_TEST(Msm, EdgeScalarsAtEveryLength) {
  TestRandom random(1);
  for (const std::size_t n : {0UL, 1UL, 2UL, 3UL, 5UL, 17UL, 100UL})
    expect_all_agree(test_points<TypeParam>(n), test_scalars(n, random), "mixed scalars", {0, 1, 7});
}

TYPED_TEST(Msm, ProgressAfterEverySlice) {
  ThreadPool pool(2);
  TestRandom random(8);
  std::vector<std::size_t> seen;
  MsmOptions options;
  options.slice = 40;
  options.progress = [&](std::size_t done) { seen.push_back(done); };
  (void)msm(pool, std::span<const Affine<TypeParam>>(test_points<TypeParam>(100)),
            std::span<const Fr>(test_scalars(100, random)), options);
  EXPECT_EQ(seen, (std::vector<std::size_t>{34, 68, 100}));
}

TYPED_TEST(Msm, SlicesAddUp) {
  TestRandom random(6);
  const std::size_t n = 160;
  std::vector<Affine<TypeParam>> bases = test_points<TypeParam>(n);
  for (std::size_t i = 0; i < n; i += 7) bases[i] = bases[i % 50];
  for (std::size_t i = 3; i < n; i += 11) bases[i] = -bases[i % 50];
  const std::vector<Fr> mixed = test_scalars(n, random);
  std::vector<Fr> small(n);  // a few full buckets, which meet again in every slice
  for (auto& s : small) s = Fr::from_u64(random.next() % 5);
  for (const std::vector<Fr>& scalars : {mixed, small, std::vector<Fr>(n, -Fr::one())}) {
    const auto expected = msm_plain(std::span<const Affine<TypeParam>>(bases), std::span<const Fr>(scalars));
    for (const unsigned threads : {1U, 3U})
      for (const Isa isa : test_isas()) {
        ThreadPool pool(threads, isa);
        for (const std::size_t slice : {37UL, 80UL})
          for (const unsigned bits : {2U, 8U})
            EXPECT_EQ(msm(pool, std::span<const Affine<TypeParam>>(bases), std::span<const Fr>(scalars),
                          {bits, slice}),
                      expected)
                << isa_name(isa) << " " << slice << " " << bits;
      }
  }
}

TYPED_TEST(Msm, EqualScalars) {
  TestRandom random(3);
  const auto bases = test_points<TypeParam>(60);
  for (const Fr& s :
       {Fr::zero(), Fr::one(), -Fr::one(), Fr::from_u64(77), fr_from_words([&] { return random.next(); })})
    expect_all_agree(bases, std::vector<Fr>(bases.size(), s), "equal scalars");
}

TYPED_TEST(Msm, DuplicatedOppositeAndInfiniteBases) {
  TestRandom random(4);
  const auto points = test_points<TypeParam>(4);
  std::vector<Affine<TypeParam>> bases(100);
  for (auto& base : bases) {
    const std::uint64_t pick = random.next();
    base = points[pick % 4];
    if (pick / 4 % 2 != 0) base = -base;
    if (pick / 8 % 5 == 0) base = Affine<TypeParam>::infinity();
  }
  expect_all_agree(bases, test_scalars(bases.size(), random), "repeated bases", {0, 3, 8});
  // Few scalars, so that equal and opposite points meet in a bucket.
  std::vector<Fr> scalars(bases.size());
  for (auto& s : scalars) s = Fr::from_u64(random.next() % 3);
  expect_all_agree(bases, scalars, "repeated bases, small scalars", {0, 4});
  expect_all_agree(std::vector<Affine<TypeParam>>(100, points[0]), std::vector<Fr>(100, Fr::one()),
                   "one base");
  expect_all_agree(std::vector<Affine<TypeParam>>(100), std::vector<Fr>(100, -Fr::one()), "all infinity");
}

TEST(MsmWindow, GrowsWithTheNumberOfBases) {
  unsigned last = 1;
  for (unsigned log = 3; log < 28; ++log) {
    const unsigned bits = msm_window_bits(std::size_t{1} << log);
    EXPECT_GE(bits, last);
    EXPECT_LE(bits, 22U);
    last = bits;
  }
}

}  // namespace
}  // namespace cuzk
