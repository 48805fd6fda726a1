// The parts of the device's multi-scalar multiplication: digits, bucket levels and their pairs, put together
// on the host as the launches put them together, against msm_plain.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuzk/base/random.h"
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

/// Every way to cut a scalar that a sum can be given.
template <class Visit>
void for_all_windows(const Visit& visit) {
  for (unsigned count = kLeastWindows; count <= kMostWindows; ++count)
    for (unsigned most = 1; most <= count; ++most) {
      const DigitWindows windows(count, most);
      if (windows.count == count && windows.multiples == most && windows.widest() <= kMostWindowBits &&
          windows.narrow_bits >= kLeastWindowBits)
        visit(windows);
    }
}

TEST(MsmParts, WindowsLieSideBySideAndCoverAScalar) {
  std::size_t seen = 0;
  for_all_windows([&](const DigitWindows& windows) {
    ++seen;
    SCOPED_TRACE(std::to_string(windows.count) + ", " + std::to_string(windows.multiples));
    unsigned place = 0;
    for (unsigned w = 0; w < windows.count; ++w) {
      const unsigned set = w % windows.sets;
      ASSERT_EQ(windows.place(set, w / windows.sets), place);
      EXPECT_TRUE(windows.width(set) == windows.narrow_bits || windows.width(set) == windows.widest());
      place += windows.width(set);
    }
    EXPECT_GE(place, 255U);
    // No window too many.
    EXPECT_LT(place, 255 + windows.widest());
    EXPECT_LE(windows.widest() - windows.narrow_bits, 1U);
    unsigned before = 0;
    std::uint64_t buckets = 0;
    for (unsigned set = 0; set < windows.sets; ++set) {
      EXPECT_EQ(windows.windows_before(set), before);
      EXPECT_EQ(windows.buckets_before(set), buckets);
      before += (windows.count - set + windows.sets - 1) / windows.sets;
      buckets += windows.buckets(set);
    }
    EXPECT_EQ(windows.windows_before(windows.sets), windows.count);
    EXPECT_EQ(before, windows.count);
    EXPECT_EQ(windows.all_buckets(), buckets);
    EXPECT_EQ(windows.most_buckets(windows.sets), buckets);
    EXPECT_EQ(windows.most_buckets(1), windows.buckets(windows.sets - 1));
    EXPECT_TRUE(windows.multiples > 1 || place == 255);
  });
  EXPECT_GT(seen, 300U);
}

/// Digits that are the largest ones of both signs, in all windows or in every other one.
std::vector<Fr> extreme_scalars(const DigitWindows& windows) {
  std::vector<Fr> v;
  const auto with = [&](const auto& digit) {
    Fr sum = Fr::zero();
    for (unsigned w = windows.count - 1; w-- > 0;) {
      const unsigned set = w % windows.sets;
      const auto [magnitude, negative] = digit(w, windows.buckets(set));
      const Fr term = Fr::from_u64(2).pow(windows.place(set, w / windows.sets)) * Fr::from_u64(magnitude);
      sum += negative ? -term : term;
    }
    v.insert(v.end(), {sum, -sum});
  };
  using Digit = std::pair<std::uint64_t, bool>;
  with([](unsigned, std::uint64_t most) { return Digit{most, false}; });
  with([](unsigned, std::uint64_t most) { return Digit{most, true}; });
  with([](unsigned w, std::uint64_t most) { return Digit{most, w % 2 == 0}; });
  with([](unsigned, std::uint64_t most) { return Digit{most - 1, false}; });
  with([](unsigned w, std::uint64_t most) { return Digit{w % 3 == 0 ? most : 0, true}; });
  return v;
}

TEST(MsmParts, DigitsAddUpToTheScalar) {
  const std::vector<Fr> all = edge_scalars(30);
  std::size_t at = 0;
  for_all_windows([&](const DigitWindows& windows) {
    std::vector<Fr> scalars = extreme_scalars(windows);
    scalars.insert(scalars.end(), all.begin(), all.begin() + 6);  // around 0 and r / 2
    // Of the others in turn, where there are many ways.
    for (int i = 0; i < (windows.multiples == 1 ? 150 : 12); ++i) scalars.push_back(all[at++ % all.size()]);
    for (const Fr& k : scalars) {
      const BiasedScalar b = biased(windows, Fr32::from(k));
      Fr sum = Fr::zero();
      for (unsigned w = windows.count; w-- > 0;) {
        const unsigned set = w % windows.sets;
        sum = sum * Fr::from_u64(std::uint64_t{1} << windows.width(set));
        const std::uint32_t code = digit_code(windows, b, set, w / windows.sets);
        ASSERT_LE(code >> 1, windows.buckets(set));
        const Fr digit = Fr::from_u64(code >> 1);
        sum += (code & 1) != 0 ? -digit : digit;
      }
      ASSERT_TRUE(sum == k) << windows.count << " windows, " << windows.multiples;
    }
  });
}

