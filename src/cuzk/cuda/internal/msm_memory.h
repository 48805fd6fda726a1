#pragma once

#include <algorithm>
#include <cstdint>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// How much a multi-scalar multiplication works on at a time.
struct MsmSizes {
  std::uint64_t point;       ///< bytes of one
  std::uint64_t entries;     ///< digits of a group of sets, which are sorted together
  std::uint64_t stretch;     ///< those of them, sorted, whose buckets are summed at a time
  std::uint64_t buckets;     ///< of a group, the most
  std::uint64_t all;         ///< buckets of all groups
  std::uint64_t lines;       ///< rows and columns of these
  std::uint64_t kept_codes;  ///< digits of all groups, where one sweep over the scalars makes them, or 0
  bool accumulates;          ///< adds up the buckets of slices

  /// Points of the level above the entries.
  [[nodiscard]] std::uint64_t level() const { return std::min(stretch, (stretch + buckets) / 2 + 1); }
  /// At a time, in the trees over buckets, and in each half of what combines these.
  [[nodiscard]] std::uint64_t tree_additions() const { return std::max(stretch / 2 + 1, buckets); }
  [[nodiscard]] std::uint64_t half_additions() const { return all / 2 + 1; }
};

/// Bytes that others ask for: the sort of the entries, prefix sums over buckets, and the adder.
struct MsmScratch {
  std::uint64_t sort;
  std::uint64_t prefix_sums;
  std::uint64_t tree_additions;
  std::uint64_t half_additions;
};

/// The device memory of a multi-scalar multiplication, but for three small arrays: what the largest bucket
/// has, a bucket that two stretches share, and the results, 3 points for every set of every sum. What lives
/// on from one phase to the next has a place of its own; sorting, the trees over buckets and their
/// combination come one after the other, and share one.
struct MsmMemory {
  struct Part {
    std::uint64_t at;  ///< in the shared memory
    std::uint64_t bytes;
  };
  // Places of their own, bytes.
  std::uint64_t kept_codes, kept_index;  ///< 0: not kept
  std::uint64_t sorted;                  ///< of codes, and as much of the index
  std::uint64_t buckets;
  std::uint64_t fresh;  ///< buckets of a slice, 0 where there is but one
  std::uint64_t shared;
  // Sorting; the first two where they are not kept.
  Part codes, index, sort_scratch;
  // Trees.
  Part starts, sizes, sums, sum_scratch, list, level, tree_adder;
  // Combination: rows, beside columns, which stay among the buckets, and what becomes of both.
  Part rows, line_sums, row_adder, column_adder;

  MsmMemory(const MsmSizes& s, const MsmScratch& scratch) {
    const bool keeps = s.kept_codes != 0;
    kept_codes = 4 * s.kept_codes;
    kept_index = keeps ? 4 * s.entries : 0;
    sorted = 4 * s.entries;
    buckets = s.point * s.all;
    fresh = s.accumulates ? s.point * s.buckets : 0;
    std::uint64_t end = 0;
    const auto take = [&](std::uint64_t bytes) {
      const Part part{end, bytes};
      end += Context::rounded(bytes);
      return part;
    };
    const auto phase_ends = [&] {
      shared = std::max(shared, end);
      end = 0;
    };
    shared = 0;
    codes = take(keeps ? 0 : 4 * s.entries);
    index = take(keeps ? 0 : 4 * s.entries);
    sort_scratch = take(scratch.sort);
    phase_ends();
    starts = take(4 * (s.buckets + 1));
    sizes = take(4 * (s.buckets + 1));
    sums = take(8 * (s.buckets + 1));
    sum_scratch = take(scratch.prefix_sums);
    list = take(sizeof(ListedPair) * (s.stretch / 2 + 1));
    level = take(s.point * s.level());
    tree_adder = take(scratch.tree_additions);
    phase_ends();
    rows = take(s.point * s.half_additions());
    line_sums = take(2 * s.point * s.lines);
    row_adder = take(scratch.half_additions);
    column_adder = take(scratch.half_additions);
    phase_ends();
  }

  /// All of it as Context counts it, and more than the small arrays take (400 KB).
  [[nodiscard]] std::uint64_t total() const {
    constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;
    std::uint64_t sum = kSmall;
    for (const std::uint64_t bytes : {kept_codes, kept_index, sorted, sorted, buckets, fresh, shared})
      sum += Context::rounded(bytes);
    return sum;
  }
};

}  // namespace cuzk::cuda
