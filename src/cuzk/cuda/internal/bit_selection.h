#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/base/hd.h"
#include "cuzk/cuda/internal/bit_picks.h"
#include "cuzk/cuda/prover_plan.h"

namespace cuzk::cuda {

/// How the bits of a query are picked from those of a witness on the device: a *mask* with a bit for each of
/// the witness's, set where it belongs to the query, and for every group of words how many are set before it,
/// its *rank*. That is a sixteenth beside the mask.
inline constexpr std::uint64_t kSelectionGroup = 8;  ///< words

/// Where both lie in one block of memory.
struct SelectionLayout {
  explicit SelectionLayout(std::uint64_t witness_bits)
      : words((witness_bits + 63) / 64), groups((words + kSelectionGroup - 1) / kSelectionGroup) {}
  std::uint64_t words;
  std::uint64_t groups;
  [[nodiscard]] std::uint64_t mask_bytes() const { return 8 * words; }
  [[nodiscard]] std::uint64_t bytes() const { return mask_bytes() + 4 * groups; }
};

/// What a sum over a bitmap picks of kBitBlock bits (BitPicks): their ones, or the pairs of neighbours that
/// have a one.
struct BlockCounts {
  std::uint16_t ones = 0;
  std::uint16_t pairs = 0;
  bool operator==(const BlockCounts&) const = default;
};
static_assert(kBitBlock <= UINT16_MAX && kBitBlock % 64 == 0);

/// Where the bits selected and the counts of every kBitBlock of them lie. A query that has all bits of the
/// witness has the witness's own words.
struct SelectedLayout {
  SelectedLayout(std::uint64_t witness_bits, std::uint64_t selected)
      : own_words(selected == witness_bits ? 0 : (selected + 63) / 64),
        blocks((selected + kBitBlock - 1) / kBitBlock) {}
  std::uint64_t own_words;
  std::uint64_t blocks;
  [[nodiscard]] std::uint64_t bytes() const { return 8 * own_words + sizeof(BlockCounts) * blocks; }
};

/// Device memory of a selection. None where nothing has to be moved.
[[nodiscard]] inline std::uint64_t selection_bytes(std::uint64_t witness_bits, std::uint64_t selected) {
  return selected == 0 || selected == witness_bits ? 0 : SelectionLayout(witness_bits).bytes();
}

/// The ranks of a mask. Fewer than 2^32 bits.
[[nodiscard]] inline std::vector<std::uint32_t> selection_ranks(std::span<const std::uint64_t> mask) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve((mask.size() + kSelectionGroup - 1) / kSelectionGroup);
  std::uint32_t set = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (i % kSelectionGroup == 0) ranks.push_back(set);
    set += static_cast<std::uint32_t>(std::popcount(mask[i]));
  }
  return ranks;
}

struct SelectionView {
  const std::uint64_t* mask;
  const std::uint32_t* ranks;
  std::uint64_t words;
};

/// Puts the selected bits of one group's words of `bits` to their places: or_word(i, value) ors `value` into
/// word i of the result, which was zero; groups share words at their ends. The mask is taken in runs of ones,
/// of which a query that has nearly all bits has one or two a word.
template <class OrWord>
CUZK_HD inline void select_group(const SelectionView& selection, const std::uint64_t* bits,
                                 std::uint64_t group, const OrWord& or_word) {
  std::uint64_t to = selection.ranks[group];
  std::uint64_t word = 0;  // of the result, what this group has for it so far
  const std::uint64_t begin = group * kSelectionGroup;
  const std::uint64_t end =
      begin + kSelectionGroup < selection.words ? begin + kSelectionGroup : selection.words;
  for (std::uint64_t i = begin; i < end; ++i) {
    const std::uint64_t source = bits[i];
    for (std::uint64_t mask = selection.mask[i]; mask != 0;) {
      const unsigned first = low_zeros(mask);
      const std::uint64_t past = ~(mask >> first);  // zero for a run of all 64
      const unsigned length = past == 0 ? 64 : low_zeros(past);
      std::uint64_t run = source >> first;
      if (length < 64) run &= (std::uint64_t{1} << length) - 1;
      const auto shift = static_cast<unsigned>(to % 64);
      word |= run << shift;
      if (shift + length >= 64) {
        if (word != 0) or_word(to / 64, word);
        word = shift == 0 ? 0 : run >> (64 - shift);
      }
      to += length;
      mask = first + length >= 64 ? 0 : mask >> (first + length) << (first + length);
    }
  }
  if (word != 0) or_word(to / 64, word);
}

/// Those of block `block` of `count` bits. Bits behind the last do not count.
CUZK_HD inline BlockCounts counts_of_block(const std::uint64_t* words, std::uint64_t count,
                                           std::uint64_t block) {
  const std::uint64_t begin = block * kBitBlock;
  const std::uint64_t end = begin + kBitBlock < count ? begin + kBitBlock : count;
  unsigned ones = 0;
  unsigned pairs = 0;
  for (std::uint64_t i = begin / 64; 64 * i < end; ++i) {
    const std::uint64_t word = word_of(words, count, i);
    ones += ones_in(word);
    pairs += ones_in(pairs_with_ones(word));
  }
  return {static_cast<std::uint16_t>(ones), static_cast<std::uint16_t>(pairs)};
}

}  // namespace cuzk::cuda