/// The buckets first <= b < last of sorted entries, to their places in `out`; the first one to `border` where
/// that is not null.
void sum_stretch(const std::vector<G1Affine32>& bases, const std::uint32_t* codes, const std::uint32_t* index,
                 std::uint32_t entries, std::uint32_t first, std::uint32_t last, std::vector<G1Affine32>& out,
                 G1Affine32* border) {
  const std::uint32_t count = last - first;
  std::vector<std::uint32_t> start(count + 1);
  std::vector<std::uint32_t> size(count);
  for (std::uint32_t b = 0; b <= count; ++b) start[b] = first_of_key(codes, 0, entries, first + b);
  for (std::uint32_t b = 0; b < count; ++b) size[b] = start[b + 1] - start[b];
  const BucketLevel level{start.data(), size.data(), count};

  std::vector<G1Affine32> points;  // of the level
  for (std::uint32_t i = 0; i < entries; ++i)
    points.push_back((codes[i] & 1) != 0 ? -bases[index[i]] : bases[index[i]]);
  const std::uint32_t largest = *std::max_element(size.begin(), size.end());
  std::uint32_t distance = 0;
  for (unsigned round = 0; size_after(largest, round) > 1; ++round, distance = std::max(1U, 2 * distance)) {
    std::vector<std::uint64_t> sums(count + 1);
    for (std::uint32_t b = 0; b < count; ++b) sums[b + 1] = sums[b] + packed_size(size_after(size[b], round));
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
  }
  for (std::uint32_t b = 0; b < count; ++b) {
    G1Affine32& to = b == 0 && border != nullptr ? *border : out[first + b];
    to = size[b] != 0 ? points[start[b]] : G1Affine32::infinity();
  }
}

TEST(MsmParts, RoundsHalveBuckets) {
  for (const std::uint32_t size : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 1000U, 0x80000001U, UINT32_MAX}) {
    std::uint64_t expected = size;
    for (unsigned round = 0; round < 32; ++round, expected = (expected + 1) / 2)
      EXPECT_EQ(size_after(size, round), expected) << size;
  }
}

/// The sets of a group through sorting, levels and additions, `most` entries at a time: their buckets.
std::vector<G1Affine32> bucket_sums(const std::vector<G1Affine32>& bases, const DigitWindows& windows,
                                    const SumBorders& borders, const BucketGroup& group,
                                    const std::vector<Fr>& scalars, std::uint32_t most) {
  const std::size_t n = scalars.size();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;  // code and base
  for (unsigned set = group.first; set < group.last; ++set)
    for (unsigned w = set, multiple = 0; w < windows.count; w += windows.sets, ++multiple)
      for (std::size_t i = 0; i < n; ++i)
        entries.emplace_back(
            group.code(windows, borders.sums, borders.sum_of(i), set,
                       digit_code(windows, biased(windows, Fr32::from(scalars[i])), set, multiple)),
            static_cast<std::uint32_t>(multiple * n + i));
  EXPECT_EQ(entries.size(), n * (windows.windows_before(group.last) - windows.windows_before(group.first)));
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return a.first >> 1 < b.first >> 1; });
  std::vector<std::uint32_t> codes;
  std::vector<std::uint32_t> index;
  for (const auto& [code, base] : entries) {
    codes.push_back(code);
    index.push_back(base);
  }
  const std::uint32_t buckets = group.buckets(windows, borders.sums);
  std::vector<G1Affine32> out(buckets, {Fp32::one(), Fp32::one()});
  const auto all = static_cast<std::uint32_t>(codes.size());
  std::uint32_t next = 0;
  for (std::uint32_t from = 0, size = 0; from < all; from += size) {
    size = std::min(most, all - from);
    const StretchBuckets of =
        stretch_buckets(next, codes[from] >> 1, codes[from + size - 1] >> 1, buckets, from + size == all);
    if (of.first == of.last) break;
    G1Affine32 border = G1Affine32::infinity();
    sum_stretch(bases, &codes[from], &index[from], size, of.first, of.last, out,
                of.shared ? &border : nullptr);
    if (of.shared) host_affine_add<Fp32>(PointPairs<Fp32>::parallel(&out[of.first], &border), 1);
    next = of.last;
  }
  return out;
}

