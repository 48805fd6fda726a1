#pragma once

#include <cstdint>

#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// The bookkeeping of trees over buckets. Bucket b has size[b] entries at first, and size_after(size[b],
/// rounds) points after some rounds, the first at start[b], the others each `distance` behind the one before.
/// The entries lie side by side; the next level has a sum for every pair of neighbours and a copy of the odd
/// one out, side by side in an array of their own. There later levels stay: a sum takes the place of its
/// first operand, so that the distance doubles and the odd one out is where it belongs. Packed numbers hold
/// pairs (size / 2) in the low half and points of the next level ((size + 1) / 2) in the high half; their
/// prefix sums say where pair j of bucket b is listed and, in the first level, where its sum goes.
struct BucketLevel {
  std::uint32_t* start;
  std::uint32_t* size;
  std::uint32_t count;  ///< buckets
};

/// Of `size` points those that are left after so many rounds (below 32): half of them, rounded
/// up, each time.
CUZK_HD CUZK_INLINE std::uint32_t size_after(std::uint32_t size, unsigned rounds) {
  return size == 0 ? 0 : ((size - 1) >> rounds) + 1;
}

CUZK_HD CUZK_INLINE std::uint64_t packed_size(std::uint32_t size) {
  return static_cast<std::uint64_t>(size / 2 + size % 2) << 32 | size / 2;
}

/// The buckets first <= b < last of a stretch of sorted entries, when those before `next` are done, `buckets`
/// there are in all (and digits of zero behind them), and the stretch begins and ends with the given ones:
/// all that are empty before an entry, and behind the last stretch, are in it. `shared`: the first one has
/// entries in the stretch before, too.
struct StretchBuckets {
  std::uint32_t first;
  std::uint32_t last;
  bool shared;
};
CUZK_HD CUZK_INLINE StretchBuckets stretch_buckets(std::uint32_t next, std::uint32_t begins_with,
                                                   std::uint32_t ends_with, std::uint32_t buckets,
                                                   bool ends) {
  const bool shared = begins_with < next;
  const std::uint32_t last = ends || ends_with >= buckets ? buckets : ends_with + 1;
  return {shared ? begins_with : next, last, shared};
}

/// The first of the places low to high - 1 in `codes` (sorted by their bits from 1 on) whose key is not below
/// `key`, or `high`.
CUZK_HD inline std::uint32_t first_of_key(const std::uint32_t* codes, std::uint32_t low, std::uint32_t high,
                                          std::uint32_t key) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (codes[middle] >> 1 < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The bucket that holds pair `i` of all buckets, from the prefix sums (buckets + 1 of them): one of [low,
/// high).
CUZK_HD inline std::uint32_t bucket_of_pair(const std::uint64_t* sums, std::uint32_t i, std::uint32_t low,
                                            std::uint32_t high) {
  // The last one whose pairs begin at or before i: an empty one before it begins at the same place.
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (static_cast<std::uint32_t>(sums[middle]) <= i)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/// Pair `i` of all buckets, which lies in `bucket`; `distance` is 0 where the sums go to another array.
CUZK_HD inline ListedPair pair_in(const BucketLevel& level, const std::uint64_t* sums, std::uint32_t i,
                                  std::uint32_t bucket, std::uint32_t distance) {
  const std::uint32_t j = i - static_cast<std::uint32_t>(sums[bucket]);
  if (distance == 0) return {level.start[bucket] + 2 * j, static_cast<std::uint32_t>(sums[bucket] >> 32) + j};
  const std::uint32_t place = level.start[bucket] + 2 * j * distance;
  return {place, place};
}

}  // namespace cuzk::cuda
