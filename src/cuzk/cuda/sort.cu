#include "cuzk/cuda/internal/sort.h"

#include <cuda_runtime.h>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace cuzk::cuda {

Result<void> sort_by_code(Context& context, const std::uint32_t* codes_in, std::uint32_t* codes_out,
                          const std::uint32_t* index_in, std::uint32_t* index_out, std::uint64_t count,
                          unsigned key_bits, const DeviceMemory& scratch) {
  std::size_t bytes = scratch.bytes();
  return context.check(
      cub::DeviceRadixSort::SortPairs(scratch.as<void>(), bytes, codes_in, codes_out, index_in, index_out,
                                      count, 1, 1 + static_cast<int>(key_bits), context.stream()),
      "sort of digits");
}

std::uint64_t sort_scratch_bytes(std::uint64_t count) {
  std::size_t bytes = 0;
  const std::uint32_t* none = nullptr;
  std::uint32_t* out = nullptr;
  (void)cub::DeviceRadixSort::SortPairs(nullptr, bytes, none, out, none, out, count, 1, 32);
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