/// The bases and the multiples behind them.
std::vector<G1Affine32> with_multiples(const std::vector<G1Affine>& bases, const DigitWindows& windows) {
  std::vector<G1Affine32> all = narrow_points<Fp32>(bases);
  const std::size_t n = bases.size();
  all.resize(n * windows.multiples);
  std::vector<Fp32> z(n);
  std::vector<Fp32> before(n);
  constexpr std::uint32_t kThreads = 5;
  for (std::size_t at = 0; at + n < all.size(); at += n)
    for (std::uint32_t thread = 0; thread < kThreads; ++thread)
      run_doublings(&all[at], &all[at + n], static_cast<std::uint32_t>(n), windows.shift, z.data(),
                    before.data(), thread, kThreads);
  return all;
}

/// Sums over counts[0], counts[1], ... of the bases, `group` sets at a time.
void expect_msms(const std::vector<G1Affine>& bases, const std::vector<Fr>& scalars,
                 const std::vector<std::uint64_t>& counts, const DigitWindows& windows, unsigned group,
                 std::uint32_t entries) {
  const auto all = with_multiples(bases, windows);
  const SumBorders borders(counts);
  std::vector<G1WindowSums> sums(borders.sums);
  for (unsigned first = 0; first < windows.sets; first += group) {
    const BucketGroup sets{first, std::min(first + group, windows.sets)};
    const auto buckets = bucket_sums(all, windows, borders, sets, scalars, entries);
    EXPECT_LE(buckets.size(), borders.sums * windows.most_buckets(group));
    std::size_t end = 0;
    for (unsigned set = sets.first; set < sets.last; ++set)
      for (G1WindowSums& sum : sums) {
        end += windows.buckets(set);
        ASSERT_LE(end, buckets.size());
        G1Xyzz running = G1Xyzz::infinity();
        G1Xyzz total = G1Xyzz::infinity();
        for (std::size_t b = end; b-- > end - windows.buckets(set);) {
          running += G1Affine{buckets[b].x.wide(), buckets[b].y.wide()};
          total += running;
        }
        sum.columns.push_back(total);
        sum.rows.push_back(G1Xyzz::infinity());
      }
    EXPECT_EQ(end, buckets.size());
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    sums[i].narrow = windows.narrow;
    sums[i].narrow_bits = windows.narrow_bits;
    EXPECT_EQ(sums[i].total(), msm_plain(std::span(bases).subspan(begin, counts[i]),
                                         std::span(scalars).subspan(begin, counts[i])))
        << "sum " << i << " of " << bases.size() << " bases, " << windows.count << " windows, "
        << windows.multiples << " multiples, " << group << " sets, " << entries;
    begin += counts[i];
  }
}

void expect_msm(const std::vector<G1Affine>& bases, const std::vector<Fr>& scalars, unsigned windows,
                unsigned most_multiples = 1, std::uint32_t entries = UINT32_MAX) {
  expect_msms(bases, scalars, {bases.size()}, DigitWindows(windows, most_multiples), 1, entries);
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
  expect_msm(bases, scalars, 64);
  for (const unsigned windows : {36U, 37U, 38U}) expect_msm(bases, scalars, windows);
  expect_msm(bases, scalars, 36, 1, 9);
  const std::vector<Fr> extreme = extreme_scalars(DigitWindows(34, 1));  // 17 of seven and 17 of eight bits
  expect_msm(std::vector<G1Affine>(bases.begin(), bases.begin() + 10), extreme, 34, 1, 4);
  // One bucket holds everything; and one holds nothing but opposites.
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::from_u64(5)), 51);
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::from_u64(5)), 50, 1, 16);
  bases.assign(13, bases[0]);
  for (std::size_t i = 0; i < bases.size(); i += 2) bases[i] = -bases[i];
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::one()), 85);
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::one()), 84, 1, 4);
}

TEST(MsmParts, SumsSideBySide) {
  const std::vector<G1Affine> bases = awkward_points(60);
  std::vector<Fr> scalars = edge_scalars(100);
  scalars.resize(bases.size());
  const DigitWindows windows(38, 1);  // 11 of six and 27 of seven bits
  for (const unsigned group : {1U, 5U, 38U}) {
    expect_msms(bases, scalars, {60}, windows, group, UINT32_MAX);
    expect_msms(bases, scalars, {20, 39, 1}, windows, group, UINT32_MAX);
    expect_msms(bases, scalars, {0, 30, 0, 30}, windows, group, 77);
  }
}

TEST(MsmParts, StretchesHoldEveryBucketOnce) {
  // Of four buckets, and digits of zero behind them.
  using Expected = std::tuple<std::uint32_t, std::uint32_t, bool>;
  const auto of = [](std::uint32_t next, std::uint32_t begins, std::uint32_t last, bool ends) {
    const StretchBuckets s = stretch_buckets(next, begins, last, 4, ends);
    return Expected{s.first, s.last, s.shared};
  };
  EXPECT_EQ(of(0, 1, 2, false), Expected(0, 3, false));
  EXPECT_EQ(of(3, 2, 3, false), Expected(2, 4, true));
  EXPECT_EQ(of(4, 3, 3, false), Expected(3, 4, true));
  EXPECT_EQ(of(4, 3, 4, true), Expected(3, 4, true));
  EXPECT_EQ(of(4, 4, 4, true), Expected(4, 4, false));
  EXPECT_EQ(of(2, 4, 4, false), Expected(2, 4, false));
  EXPECT_EQ(of(2, 2, 2, true), Expected(2, 4, false));
}

