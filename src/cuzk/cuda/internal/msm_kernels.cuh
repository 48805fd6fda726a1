#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuzk/cuda/internal/affine_launch.cuh"
#include "cuzk/cuda/internal/bucket_tree.h"
#include "cuzk/cuda/internal/digits32.h"
#include "cuzk/cuda/internal/item_grid.cuh"

// The kernels of MsmRun (msm_impl.cuh), where the words are explained that they use.

namespace cuzk::cuda {
namespace msm_kernels {

/// The digits of the windows of sets first <= set < last of the bases from `begin` on, in the order of sets:
/// of each, the bucket among those of the sets' group of `group` (BucketGroup), and the sign.
static __global__ void digit_codes(const Fr32* scalars, std::uint64_t begin, std::uint64_t count,
                                   DigitWindows windows, SumBorders borders, unsigned first, unsigned last,
                                   unsigned group, std::uint32_t* codes) {
  CUZK_FOR_ITEMS(i, count) {
    const BiasedScalar k = biased(windows, add_detail::load_words(scalars + begin + i));
    const unsigned sum = borders.sum_of(begin + i);
    std::uint64_t to = i;
    for (unsigned set = first; set < last; ++set) {
      const unsigned group_first = set - set % group;
      const BucketGroup buckets{group_first, min(group_first + group, windows.sets)};
      for (unsigned w = set, multiple = 0; w < windows.count; w += windows.sets, ++multiple, to += count)
        codes[to] = buckets.code(windows, borders.sums, sum, set, digit_code(windows, k, set, multiple));
    }
  }
}

/// The base that each entry of a group of sets, from `first` on, is about: entries of `period` bases for
/// every window, whose bases lie in array after array of `stride`.
static __global__ void list_bases(std::uint32_t* index, std::uint64_t period, DigitWindows windows,
                                  unsigned first, unsigned last, std::uint64_t stride) {
  CUZK_FOR_ITEMS(i, period) {
    std::uint64_t to = i;
    for (unsigned set = first; set < last; ++set)
      for (unsigned w = set, multiple = 0; w < windows.count; w += windows.sets, ++multiple, to += period)
        index[to] = static_cast<std::uint32_t>(multiple * stride + i);
  }
}

/// A block searches for the first entries of kStartsOfBlock neighbouring buckets at a time, the first and the
/// last one among all.
inline constexpr std::uint32_t kStartsOfBlock = 8 * kItemThreads;
static __global__ void bucket_starts(const std::uint32_t* codes, std::uint32_t entries, std::uint32_t first,
                                     BucketLevel level) {
  __shared__ std::uint32_t place[2];
  const std::uint32_t step = gridDim.x * kStartsOfBlock;
  for (std::uint32_t begin = blockIdx.x * kStartsOfBlock; begin <= level.count; begin += step) {
    const std::uint32_t end = begin + min(kStartsOfBlock, level.count + 1 - begin);
    if (threadIdx.x < 2)
      place[threadIdx.x] = first_of_key(codes, 0, entries, first + (threadIdx.x == 0 ? begin : end - 1));
    __syncthreads();
    for (std::uint32_t b = begin + threadIdx.x; b < end; b += kItemThreads)
      level.start[b] = first_of_key(codes, place[0], place[1], first + b);
    __syncthreads();
  }
}
static __global__ void bucket_sizes(BucketLevel level, std::uint32_t* largest) {
  std::uint32_t mine = 0;
  CUZK_FOR_ITEMS(b, level.count) {
    const std::uint32_t size = level.start[b + 1] - level.start[b];
    level.size[b] = size;
    mine = mine < size ? size : mine;
  }
  mine = __reduce_max_sync(~0U, mine);  // the threads of a warp would queue for the one place
  if (threadIdx.x % 32 == 0) atomicMax(largest, mine);
}

/// A block lists kPairsOfBlock neighbours at a time: only the buckets of the first and the last one are
/// searched for among all.
inline constexpr std::uint32_t kPairsOfBlock = 8 * kItemThreads;
static __global__ void list_pairs(BucketLevel level, const std::uint64_t* sums, std::uint32_t distance,
                                  ListedPair* list) {
  __shared__ std::uint32_t bucket[2];
  const auto pairs = static_cast<std::uint32_t>(sums[level.count]);
  const std::uint32_t step = gridDim.x * kPairsOfBlock;
  for (std::uint32_t begin = blockIdx.x * kPairsOfBlock; begin < pairs; begin += step) {
    const std::uint32_t end = begin + min(kPairsOfBlock, pairs - begin);
    if (threadIdx.x < 2)
      bucket[threadIdx.x] = bucket_of_pair(sums, threadIdx.x == 0 ? begin : end - 1, 0, level.count);
    __syncthreads();
    const std::uint32_t low = bucket[0];
    const std::uint32_t high = bucket[1] + 1;
    for (std::uint32_t i = begin + threadIdx.x; i < end; i += kItemThreads)
      list[i] = pair_in(level, sums, i, bucket_of_pair(sums, i, low, high), distance);
    __syncthreads();
  }
}
/// Where the points of a level are: an array, or bases picked by the sorted entries.
template <class F>
struct LevelPoints {
  const Affine<F>* points;
  const std::uint32_t* codes;  // null: an array
  const std::uint32_t* index;

  __device__ Affine<F> at(std::uint32_t i) const {
    if (codes == nullptr) return {add_detail::load_words(&points[i].x), add_detail::load_words(&points[i].y)};
    const Affine<F>* const p = points + index[i];
    return {add_detail::load_words(&p->x), add_detail::load_y(p, (codes[i] & 1) != 0)};
  }
};

/// Out of the first level, once its pairs are listed: the odd ones to their places, and where in the next
/// level buckets begin.
template <class F>
__global__ void leave_entries(BucketLevel level, const std::uint64_t* sums, LevelPoints<F> from,
                              Affine<F>* to) {
  CUZK_FOR_ITEMS(b, level.count) {
    const std::uint32_t size = level.size[b];
    const auto begin = static_cast<std::uint32_t>(sums[b] >> 32);
    if (size % 2 != 0) {
      const Affine<F> p = from.at(level.start[b] + size - 1);
      Affine<F>* const out = to + begin + size / 2;
      add_detail::store_words(&out->x, p.x);
      add_detail::store_words(&out->y, p.y);
    }
    level.start[b] = begin;
  }
}

/// Buckets, of which one point is left at most, to their places, the first one to `border` where that is not
/// null.
template <class F>
__global__ void place_buckets(BucketLevel level, LevelPoints<F> from, Affine<F>* out, Affine<F>* border) {
  CUZK_FOR_ITEMS(b, level.count) {
    const Affine<F> p = level.size[b] != 0 ? from.at(level.start[b]) : Affine<F>::infinity();
    Affine<F>* const to = b == 0 && border != nullptr ? border : out + b;
    add_detail::store_words(&to->x, p.x);
    add_detail::store_words(&to->y, p.y);
  }
}

}  // namespace msm_kernels

}  // namespace cuzk::cuda
