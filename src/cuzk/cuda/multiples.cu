#include "cuzk/cuda/msm.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "cuzk/cuda/internal/doublings.h"

namespace cuzk::cuda {
namespace {

constexpr unsigned kThreads = 128;
constexpr unsigned kBlocks = 4;  // of a multiprocessor

__global__ void __launch_bounds__(kThreads, kBlocks)
    double_points(const G1Affine32* from, G1Affine32* to, std::uint32_t count, unsigned doublings, Fp32* z,
                  Fp32* before) {
  run_doublings(from, to, count, doublings, z, before, blockIdx.x * blockDim.x + threadIdx.x,
                gridDim.x * blockDim.x);
}

}  // namespace

Result<void> fill_multiples(Context& context, G1Affine* points, std::uint64_t count, unsigned multiples,
                            unsigned shift) {
  const char* const stage = "multiples of bases";
  const std::uint64_t piece = std::min(count, kDoubledPoints);
  if (piece == 0 || multiples < 2) return {};
  CUZK_TRY_ASSIGN(const DeviceMemory z, context.allocate(piece * sizeof(Fp), stage));
  CUZK_TRY_ASSIGN(const DeviceMemory before, context.allocate(piece * sizeof(Fp), stage));
  auto* const all = reinterpret_cast<G1Affine32*>(points);
  const unsigned blocks = context.multiprocessors() * kBlocks;
  const std::uint64_t made = count * (multiples - 1);  // each from the point `count` before it
  for (std::uint64_t begin = 0; begin < made; begin += piece) {
    // No more than `count` points: a piece does not read what it writes.
    const std::uint64_t size = std::min(piece, made - begin);
    double_points<<<blocks, kThreads, 0, context.stream()>>>(all + begin, all + begin + count,
                                                             static_cast<std::uint32_t>(size), shift,
                                                             z.as<Fp32>(), before.as<Fp32>());
    CUZK_TRY(context.check_launch(stage));
  }
  return {};
}

}  // namespace cuzk::cuda
