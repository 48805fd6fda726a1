#include "cuzk/cuda/internal/bit_selection.h"

#include <gtest/gtest.h>

#include <string>

#include "cuzk/base/random.h"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {
namespace {

struct Bits {
  std::uint64_t count;
  std::vector<std::uint64_t> mask, bits;
};

/// Bit by bit.
std::vector<std::uint64_t> picked(const Bits& b, std::uint64_t& selected) {
  std::vector<std::uint64_t> out(b.mask.size());
  selected = 0;
  for (std::uint64_t i = 0; i < b.count; ++i) {
    if ((b.mask[i / 64] >> (i % 64) & 1) == 0) continue;
    out[selected / 64] |= (b.bits[i / 64] >> (i % 64) & 1) << (selected % 64);
    ++selected;
  }
  out.resize((selected + 63) / 64);
  return out;
}

// What the device's threads do, group after group in any order.
void expect_selected(const Bits& b) {
  std::uint64_t selected = 0;
  const std::vector<std::uint64_t> want = picked(b, selected);
  const SelectionLayout layout(b.count);
  const std::vector<std::uint32_t> ranks = selection_ranks(b.mask);
  ASSERT_EQ(ranks.size(), layout.groups);
  for (const bool backwards : {false, true}) {
    std::vector<std::uint64_t> got(want.size());
    for (std::uint64_t k = 0; k < layout.groups; ++k)
      select_group({b.mask.data(), ranks.data(), layout.words}, b.bits.data(),
                   backwards ? layout.groups - 1 - k : k, [&](std::uint64_t i, std::uint64_t value) {
                     ASSERT_LT(i, got.size());
                     got[i] |= value;
                   });
    EXPECT_EQ(got, want);
  }
  const SelectedLayout to(b.count, selected);
  EXPECT_EQ(to.own_words, selected == b.count ? 0 : want.size());
  const auto bit = [&](std::uint64_t i) { return i < selected ? want[i / 64] >> (i % 64) & 1 : 0; };
  std::uint64_t ones = 0;
  for (std::uint64_t block = 0; block < to.blocks; ++block) {
    std::uint64_t expected = 0;
    std::uint64_t pairs = 0;
    for (std::uint64_t i = block * kBitBlock; i < (block + 1) * kBitBlock; i += 2) {
      expected += bit(i) + bit(i + 1);
      pairs += bit(i) | bit(i + 1);
    }
    const BlockCounts counts = counts_of_block(want.data(), selected, block);
    EXPECT_EQ(counts.ones, expected) << block;
    EXPECT_EQ(counts.pairs, pairs) << block;
    ones += expected;
  }
  for (const std::uint64_t word : want) ones -= static_cast<std::uint64_t>(std::popcount(word));
  EXPECT_EQ(ones, 0U);
}

TEST(BitSelection, MasksOfEveryDensity) {
  TestRandom random(91);
  for (const std::uint64_t count : {1, 63, 64, 65, 511, 512, 513, 1000, 4096, 20'000})
    for (const unsigned percent : {0U, 1U, 25U, 50U, 99U, 100U}) {
      SCOPED_TRACE(std::to_string(count) + " bits, " + std::to_string(percent) + " % selected");
      Bits b{count, std::vector<std::uint64_t>((count + 63) / 64), {}};
      b.bits = b.mask;
      for (std::uint64_t i = 0; i < count; ++i) {
        b.mask[i / 64] |= std::uint64_t{random.next() % 100 < percent} << (i % 64);
        b.bits[i / 64] |= (random.next() & 1) << (i % 64);
      }
      expect_selected(b);
      for (auto& word : b.bits) word = ~std::uint64_t{0};
      expect_selected(b);
    }
}

// Runs that begin and end beside the ends of words and groups.
TEST(BitSelection, RunsOfEveryLength) {
  TestRandom random(92);
  for (std::uint64_t gap = 1; gap < 4; ++gap) {
    Bits b{12'000, std::vector<std::uint64_t>(188), std::vector<std::uint64_t>(188)};
    for (auto& word : b.bits) word = random.next();
    b.bits.back() &= (std::uint64_t{1} << (b.count % 64)) - 1;
    std::uint64_t at = 0;
    for (std::uint64_t length = 1; at + length < b.count; ++length, at += gap)
      for (const std::uint64_t end = at + length; at < end; ++at)
        b.mask[at / 64] |= std::uint64_t{1} << (at % 64);
    expect_selected(b);
  }
}

/// The points that are picked of `count` bits, word after word as the device's threads do it. Bits behind the
/// last one, and pairs with them, must not matter.
std::vector<std::uint64_t> picks_of(std::vector<std::uint64_t> bits, std::uint64_t count,
                                    std::uint64_t paired, std::uint64_t pairs_at) {
  if (count % 64 != 0) bits.back() |= ~std::uint64_t{0} << (count % 64);
  const BitPicks picks(static_cast<std::uint32_t>(paired), static_cast<std::uint32_t>(pairs_at));
  std::vector<std::uint64_t> out;
  for (std::uint64_t i = 0; i < bits.size(); ++i) {
    const std::size_t before = out.size();
    const std::uint64_t word = word_of(bits.data(), count, i);
    picks.each(i, word, [&](std::uint32_t index) { out.push_back(index); });
    EXPECT_EQ(picks.count(i, word), out.size() - before);
  }
  return out;
}

TEST(BitPicks, EveryPairOfBits) {
  // Pairs 00, 10, 01, 11 and half a pair; the sum of the first pair is point 20.
  const std::vector<std::uint64_t> bits{0b1'11'10'01'00};
  using Picks = std::vector<std::uint64_t>;
  EXPECT_EQ(picks_of(bits, 9, 9, 20), (Picks{2, 5, 23, 8}));
  EXPECT_EQ(picks_of(bits, 9, 0, 0), (Picks{2, 5, 6, 7, 8}));
  EXPECT_EQ(picks_of(bits, 8, 8, 20), (Picks{2, 5, 23}));
  EXPECT_EQ(picks_of(bits, 7, 7, 20), (Picks{2, 5, 6}));
  EXPECT_EQ(picks_of({0}, 9, 9, 20), (Picks{}));
}

// Points are numbers, and so are their sums.
TEST(BitPicks, AddUpToTheSameSum) {
  TestRandom random(93);
  for (const std::uint64_t count : {1, 2, 3, 63, 64, 65, 127, 128, 1000, 4096, 4097, 9001}) {
    std::vector<std::uint64_t> bases(count);
    for (auto& base : bases) base = random.next();
    for (const unsigned kind : {0U, 1U, 2U, 3U, 4U, 5U, 6U}) {
      // None, all, half, few, nearly all, the first of every pair, the second.
      std::vector<std::uint64_t> bits((count + 63) / 64);
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = random.next() % 100;
        const bool one = kind == 1 || (kind == 2 && at < 50) || (kind == 3 && at < 2) ||
                         (kind == 4 && at < 98) || (kind == 5 && i % 2 == 0) || (kind == 6 && i % 2 == 1);
        bits[i / 64] |= std::uint64_t{one} << (i % 64);
        if (one) sum += bases[i];
      }
      for (const std::uint64_t paired : {std::uint64_t{0}, count / 128 * 64, count / 64 * 64, count}) {
        SCOPED_TRACE(std::to_string(count) + " bits, kind " + std::to_string(kind) + ", " +
                     std::to_string(paired) + " in pairs");
        // Behind 17 points of others.
        std::vector<std::uint64_t> points = bases;
        points.resize(count + 17, 0xdead);
        for (std::uint64_t i = 0; i + 1 < paired; i += 2) points.push_back(bases[i] + bases[i + 1]);
        const std::vector<std::uint64_t> picks = picks_of(bits, count, paired, count + 17);
        std::uint64_t got = 0;
        for (const std::uint64_t index : picks) got += points.at(index);
        EXPECT_EQ(got, sum);
        EXPECT_LE(picks.size(), most_picks(count, {.paired = paired}));
        if (kind == 1) {
          EXPECT_EQ(picks.size(), most_picks(count, {.paired = paired}));
        }
        if (paired % kBitBlock != 0 && paired != count) continue;
        std::uint64_t counted = 0;
        for (std::uint64_t block = 0; block * kBitBlock < count; ++block) {
          const BlockCounts of = counts_of_block(bits.data(), count, block);
          counted += block * kBitBlock < paired ? of.pairs : of.ones;
        }
        EXPECT_EQ(counted, picks.size());
      }
    }
  }
}

TEST(BitSelection, MemoryByHand) {
  // 128 M bits: a bitmap and a sixteenth.
  const std::uint64_t bits = std::uint64_t{1} << 27;
  EXPECT_EQ(selection_bytes(bits, bits / 4), (bits / 8) * 17 / 16);
  EXPECT_EQ(selection_bytes(bits, 0), 0U);
  EXPECT_EQ(selection_bytes(bits, bits), 0U);
  EXPECT_EQ(selection_bytes(65, 1), 2 * 8 + 4U);
  EXPECT_EQ(SelectedLayout(bits, bits).bytes(), 4 * (bits / kBitBlock));
  EXPECT_EQ(SelectedLayout(bits, bits / 4).bytes(), bits / 32 + bits / kBitBlock);
  EXPECT_EQ(SelectedLayout(bits, 0).bytes(), 0U);
  EXPECT_EQ(SelectedLayout(0, 0).bytes(), 0U);
}

}  // namespace
}  // namespace cuzk::cuda
