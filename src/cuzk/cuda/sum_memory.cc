#include "cuzk/cuda/internal/sum_memory.h"

#include <algorithm>

#include "cuzk/cuda/internal/affine_add.h"
#include "cuzk/cuda/internal/bucket_sets.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/prover_plan.h"

namespace cuzk::cuda {
namespace {

/// The rounding of a dozen requests, and tables of the sort and of prefix sums that do not grow.
constexpr std::uint64_t kFixed = std::uint64_t{3} << 20;
/// Blocks of 128 threads that additions run in at a time on the largest cards: 4 or 2 on each of 192
/// multiprocessors. Scratch memory is rounded up to whole grids.
constexpr std::uint64_t kGrid = std::uint64_t{192} * 4 * 128;

std::uint64_t adder_bound(std::uint64_t additions, std::uint64_t point_bytes) {
  const std::uint64_t coordinate = point_bytes / 2;
  // A grid has no more threads than there are additions, in blocks of 128.
  const std::uint64_t grid = std::min(point_bytes == sizeof(G1Affine) ? kGrid : kGrid / 2, additions + 128);
  // No more than 256 additions a thread are batched.
  return coordinate * std::min(additions + grid, grid * 256);
}

}  // namespace

std::uint64_t msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes, unsigned window_bits,
                               std::uint64_t slice) {
  if (count == 0) return 0;
  const DigitWindows windows(window_bits);
  const std::uint64_t entries = std::min(slice, count);
  const std::uint64_t buckets = windows.buckets() + 1;
  const std::uint64_t all = std::uint64_t{windows.count} * windows.buckets();
  // Digits, and digits and index before and after the sort, whose own memory holds a second copy of both.
  std::uint64_t sum = (4 + 12 + 9) * entries;
  sum += 27 * (buckets + 1);  // starts, sizes, their prefix sums and those's scratch
  sum += sizeof(ListedPair) * (entries / 2 + 1);
  sum += point_bytes * std::min(entries, (entries + buckets) / 2 + 1);
  sum += point_bytes * (all + windows.buckets() + all / 2 + 1);
  return sum + adder_bound(std::max(entries / 2 + 1, all), point_bytes) + kFixed;
}

std::uint64_t msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                               const BaseMultiples& multiples) {
  if (count == 0) return 0;
  const DigitWindows windows(multiples.window_bits);
  const BucketSets sets(windows.count, multiples.arrays);
  const auto group =
      static_cast<unsigned>(std::clamp<std::uint64_t>(kDigitsAtATime / (sets.arrays * count), 1, sets.count));
  const std::uint64_t entries = sets.windows_before(group) * count;
  const std::uint64_t stretch = std::min(entries, kDigitsAtATime);
  const std::uint64_t buckets = group * (std::uint64_t{windows.buckets()} + 1);
  const std::uint64_t all = std::uint64_t{sets.count} * windows.buckets();
  std::uint64_t sum = 4 * windows.count * count + (12 + 9) * entries + 27 * (buckets + 1);
  sum += sizeof(ListedPair) * (stretch / 2 + 1);
  sum += point_bytes * std::min(stretch, (stretch + buckets) / 2 + 1);
  sum += point_bytes * (all + all / 2 + 1);
  return sum + adder_bound(std::max(stretch / 2 + 1, all), point_bytes) + kFixed;
}

unsigned fitting_window(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free) {
  unsigned bits = msm_window_bits(count);
  while (bits > kLeastWindow && msm_memory_bound(count, point_bytes, bits, kLeastSlice) > free) --bits;
  return bits;
}

unsigned sliced_window(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free) {
  const unsigned automatic = msm_window_bits(count);
  const auto fits = [&](unsigned bits, std::uint64_t slice) {
    return msm_memory_bound(count, point_bytes, bits, slice) <= free;
  };
  if (fits(automatic, kLeastSlice)) return automatic;
  unsigned best = std::min(kLeastWindow, automatic);
  double best_cost = 0;
  // A wide window leaves memory for small slices only, each of which has all the buckets.
  for (unsigned bits = best; bits < automatic && fits(bits, kLeastSlice); ++bits) {
    std::uint64_t slice = count;
    while (slice > kLeastSlice && !fits(bits, slice)) slice = (slice + 1) / 2;
    const std::uint64_t slices = (count - 1) / slice + 1;
    const double cost = static_cast<double>(slices) * msm_cost(slice, {.window_bits = bits});
    if (best_cost == 0 || cost < best_cost) {
      best = bits;
      best_cost = cost;
    }
  }
  return best;
}

std::uint64_t bit_sum_memory_bound(std::uint64_t count, std::uint64_t point_bytes) {
  if (count == 0) return 0;
  // Ones of words and their prefix sums, before the points; an index; half and a quarter of the points.
  const std::uint64_t words = (count + 63) / 64;
  return 17 * words + 4 * count + point_bytes * (count / 2 + count / 4 + 2) +
         adder_bound(count / 2 + 1, point_bytes) + kFixed;
}

std::uint64_t fitting_bits(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 27;
  std::uint64_t piece = std::min(count, kMost);
  while (piece > kBitBlock && bit_sum_memory_bound(piece, point_bytes) > free)
    piece = std::max(piece / 2 / kBitBlock * kBitBlock, kBitBlock);
  return std::max(piece, std::uint64_t{1});
}

}  // namespace cuzk::cuda