TEST(MsmParts, MultiplesShareBuckets) {
  const std::vector<G1Affine> bases = awkward_points(40);
  std::vector<Fr> scalars = edge_scalars(100);
  scalars.resize(bases.size());
  for (const unsigned multiples : {2U, 3U, 5U, 32U}) expect_msm(bases, scalars, 32, multiples);
  for (const unsigned multiples : {4U, 7U}) expect_msm(bases, scalars, 37, multiples);
  expect_msm(bases, scalars, 33, 5, 33);
  expect_msm(bases, scalars, 26, 26, 100);
  // The multiples of one base are the next bases: windows of eight bits, whatever their distance.
  expect_msm(bases, std::vector<Fr>(bases.size(), -Fr::one()), 32, 32, 7);
  const Fr ones = Fr::from_u64(0x0101010101010101);
  expect_msm(bases, std::vector<Fr>(bases.size(), ones), 32, 32);
  expect_msm(bases, std::vector<Fr>(bases.size(), Fr::zero()), 32, 4, 50);
  expect_msm({bases[0]}, {scalars[7]}, 43, 4);
}

TEST(MsmParts, MultiplesAreWhatTheyAreCalled) {
  const std::vector<G1Affine> bases = awkward_points(23);
  const DigitWindows windows(29, 3);
  const auto all = with_multiples(bases, windows);
  ASSERT_EQ(all.size(), 3 * bases.size());
  for (std::size_t i = 0; i < bases.size(); ++i) {
    G1Jacobian p = G1Jacobian::from_affine(bases[i]);
    for (unsigned multiple = 0; multiple < 3; ++multiple) {
      const G1Affine32& have = all[multiple * bases.size() + i];
      EXPECT_EQ((G1Affine{have.x.wide(), have.y.wide()}), p.to_affine()) << i << ", " << multiple;
      for (unsigned d = 0; d < windows.shift; ++d) p = p.dbl();
    }
  }
}

TEST(MsmParts, WindowsAreChosenByCount) {
  const auto text = [](unsigned log_size, unsigned multiples) {
    const DigitWindows windows(msm_windows(std::uint64_t{1} << log_size, multiples));
    return std::to_string(windows.count) + ": " + std::to_string(windows.narrow) + " of " +
           std::to_string(windows.narrow_bits) + " bits in " + std::to_string(windows.sets) + " sets";
  };
  EXPECT_EQ(text(27, 1), "11: 9 of 23 bits in 11 sets");
  EXPECT_EQ(text(27, 3), "11: 3 of 23 bits in 4 sets");
  EXPECT_EQ(text(27, 5), "10: 1 of 25 bits in 2 sets");
  EXPECT_EQ(text(26, 1), "12: 9 of 21 bits in 12 sets");
  EXPECT_EQ(text(24, 1), "13: 5 of 19 bits in 13 sets");
  EXPECT_EQ(text(22, 1), "14: 11 of 18 bits in 14 sets");
  for (const unsigned log_size : {10U, 18U, 22U, 24U, 26U, 27U}) {
    const std::uint64_t count = std::uint64_t{1} << log_size;
    double before = 0;
    for (const unsigned most : {1U, 2U, 3U, 5U, 12U}) {
      const MsmWindows m = msm_windows(count, most);
      EXPECT_LE(m.multiples, most);
      EXPECT_EQ(DigitWindows(m).multiples, m.multiples);
      const double cost = msm_cost(count, m);
      EXPECT_TRUE(most == 1 || cost <= before) << most;
      EXPECT_TRUE(log_size < 27 || most == 1 || cost < before) << most;
      before = cost;
    }
    EXPECT_GE(msm_windows(count, 1, 4).count, msm_windows(count).count);
  }
  EXPECT_EQ(windows_of(12, 12).multiples, 12U);
  EXPECT_EQ(windows_of(12, 7).multiples, 6U);
  for (unsigned count = kLeastWindows; count <= kMostWindows; ++count)
    for (unsigned most = 1; most <= count; ++most) {
      const MsmWindows m = windows_of(count, most);
      const DigitWindows windows(m);
      EXPECT_EQ(windows.count, m.count);
      EXPECT_EQ(windows.multiples, m.multiples);
      EXPECT_LE(m.multiples, most);
      EXPECT_TRUE(most > 1 || m.count == count);
    }
}

}  // namespace
}  // namespace cuzk::cuda
