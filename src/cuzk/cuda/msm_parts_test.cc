// The parts of the device's multi-scalar multiplication: digits, bucket levels and their pairs, put together
// on the host as the launches put them together, against msm_plain.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/bucket_tree.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/host_grid.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/msm/msm.h"

namespace cuzk::cuda {
namespace {

std::vector<Fr> edge_scalars(std::size_t random_count) {
  const Fr half = Fr::from_u64(2).inverse();
  std::vector<Fr> v{Fr::zero(), Fr::one(), -Fr::one(), half, half - Fr::one(), half + Fr::one()};
  for (unsigned shift = 1; shift < 255; shift += 7) {
    const Fr power = Fr::from_u64(2).pow(shift);
    v.insert(v.end(), {power, power - Fr::one(), -power});
  }
  TestRandom random(3);
  for (std::size_t i = 0; i < random_count; ++i) v.push_back(fr_from_words([&] { return random.next(); }));
  return v;
}

TEST(MsmParts, DigitsAddUpToTheScalar) {
  for (unsigned bits = 2; bits <= 24; ++bits) {
    const DigitWindows windows(bits);
    for (const Fr& k : edge_scalars(30)) {
      const BiasedScalar b = biased(windows, Fr32::from(k));
      Fr sum = Fr::zero();
      for (unsigned w = windows.count; w-- > 0;) {
        sum = sum * Fr::from_u64(2).pow(bits);
        const std::uint32_t code = digit_code(windows, b, w);
        ASSERT_LE(code >> 1, windows.buckets());
        const Fr digit = Fr::from_u64(code >> 1);
        sum += (code & 1) != 0 ? -digit : digit;
      }
      EXPECT_TRUE(sum == k) << bits << " bits";
    }
  }
}

/// One window through sorting, levels and additions: out[m - 1] is the sum of bucket m.
std::vector<G1Affine32> bucket_sums(const std::vector<G1Affine32>& bases, const DigitWindows& windows,
                                    unsigned w, const std::vector<Fr>& scalars) {
  const std::size_t n = bases.size();
  std::vector<std::uint32_t> codes(n);
  for (std::size_t i = 0; i < n; ++i)
    codes[i] = digit_code(windows, biased(windows, Fr32::from(scalars[i])), w);
  std::vector<std::uint32_t> index(n);
  std::iota(index.begin(), index.end(), 0U);
  std::stable_sort(index.begin(), index.end(), [&](auto a, auto b) { return codes[a] >> 1 < codes[b] >> 1; });
  std::vector<std::uint32_t> sorted;
  for (const std::uint32_t i : index) sorted.push_back(codes[i]);

  const std::uint32_t count = windows.buckets() + 1;
  std::vector<std::uint32_t> start(count + 1);
  std::vector<std::uint32_t> size(count);
  for (std::uint32_t b = 0; b <= count; ++b)
    start[b] = first_of_key(sorted.data(), static_cast<std::uint32_t>(n), b);
  for (std::uint32_t b = 1; b < count; ++b) size[b] = start[b + 1] - start[b];
  const BucketLevel level{start.data(), size.data(), count};

  std::vector<G1Affine32> points;  // of the level
  for (std::size_t i = 0; i < n; ++i)
    points.push_back((sorted[i] & 1) != 0 ? -bases[index[i]] : bases[index[i]]);
  for (std::uint32_t distance = 0; *std::max_element(size.begin(), size.end()) > 1;
       distance = distance == 0 ? 1 : 2 * distance) {
    std::vector<std::uint64_t> sums(count + 1);
    for (std::uint32_t b = 0; b < count; ++b) sums[b + 1] = sums[b] + packed_size(size[b]);
    std::vector<ListedPair> list(static_cast<std::uint32_t>(sums[count]));
    for (std::uint32_t i = 0; i < list.size(); ++i)
      list[i] = pair_in(level, sums.data(), i, bucket_of_pair(sums.data(), i, 0, count), distance);
    const auto pairs = static_cast<std::uint32_t>(list.size());
    if (distance == 0) {
      std::vector<G1Affine32> next(sums[count] >> 32);
      for (std::uint32_t b = 0; b < count; ++b)
        if (size[b] % 2 != 0) next[(sums[b] >> 32) + size[b] / 2] = points[start[b] + size[b] - 1];
      host_affine_add<Fp32>(
          PointPairs<Fp32>::listed_bases(list.data(), sorted.data(), index.data(), bases.data(), next.data()),
          pairs);
      points = std::move(next);
      for (std::uint32_t b = 0; b < count; ++b) start[b] = static_cast<std::uint32_t>(sums[b] >> 32);
    } else {
      host_affine_add<Fp32>(PointPairs<Fp32>::listed(list.data(), points.data(), distance), pairs);
    }
    for (std::uint32_t b = 0; b < count; ++b) size[b] = (size[b] + 1) / 2;
  }
  std::vector<G1Affine32> out(windows.buckets(), G1Affine32::infinity());
  for (std::uint32_t b = 1; b < count; ++b)
    if (size[b] != 0) out[b - 1] = points[start[b]];
  return out;
}

void expect_msm(const std::vector<G1Affine>& bases, const std::vector<Fr>& scalars, unsigned bits) {
  const DigitWindows windows(bits);
  const auto narrow = narrow_points<Fp32>(bases);
  G1WindowSums sums;
  sums.window_bits = bits;
  for (unsigned w = 0; w < windows.count; ++w) {
    const auto buckets = bucket_sums(narrow, windows, w, scalars);
    G1Xyzz running = G1Xyzz::infinity();
    G1Xyzz total = G1Xyzz::infinity();
    for (std::size_t b = buckets.size(); b-- > 0;) {
      running += G1Affine{buckets[b].x.wide(), buckets[b].y.wide()};
      total += running;
    }
    sums.columns.push_back(total);
    sums.rows.push_back(G1Xyzz::infinity());
  }
  EXPECT_EQ(sums.total(), msm_plain(bases, scalars)) << bases.size() << " bases, " << bits << " bits";
}

TEST(MsmParts, TreesOverBucketsSumUp) {
  std::vector<G1Affine> bases;
  for (G1Jacobian p = G1Jacobian::from_affine(g1_generator()); bases.size() < 70; p = p.dbl())
    bases.push_back(p.to_affine());
  bases[3] = G1Affine::infinity();
  bases[8] = bases[9] = bases[10];
  bases[12] = -bases[11];
  std::vector<Fr> scalars = edge_scalars(100);
  scalars.resize(bases.size());
  expect_msm(bases, scalars, 4);
  expect_msm(bases, scalars, 7);
  // One bucket holds everything; and one holds nothing but opposites.
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::from_u64(5)), 5);
  bases.assign(13, bases[0]);
  for (std::size_t i = 0; i < bases.size(); i += 2) bases[i] = -bases[i];
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::one()), 3);
}

}  // namespace
}  // namespace cuzk::cuda
