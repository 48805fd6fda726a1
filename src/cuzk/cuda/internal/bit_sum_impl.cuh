#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "cuzk/cuda/internal/affine_launch.cuh"
#include "cuzk/cuda/internal/bit_picks.h"
#include "cuzk/cuda/internal/item_grid.cuh"
#include "cuzk/cuda/internal/sort.h"
#include "cuzk/cuda/internal/weighted_sum.cuh"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {
namespace bit_sum_kernels {

static __global__ void count_picks_of_words(BitPicks picks, const std::uint64_t* bits, std::uint64_t count,
                                            std::uint64_t words, std::uint64_t* sizes) {
  CUZK_FOR_ITEMS(i, words) sizes[i] = picks.count(i, word_of(bits, count, i));
}
static __global__ void list_picks(BitPicks picks, const std::uint64_t* bits, std::uint64_t count,
                                  std::uint64_t words, const std::uint64_t* place, std::uint32_t* index) {
  CUZK_FOR_ITEMS(i, words) {
    std::uint64_t to = place[i];
    picks.each(i, word_of(bits, count, i), [&](std::uint32_t picked) { index[to++] = picked; });
  }
}
template <class F>
__global__ void copy_point(const Affine<F>* from, const std::uint32_t* index, Affine<F>* to) {
  *to = from[index == nullptr ? 0 : *index];
}

}  // namespace bit_sum_kernels

template <class F>
Result<std::vector<Xyzz<typename HostField<F>::type>>> run_bit_sum(Context& context, const Affine<F>* bases,
                                                                   const std::uint64_t* bits,
                                                                   std::uint64_t count,
                                                                   std::uint64_t pick_count,
                                                                   const BasePairs& pairs) {
  using namespace bit_sum_kernels;
  using Host = typename HostField<F>::type;
  std::vector<Xyzz<Host>> out;
  if (pick_count == 0) return out;
  if (count >= std::uint64_t{1} << 31 || pick_count > most_picks(count, pairs))
    return usage_error(
        "sum over a bitmap: fewer than 2^31 bases, no more points than bits and pairs of them");
  if (pairs.paired > count || (pairs.paired % 64 != 0 && pairs.paired != count) ||
      pairs.at + pairs.paired / 2 > std::uint64_t{1} << 32)
    return usage_error("sum over a bitmap: pairs of all bases or of a multiple of 64, below point 2^32");
  const BitPicks picks(static_cast<std::uint32_t>(pairs.paired), static_cast<std::uint32_t>(pairs.at));
  const char* const stage = "sum over a bitmap";
  const cudaStream_t stream = context.stream();
  const std::uint64_t words = (count + 63) / 64;
  constexpr std::uint64_t kEnough = 1 << 14;  // points that are left to partial_sums
  constexpr unsigned kPartial = 32;
  DeviceMemory index, levels[2];
  {
    CUZK_TRY_ASSIGN(DeviceMemory sizes, context.allocate(8 * words, stage));
    CUZK_TRY_ASSIGN(DeviceMemory places, context.allocate(8 * words, stage));
    CUZK_TRY_ASSIGN(DeviceMemory scratch, context.allocate(sum_scratch_bytes(words), stage));
    CUZK_TRY_ASSIGN(index, context.allocate(4 * pick_count, stage));
    count_picks_of_words<<<item_grid(words), kItemThreads, 0, stream>>>(picks, bits, count, words,
                                                                        sizes.as<std::uint64_t>());
    CUZK_TRY(context.check_launch(stage));
    CUZK_TRY(exclusive_sums(context, sizes.as<std::uint64_t>(), places.as<std::uint64_t>(), words, scratch));
    list_picks<<<item_grid(words), kItemThreads, 0, stream>>>(
        picks, bits, count, words, places.as<std::uint64_t>(), index.as<std::uint32_t>());
    CUZK_TRY(context.check_launch(stage));
  }
  CUZK_TRY_ASSIGN(levels[0], context.allocate(sizeof(Affine<F>) * ((pick_count + 1) / 2), stage));
  CUZK_TRY_ASSIGN(levels[1], context.allocate(sizeof(Affine<F>) * ((pick_count + 3) / 4), stage));
  CUZK_TRY_ASSIGN(DeviceMemory results, context.allocate(kPartial * sizeof(Xyzz<F>), stage));
  AffineAdder<F> adder;
  CUZK_TRY(adder.reserve(context, pick_count / 2 + 1));
  const Affine<F>* from = bases;
  const std::uint32_t* picked = index.as<std::uint32_t>();
  std::uint64_t size = pick_count;
  for (unsigned round = 0; size > kEnough || round == 0; ++round) {
    auto* const next = levels[round % 2].template as<Affine<F>>();
    if (round == 0)
      CUZK_TRY(adder(PointPairs<F>::picked(bases, picked, next), size / 2));
    else
      CUZK_TRY(adder(PointPairs<F>::neighbours(from, next), size / 2));
    if (size % 2 != 0) {
      if (round == 0)
        copy_point<F><<<1, 1, 0, stream>>>(bases, picked + size - 1, next + size / 2);
      else
        copy_point<F><<<1, 1, 0, stream>>>(from + size - 1, nullptr, next + size / 2);
      CUZK_TRY(context.check_launch(stage));
    }
    size = (size + 1) / 2;
    from = next;
  }
  const auto blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(size / kSumThreads, 1, kPartial));
  partial_sums<F><<<blocks, kSumThreads, kSumThreads * sizeof(Xyzz<F>), stream>>>(
      from, static_cast<std::uint32_t>(size), results.as<Xyzz<F>>());
  CUZK_TRY(context.check_launch(stage));
  out.resize(blocks);
  CUZK_TRY(context.check(cudaMemcpyAsync(out.data(), results.as<void>(), blocks * sizeof(Xyzz<F>),
                                         cudaMemcpyDeviceToHost, stream),
                         stage));
  CUZK_TRY(context.synchronize(stage));
  return out;
}

template <class F>
Result<void> run_fill_pairs(Context& context, const Affine<F>* points, std::uint64_t count, Affine<F>* sums) {
  if (count >= std::uint64_t{1} << 31) return usage_error("sums of pairs of bases: fewer than 2^31 bases");
  if (count < 2) return {};
  AffineAdder<F> adder;
  CUZK_TRY(adder.reserve(context, std::min(count / 2, kPairedPoints)));
  return adder(PointPairs<F>::neighbours(points, sums), count / 2);
}

}  // namespace cuzk::cuda
