#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// Runs run_affine_add on the host, block after block, as a launch of `blocks` blocks of `threads` threads
/// does on the device. For tests.
template <class F>
void host_affine_add(const PointPairs<F>& pairs, std::uint32_t count, unsigned blocks = 3,
                     unsigned threads = 8, std::uint32_t max_steps = 4) {
  std::vector<Chunk> prefix(std::size_t{blocks} * threads * max_steps * AddMemory<F>::kField);
  for (unsigned b = 0; b < blocks; ++b) {
    std::vector<Chunk> memory(AddMemory<F>::bytes(threads) / sizeof(Chunk));
    HostBlock<AffineAddState<F>> block(b, threads);
    run_affine_add<F>(pairs, count, prefix.data(), blocks * threads, max_steps, block, memory.data());
  }
}

/// The points of the host in the device's types (the same bytes).
template <class F32, class F>
std::vector<Affine<F32>> narrow_points(const std::vector<Affine<F>>& points) {
  std::vector<Affine<F32>> r;
  r.reserve(points.size());
  for (const auto& p : points) r.push_back({F32::from(p.x), F32::from(p.y)});
  return r;
}

}  // namespace cuzk::cuda
