#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

// Kernels that do the same for every one of `count` items: launched as k<<<item_grid(count), kItemThreads>>>,
// each thread takes its items with CUZK_FOR_ITEMS.

namespace cuzk::cuda {

inline constexpr unsigned kItemThreads = 256;

inline unsigned item_grid(std::uint64_t items) {
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((items + kItemThreads - 1) / kItemThreads, 1, 1U << 15));
}

/// The items of a thread, for grids of any size.
#define CUZK_FOR_ITEMS(i, count)                                                            \
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < (count); \
       i += std::uint64_t{gridDim.x} * blockDim.x)

}  // namespace cuzk::cuda
