#include "cuzk/cuda/internal/bit_selection.h"

#include <gtest/gtest.h>

#include <string>

#include "cuzk/base/random.h"

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
  std::uint64_t ones = 0;
  for (std::uint64_t block = 0; block < to.blocks; ++block) {
    std::uint64_t expected = 0;
    for (std::uint64_t i = block * kBitBlock; i < std::min(selected, (block + 1) * kBitBlock); ++i)
      expected += want[i / 64] >> (i % 64) & 1;
    EXPECT_EQ(ones_of_block(want.data(), selected, block), expected) << block;
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
