#pragma once

#include <cstdint>

#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// The bookkeeping of trees over buckets. A level holds the points of every bucket side by side: bucket b has
/// size[b] of them from start[b] on. The next level holds a sum for every pair of neighbours and a copy of
/// the odd one out. Packed numbers hold pairs (size / 2) in the low half and points of the next level ((size
/// + 1) / 2) in the high half; their prefix sums say where pair j of bucket b is listed and where its sum
/// goes.
struct BucketLevel {
  std::uint32_t* start;
  std::uint32_t* size;
  std::uint32_t count;  ///< buckets
};

CUZK_HD CUZK_INLINE std::uint64_t packed_size(std::uint32_t size) {
  return static_cast<std::uint64_t>(size / 2 + size % 2) << 32 | size / 2;
}

/// The first place in codes[0 .. count) (sorted by their bits from 1 on) whose key is not below `key`.
CUZK_HD inline std::uint32_t first_of_key(const std::uint32_t* codes, std::uint32_t count,
                                          std::uint32_t key) {
  std::uint32_t low = 0;
  std::uint32_t high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (codes[middle] >> 1 < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Pair `i` of all buckets, from the prefix sums (buckets + 1 of them).
CUZK_HD inline ListedPair pair_at(const BucketLevel& level, const std::uint64_t* sums, std::uint32_t i) {
  // The last bucket whose pairs begin at or before i, which is the one that holds it: an empty one before it
  // begins at the same place.
  std::uint32_t low = 0;
  std::uint32_t high = level.count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (static_cast<std::uint32_t>(sums[middle]) <= i)
      low = middle;
    else
      high = middle;
  }
  const std::uint32_t j = i - static_cast<std::uint32_t>(sums[low]);
  return {level.start[low] + 2 * j, static_cast<std::uint32_t>(sums[low] >> 32) + j};
}

}  // namespace cuzk::cuda
