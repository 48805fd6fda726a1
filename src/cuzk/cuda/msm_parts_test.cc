// The parts of the device's multi-scalar multiplication: digits, bucket levels and their pairs, put together
// on the host as the launches put them together, against msm_plain.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/cuda/internal/bucket_sets.h"
#include "cuzk/cuda/internal/bucket_tree.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/doublings.h"
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
  for (unsigned bits = 2; bits <= kMostWindowBits; ++bits) {
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

/// The buckets first <= b < last (numbers with that of digit zero) of sorted entries, to their places in
/// `out`; the first one to `border` where that is not null.
void sum_stretch(const std::vector<G1Affine32>& bases, const std::uint32_t* codes, const std::uint32_t* index,
                 std::uint32_t entries, std::uint32_t first, std::uint32_t last, std::vector<G1Affine32>& out,
                 G1Affine32* border) {
  const std::uint32_t count = last - first;
  std::vector<std::uint32_t> start(count + 1);
  std::vector<std::uint32_t> size(count);
  for (std::uint32_t b = 0; b <= count; ++b) start[b] = first_of_key(codes, 0, entries, first + b);
  for (std::uint32_t b = 0; b < count; ++b) size[b] = first + b == 0 ? 0 : start[b + 1] - start[b];
  const BucketLevel level{start.data(), size.data(), count};

  std::vector<G1Affine32> points;  // of the level
  for (std::uint32_t i = 0; i < entries; ++i)
    points.push_back((codes[i] & 1) != 0 ? -bases[index[i]] : bases[index[i]]);
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
          PointPairs<Fp32>::listed_bases(list.data(), codes, index, bases.data(), next.data()), pairs);
      points = std::move(next);
      for (std::uint32_t b = 0; b < count; ++b) start[b] = static_cast<std::uint32_t>(sums[b] >> 32);
    } else {
      host_affine_add<Fp32>(PointPairs<Fp32>::listed(list.data(), points.data(), distance), pairs);
    }
    for (std::uint32_t b = 0; b < count; ++b) size[b] = (size[b] + 1) / 2;
  }
  for (std::uint32_t b = 0; b < count; ++b) {
    if (first + b == 0) continue;
    G1Affine32& to = b == 0 && border != nullptr ? *border : out[first + b - 1];
    to = size[b] != 0 ? points[start[b]] : G1Affine32::infinity();
  }
}

/// One set through sorting, levels and additions, `most` entries at a time: out[m - 1] is the sum of bucket
/// m.
std::vector<G1Affine32> bucket_sums(const std::vector<G1Affine32>& bases, const DigitWindows& windows,
                                    const BucketSets& sets, unsigned set, const std::vector<Fr>& scalars,
                                    std::uint32_t most) {
  const std::size_t n = scalars.size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;  // code and base
  for (unsigned w = set, array = 0; w < sets.windows; w += sets.count, ++array)
    for (std::size_t i = 0; i < n; ++i)
      entries.emplace_back(digit_code(windows, biased(windows, Fr32::from(scalars[i])), w),
                           static_cast<std::uint32_t>(array * n + i));
  EXPECT_EQ(entries.size(), n * (sets.windows_before(set + 1) - sets.windows_before(set)));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first >> 1 < b.first >> 1; });
  std::vector<std::uint32_t> codes;
  std::vector<std::uint32_t> index;
  for (const auto& [code, base] : entries) {
    codes.push_back(code);
    index.push_back(base);
  }
  std::vector<G1Affine32> out(windows.buckets(), {Fp32::one(), Fp32::one()});
  const auto all = static_cast<std::uint32_t>(codes.size());
  std::uint32_t next = 0;
  for (std::uint32_t from = 0, size = 0; from < all; from += size) {
    size = std::min(most, all - from);
    const std::uint32_t first = codes[from] >> 1;
    const bool shared = first < next;
    const std::uint32_t end = from + size == all ? windows.buckets() + 1 : (codes[from + size - 1] >> 1) + 1;
    G1Affine32 border = G1Affine32::infinity();
    sum_stretch(bases, &codes[from], &index[from], size, shared ? first : next, end, out,
                shared ? &border : nullptr);
    if (shared && first != 0) host_affine_add<Fp32>(PointPairs<Fp32>::parallel(&out[first - 1], &border), 1);
    next = end;
  }
  return out;
}

/// The bases and the multiples behind them.
std::vector<G1Affine32> with_multiples(const std::vector<G1Affine>& bases, const BaseMultiples& multiples) {
  std::vector<G1Affine32> all = narrow_points<Fp32>(bases);
  const std::size_t n = bases.size();
  all.resize(n * multiples.arrays);
  std::vector<Fp32> z(n);
  std::vector<Fp32> before(n);
  constexpr std::uint32_t kThreads = 5;
  for (std::size_t at = 0; at + n < all.size(); at += n)
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
      run_doublings(&all[at], &all[at + n], static_cast<std::uint32_t>(n), multiples.shift, z.data(),
                    before.data(), thread, kThreads);
  return all;
}

