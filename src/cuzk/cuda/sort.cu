#include "cuzk/cuda/internal/sort.h"

#include <cuda_runtime.h>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "cuzk/cuda/internal/bucket_tree.h"

namespace cuzk::cuda {
namespace {

struct LevelSizes {
  const std::uint32_t* sizes;
  std::uint32_t count;
  unsigned round;

  __device__ std::uint64_t operator()(std::uint32_t b) const {
    return b < count ? packed_size(size_after(sizes[b], round)) : 0;
  }
};
auto packed_sizes(const std::uint32_t* sizes, std::uint32_t count, unsigned round) {
  return thrust::make_transform_iterator(thrust::counting_iterator<std::uint32_t>(0),
                                         LevelSizes{sizes, count, round});
}

}  // namespace

Result<void> sort_by_code(Context& context, CUstream_st* stream, const std::uint32_t* codes_in,
                          std::uint32_t* codes_out, const std::uint32_t* index_in, std::uint32_t* index_out,
                          std::uint64_t count, unsigned key_bits, void* scratch,
                          std::uint64_t scratch_bytes) {
  std::size_t bytes = scratch_bytes;
  const int end_bit = 1 + static_cast<int>(key_bits);
  const auto entries = static_cast<std::uint32_t>(count);
  return context.check(cub::DeviceRadixSort::SortPairs(scratch, bytes, codes_in, codes_out, index_in,
                                                       index_out, entries, 1, end_bit, stream),
                       "sort of digits");
}

std::uint64_t sort_scratch_bytes(std::uint64_t count) {
  const std::uint32_t* none = nullptr;
  std::uint32_t* out = nullptr;
  const auto entries = static_cast<std::uint32_t>(count < UINT32_MAX ? count : UINT32_MAX);
  std::size_t bytes = 0;
  (void)cub::DeviceRadixSort::SortPairs(nullptr, bytes, none, out, none, out, entries, 1, 32);
  return bytes;
}

Result<void> level_sums(Context& context, CUstream_st* stream, const std::uint32_t* sizes, unsigned round,
                        std::uint64_t* sums, std::uint32_t count, void* scratch,
                        std::uint64_t scratch_bytes) {
  std::size_t bytes = scratch_bytes;
  return context.check(cub::DeviceScan::ExclusiveSum(scratch, bytes, packed_sizes(sizes, count, round), sums,
                                                     std::uint64_t{count} + 1, stream),
                       "prefix sums");
}

std::uint64_t level_scratch_bytes(std::uint64_t count) {
  std::size_t bytes = 0;
  std::uint64_t* sums = nullptr;
  (void)cub::DeviceScan::ExclusiveSum(nullptr, bytes, packed_sizes(nullptr, 0, 0), sums, count + 1);
  return bytes;
}

Result<void> exclusive_sums(Context& context, const std::uint64_t* in, std::uint64_t* out,
                            std::uint64_t count, const DeviceMemory& scratch) {
  std::size_t bytes = scratch.bytes();
  return context.check(
      cub::DeviceScan::ExclusiveSum(scratch.as<void>(), bytes, in, out, count, context.stream()),
      "prefix sums");
}

std::uint64_t sum_scratch_bytes(std::uint64_t count) {
  std::size_t bytes = 0;
  const std::uint64_t* none = nullptr;
  std::uint64_t* out = nullptr;
  (void)cub::DeviceScan::ExclusiveSum(nullptr, bytes, none, out, count);
  return bytes;
}

}  // namespace cuzk::cuda
