#include "cuzk/cuda/internal/sum_memory.h"

#include <algorithm>

#include "cuzk/cuda/internal/affine_add.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/msm_memory.h"
#include "cuzk/cuda/prover_plan.h"

namespace cuzk::cuda {
namespace {

/// The rounding of a dozen requests where MsmMemory::total has not counted it, and tables of the sort and of
/// prefix sums that do not grow.
constexpr std::uint64_t kFixed = std::uint64_t{3} << 20;
/// Threads that additions run in at a time on the largest cards, in G1; half of it in G2: 4 or 2 blocks of
/// 128 a multiprocessor. Scratch memory is rounded up to whole grids.
constexpr std::uint64_t kGrid = std::uint64_t{kMostMultiprocessors} * 4 * 128;

std::uint64_t adder_bound(std::uint64_t additions, std::uint64_t point_bytes) {
  const std::uint64_t coordinate = point_bytes / 2;
  // A grid has no more threads than there are additions, in blocks of 128.
  const std::uint64_t grid = std::min(point_bytes == sizeof(G1Affine) ? kGrid : kGrid / 2, additions + 128);
  return coordinate * std::min(additions + grid, grid * kMostSteps);
}

std::uint64_t memory_bound(const MsmSizes& s) {
  const MsmScratch scratch{
      // A second copy of codes and index, and two tables of the sort's blocks, which do not grow for ever:
      // 2^26 bytes hold where cub's blocks take 4096 entries or more each, as all do from sm_80 on in CUDA
      // 13.0.
      .sort = 8 * s.entries + std::min(s.entries, std::uint64_t{1} << 26),
      .prefix_sums = 3 * (s.buckets + 1),
      .tree_additions = adder_bound(s.tree_additions(), s.point),
      .half_additions = adder_bound(s.half_additions(), s.point)};
  return MsmMemory(s, scratch).total() + kFixed;
}

/// Of as many windows at a time as suit a sum, all bases at once.
MsmSizes whole_sizes(std::uint64_t count, std::uint64_t point_bytes, const MsmWindows& windows,
                     unsigned sums) {
  const DigitWindows digits(windows);
  const unsigned group = digits.sets_at_a_time(count);
  const std::uint64_t entries = digits.windows_before(group) * count;
  return {.point = point_bytes,
          .entries = entries,
          .stretch = std::min(entries, kDigitsAtATime),
          .buckets = sums * digits.most_buckets(group),
          .all = sums * digits.all_buckets(),
          .lines = sums * (digits.rows() + digits.columns()),
          .kept_codes = 0,
          .accumulates = false};
}

}  // namespace

MsmWindows narrow_windows(std::uint64_t count) {
  return {std::max(kNarrowWindows, msm_windows(count).count)};
}

std::uint64_t msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes, const MsmWindows& windows,
                               std::uint64_t slice) {
  if (count == 0) return 0;
  const DigitWindows digits(windows);
  const std::uint64_t entries = std::min(slice, count);
  return memory_bound({.point = point_bytes,
                       .entries = entries,
                       .stretch = entries,
                       .buckets = digits.buckets(digits.sets - 1),  // of a widest one
                       .all = digits.all_buckets(),
                       .lines = digits.rows() + digits.columns(),
                       .kept_codes = 0,
                       .accumulates = true});
}

std::uint64_t whole_msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                                     const MsmWindows& windows, unsigned sums) {
  return count == 0 ? 0 : memory_bound(whole_sizes(count, point_bytes, windows, sums));
}

std::uint64_t most_msm_memory(std::uint64_t count, std::uint64_t point_bytes, const MsmWindows& windows,
                              unsigned sums) {
  if (count == 0) return 0;
  MsmSizes sizes = whole_sizes(count, point_bytes, windows, sums);
  const std::uint64_t without = memory_bound(sizes);
  const DigitWindows digits(windows);
  if (digits.sets_at_a_time(count) < digits.sets) sizes.kept_codes = std::uint64_t{digits.count} * count;
  return std::max(without, memory_bound(sizes));
}

MsmWindows fitting_windows(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free) {
  MsmWindows windows = msm_windows(count);
  while (windows.count < kNarrowWindows && msm_memory_bound(count, point_bytes, windows, kLeastSlice) > free)
    ++windows.count;
  return windows;
}

MsmWindows sliced_windows(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free) {
  MsmWindows best = narrow_windows(count);
  double best_cost = 0;
  // Wide windows leave memory for small slices only, each of which has all the buckets.
  for (MsmWindows windows = best; windows.count >= msm_windows(count).count; --windows.count) {
    const auto fits = [&](std::uint64_t slice) {
      return msm_memory_bound(count, point_bytes, windows, slice) <= free;
    };
    if (!fits(std::min(kLeastSlice, count))) break;
    std::uint64_t slice = count;
    while (slice > kLeastSlice && !fits(slice)) slice = (slice + 1) / 2;
    const std::uint64_t slices = (count - 1) / slice + 1;
    const double cost = static_cast<double>(slices) * msm_cost(slice, windows);
    if (best_cost == 0 || cost < best_cost) {
      best = windows;
      best_cost = cost;
    }
  }
  return best;
}

std::uint64_t bit_sum_memory_bound(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t paired) {
  if (count == 0) return 0;
  // Picks of words and their prefix sums, before the points; an index; half and a quarter of the points.
  const std::uint64_t words = (count + 63) / 64;
  const std::uint64_t picks = most_picks(count, {.paired = paired});
  return 17 * words + 4 * picks + point_bytes * (picks / 2 + picks / 4 + 2) +
         adder_bound(picks / 2 + 1, point_bytes) + kFixed;
}

std::uint64_t fitting_bits(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free,
                           std::uint64_t paired) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 27;
  std::uint64_t piece = std::min(count, kMost);
  // A part of the bases may have none in pairs.
  const auto paired_of = [&] { return piece == count ? paired : paired == count ? piece : 0; };
  while (piece > kBitBlock && bit_sum_memory_bound(piece, point_bytes, paired_of()) > free)
    piece = std::max(piece / 2 / kBitBlock * kBitBlock, kBitBlock);
  return std::max(piece, std::uint64_t{1});
}

std::uint64_t pairs_memory_bound(std::uint64_t count, std::uint64_t point_bytes) {
  return count < 2 ? 0 : adder_bound(std::min(count / 2, kPairedPoints), point_bytes);
}

}  // namespace cuzk::cuda