void expect_msm(const std::vector<G1Affine>& bases, const std::vector<Fr>& scalars, unsigned bits,
                unsigned most_arrays = 1, std::uint32_t entries = UINT32_MAX) {
  const DigitWindows windows(bits);
  const BaseMultiples multiples = base_multiples(bases.size(), most_arrays, bits);
  const BucketSets sets(windows.count, multiples.arrays);
  EXPECT_EQ(sets.arrays, multiples.arrays);
  EXPECT_EQ(sets.count * bits, multiples.shift);
  EXPECT_EQ(sets.windows_before(sets.count), windows.count);
  const auto all = with_multiples(bases, multiples);
  G1WindowSums sums;
  sums.window_bits = bits;
  for (unsigned set = 0; set < sets.count; ++set) {
    const auto buckets = bucket_sums(all, windows, sets, set, scalars, entries);
    G1Xyzz running = G1Xyzz::infinity();
    G1Xyzz total = G1Xyzz::infinity();
    for (std::size_t b = buckets.size(); b-- > 0;) {
      running += G1Affine{buckets[b].x.wide(), buckets[b].y.wide()};
      total += running;
    }
    sums.columns.push_back(total);
    sums.rows.push_back(G1Xyzz::infinity());
  }
  EXPECT_EQ(sums.total(), msm_plain(bases, scalars))
      << bases.size() << " bases, " << bits << " bits, " << most_arrays << " arrays, " << entries;
}

/// Infinity, equal and opposite points, and points that are multiples of others.
std::vector<G1Affine> awkward_points(std::size_t count) {
  std::vector<G1Affine> bases;
  for (G1Jacobian p = G1Jacobian::from_affine(g1_generator()); bases.size() < count; p = p.dbl())
    bases.push_back(p.to_affine());
  bases[3] = G1Affine::infinity();
  bases[8] = bases[9] = bases[10];
  bases[12] = -bases[11];
  return bases;
}

TEST(MsmParts, TreesOverBucketsSumUp) {
  std::vector<G1Affine> bases = awkward_points(70);
  std::vector<Fr> scalars = edge_scalars(100);
  scalars.resize(bases.size());
  expect_msm(bases, scalars, 4);
  expect_msm(bases, scalars, 7);
  expect_msm(bases, scalars, 7, 1, 9);
  // One bucket holds everything; and one holds nothing but opposites.
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::from_u64(5)), 5);
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::from_u64(5)), 5, 1, 16);
  bases.assign(13, bases[0]);
  for (std::size_t i = 0; i < bases.size(); i += 2) bases[i] = -bases[i];
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::one()), 3);
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::one()), 3, 1, 4);
}

TEST(MsmParts, MultiplesShareBuckets) {
  const std::vector<G1Affine> bases = awkward_points(40);
  std::vector<Fr> scalars = edge_scalars(100);
  scalars.resize(bases.size());
  for (const unsigned arrays : {2U, 3U, 5U, 1000U}) expect_msm(bases, scalars, 8, arrays);
  expect_msm(bases, scalars, 8, 5, 33);
  expect_msm(bases, scalars, 10, 26, 100);
  // The multiples of one base are the next bases: windows of eight bits, whatever their distance.
  expect_msm(bases, std::vector<Fr>(bases.size(), -Fr::one()), 8, 32, 7);
  const Fr ones = Fr::from_u64(0x0101010101010101);
  expect_msm(bases, std::vector<Fr>(bases.size(), ones), 8, 32);
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::zero()), 8, 4, 50);
  expect_msm({bases[0]}, {scalars[7]}, 6, 4);
}

TEST(MsmParts, MultiplesAreWhatTheyAreCalled) {
  const std::vector<G1Affine> bases = awkward_points(23);
  const BaseMultiples multiples = base_multiples(bases.size(), 3, 9);
  const auto all = with_multiples(bases, multiples);
  ASSERT_EQ(all.size(), 3 * bases.size());
  for (std::size_t i = 0; i < bases.size(); ++i) {
    G1Jacobian p = G1Jacobian::from_affine(bases[i]);
    for (unsigned array = 0; array < 3; ++array) {
      const G1Affine32& have = all[array * bases.size() + i];
      EXPECT_EQ((G1Affine{have.x.wide(), have.y.wide()}), p.to_affine()) << i << ", " << array;
      for (unsigned d = 0; d < multiples.shift; ++d) p = p.dbl();
    }
  }
}

TEST(MsmParts, SetsHoldEveryWindowOnce) {
  for (unsigned windows = 1; windows <= 90; ++windows)
    for (unsigned most = 1; most <= windows + 1; ++most) {
      const BucketSets sets(windows, most);
      EXPECT_LE(sets.arrays, most);
      unsigned before = 0;
      for (unsigned set = 0; set < sets.count; ++set) {
        ASSERT_EQ(sets.windows_before(set), before) << windows << ", " << most << ", " << set;
        const unsigned own = (windows - set + sets.count - 1) / sets.count;
        EXPECT_EQ(own, set < sets.whole ? sets.arrays : sets.arrays - 1);
        before += own;
      }
      EXPECT_EQ(before, windows);
    }
}

TEST(MsmParts, MultiplesAreChosenByCount) {
  // Without multiples windows stay what they are.
  EXPECT_EQ(msm_window_bits(std::uint64_t{1} << 27), 22U);
  EXPECT_EQ(base_multiples(std::uint64_t{1} << 27, 1).arrays, 1U);
  double before = 0;
  for (const unsigned most : {1U, 2U, 3U, 5U, 12U}) {
    const BaseMultiples m = base_multiples(std::uint64_t{1} << 27, most);
    EXPECT_LE(m.arrays, most);
    const double cost = msm_cost(std::uint64_t{1} << 27, m);
    EXPECT_TRUE(most == 1 || cost < before) << most;
    before = cost;
  }
  EXPECT_EQ(base_multiples(std::uint64_t{1} << 24, 12, 22).arrays, 12U);
}

}  // namespace
}  // namespace cuzk::cuda
