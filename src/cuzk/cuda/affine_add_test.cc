// The kernel of batched point additions, run block by block on the host.
#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/bit_picks.h"
#include "cuzk/cuda/internal/host_grid.h"

namespace cuzk::cuda {
namespace {

template <class F>
std::vector<Affine<F>> some_points(const Affine<F>& generator, std::size_t count) {
  std::vector<Affine<F>> points;
  Jacobian<F> p = Jacobian<F>::from_affine(generator);
  for (; points.size() < count; p = p.dbl() + generator) points.push_back(p.to_affine());
  return points;
}

/// Operands for every kind of sum, each between ordinary ones, at ends and in the middle of batches.
template <class F>
std::vector<Affine<F>> operands(const Affine<F>& generator, std::size_t pairs, std::uint64_t seed) {
  const auto pool = some_points(generator, 20);
  TestRandom random(seed);
  std::vector<Affine<F>> v;
  for (std::size_t i = 0; i < pairs; ++i) {
    const auto& p = pool[random.next() % pool.size()];
    const auto& q = pool[random.next() % pool.size()];
    switch (random.next() % 8) {
      case 0:
        v.insert(v.end(), {p, p});
        break;
      case 1:
        v.insert(v.end(), {p, -p});
        break;
      case 2:
        v.insert(v.end(), {p, Affine<F>::infinity()});
        break;
      case 3:
        v.insert(v.end(), {Affine<F>::infinity(), q});
        break;
      case 4:
        v.insert(v.end(), {Affine<F>::infinity(), Affine<F>::infinity()});
        break;
      default:
        v.insert(v.end(), {p, q});
    }
  }
  return v;
}

template <class F32, class F>
void expect_sums(const std::vector<Affine<F>>& points, unsigned blocks, unsigned threads,
                 std::uint32_t steps) {
  const auto in = narrow_points<F32>(points);
  std::vector<Affine<F32>> out(in.size() / 2);
  host_affine_add<F32>(PointPairs<F32>::neighbours(in.data(), out.data()),
                       static_cast<std::uint32_t>(out.size()), blocks, threads, steps);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Affine<F> expected = (Jacobian<F>::from_affine(points[2 * i]) + points[2 * i + 1]).to_affine();
    EXPECT_TRUE((Affine<F>{out[i].x.wide(), out[i].y.wide()} == expected)) << i << " of " << out.size();
  }
}

TEST(AffineAdd, EverySumIsRight) {
  for (const std::size_t pairs : {1U, 2U, 7U, 24U, 25U, 97U, 200U}) {
    expect_sums<Fp32>(operands(g1_generator(), pairs, pairs), 3, 8, 4);
    expect_sums<Fp32>(operands(g1_generator(), pairs, pairs), 1, 1, 3);
  }
  expect_sums<Fp2x32>(operands(g2_generator(), 60, 5), 2, 4, 4);
}

// Blocks of whole warps, whose products lie in rows of 32.
TEST(AffineAdd, BlocksOfWarps) {
  for (const std::size_t pairs : {31U, 33U, 200U, 600U})
    expect_sums<Fp32>(operands(g1_generator(), pairs, pairs), 2, 64, 4);
  expect_sums<Fp2x32>(operands(g2_generator(), 150, 8), 2, 32, 4);
}

// (0, 2) is on the curve, but not in the subgroup: x = 0 alone is not infinity.
TEST(AffineAdd, PointsWithXZero) {
  const Fp two = Fp::from_u64(2);
  const G1Affine p{Fp::zero(), two};
  std::vector<G1Affine> points{p, p, p, -p, p, g1_generator(), g1_generator(), p, p, G1Affine::infinity()};
  expect_sums<Fp32>(points, 2, 2, 2);
}

TEST(AffineAdd, HalvesOfGroupsInPlace) {
  const auto points = some_points(g1_generator(), 48);
  auto data = narrow_points<Fp32>(points);
  // Three groups of 16 points: 8 sums each, in place.
  host_affine_add<Fp32>(PointPairs<Fp32>::halves(data.data(), data.data(), 3, 16, 16), 24);
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t j = 0; j < 8; ++j) {
      const auto& sum = data[16 * g + j];
      const auto expected =
          (G1Jacobian::from_affine(points[16 * g + j]) + points[16 * g + j + 8]).to_affine();
      EXPECT_TRUE((G1Affine{sum.x.wide(), sum.y.wide()} == expected));
    }
}

/// A sum over a bitmap with sums of pairs, as the device makes both.
template <class F32, class F>
void expect_bit_sum(const std::vector<Affine<F>>& bases, std::uint64_t paired, std::uint64_t seed) {
  auto points = narrow_points<F32>(bases);
  points.resize(bases.size() + paired / 2);
  host_affine_add<F32>(PointPairs<F32>::neighbours(points.data(), points.data() + bases.size()),
                       static_cast<std::uint32_t>(paired / 2));
  TestRandom random(seed);
  std::vector<std::uint64_t> bits;
  std::vector<std::uint32_t> index;
  Jacobian<F> expected = Jacobian<F>::infinity();
  const BitPicks picks(static_cast<std::uint32_t>(paired), static_cast<std::uint32_t>(bases.size()));
  for (std::uint64_t i = 0; 64 * i < bases.size(); ++i) {
    bits.push_back(random.next());
    const std::uint64_t word = word_of(bits.data(), bases.size(), i);
    for (unsigned bit = 0; bit < 64; ++bit)
      if ((word >> bit & 1) != 0) expected += bases[64 * i + bit];
    picks.each(i, word, [&](std::uint32_t at) { index.push_back(at); });
  }
  ASSERT_GT(index.size(), 1U);
  std::vector<Affine<F32>> sums(index.size() / 2);
  host_affine_add<F32>(PointPairs<F32>::picked(points.data(), index.data(), sums.data()),
                       static_cast<std::uint32_t>(sums.size()));
  if (index.size() % 2 != 0) sums.push_back(points[index.back()]);
  Jacobian<F> got = Jacobian<F>::infinity();
  for (const Affine<F32>& p : sums) got += Affine<F>{p.x.wide(), p.y.wide()};
  EXPECT_TRUE(got == expected);
}

// Neighbours that are equal, opposite or infinity among them, and a last one without a partner.
TEST(AffineAdd, SumsOfPairsInPlaceOfBases) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    auto bases = operands(g1_generator(), 100, seed);
    expect_bit_sum<Fp32>(bases, bases.size(), seed);
    expect_bit_sum<Fp32>(bases, 128, seed);
    bases.push_back(g1_generator());
    expect_bit_sum<Fp32>(bases, bases.size(), seed);
  }
  expect_bit_sum<Fp2x32>(operands(g2_generator(), 40, 4), 80, 4);
}

}  // namespace
}  // namespace cuzk::cuda
