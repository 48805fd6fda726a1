#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// The host's type of a field: the same bytes.
template <class F32>
struct HostField;
template <>
struct HostField<Fp32> {
  using type = Fp;
};
template <>
struct HostField<Fp2x32> {
  using type = Fp2;
};

/// Launches of run_affine_add, with the scratch memory that they share.
template <class F>
struct AffineAddShape {
  static constexpr unsigned kThreads = 128;
  /// Blocks that a multiprocessor holds, where its shared memory is enough: 128 registers a thread for G1,
  /// 255 for G2.
  static constexpr unsigned kBlocks = sizeof(F) == sizeof(Fp32) ? 4 : 2;
};

template <class F>
__global__ void __launch_bounds__(AffineAddShape<F>::kThreads, AffineAddShape<F>::kBlocks)
    affine_add(const __grid_constant__ PointPairs<F> pairs, const std::uint64_t* count_on_device,
               std::uint32_t count, Chunk* prefix, std::uint32_t max_steps) {
  extern __shared__ uint4 shared_chunks[];
  if (count_on_device != nullptr) count = static_cast<std::uint32_t>(*count_on_device);
  DeviceBlock<AffineAddState<F>> block;
  run_affine_add(pairs, count, prefix, gridDim.x * blockDim.x, max_steps, block,
                 reinterpret_cast<Chunk*>(shared_chunks));
}

template <class F>
class AffineAdder {
 public:
  using Shape = AffineAddShape<F>;

  /// Scratch for batches of up to `most` additions.
  static std::uint64_t scratch_bytes(const Context& context, std::uint64_t most) {
    const std::uint64_t grid = grid_blocks(context, most) * Shape::kThreads;
    const std::uint64_t steps = std::min<std::uint64_t>((most + grid - 1) / grid, kMostSteps);
    return grid * std::max<std::uint64_t>(steps, 1) * sizeof(F);
  }
  Result<void> reserve(Context& context, std::uint64_t most) {
    CUZK_TRY_ASSIGN(owned_, context.allocate(scratch_bytes(context, most), "point additions"));
    return use(context, context.stream(), owned_.as<Chunk>(), owned_.bytes());
  }
  /// With scratch memory of the caller's, for additions on `stream`.
  Result<void> use(Context& context, cudaStream_t stream, void* scratch, std::uint64_t bytes) {
    context_ = &context;
    stream_ = stream;
    prefix_ = static_cast<Chunk*>(scratch);
    bytes_ = bytes;
    return context.check(
        cudaFuncSetAttribute(affine_add<F>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared),
        "point additions");
  }

  /// `count` additions, or as many as *on_device says, `count` being the most.
  Result<void> operator()(const PointPairs<F>& pairs, std::uint64_t count,
                          const std::uint64_t* on_device = nullptr) {
    if (count == 0) return {};
    const std::uint64_t blocks = grid_blocks(*context_, count);
    const auto max_steps = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bytes_ / (blocks * Shape::kThreads * sizeof(F)), kMostSteps));
    affine_add<F><<<static_cast<unsigned>(blocks), Shape::kThreads, kShared, stream_>>>(
        pairs, on_device, static_cast<std::uint32_t>(count), prefix_, max_steps);
    return context_->check_launch("point additions");
  }

 private:
  static constexpr int kShared = static_cast<int>(AddMemory<F>::bytes(Shape::kThreads));
  static std::uint64_t grid_blocks(const Context& context, std::uint64_t count) {
    // No more than run at a time, as all of them do the same work.
    const unsigned blocks = std::clamp(context.blocks_by_shared_memory(kShared), 1U, Shape::kBlocks);
    const std::uint64_t full =
        std::uint64_t{std::min(context.multiprocessors(), kMostMultiprocessors)} * blocks;
    return std::max<std::uint64_t>(1, std::min(full, (count + Shape::kThreads - 1) / Shape::kThreads));
  }

  Context* context_ = nullptr;
  cudaStream_t stream_ = nullptr;
  Chunk* prefix_ = nullptr;
  std::uint64_t bytes_ = 0;
  DeviceMemory owned_;
};

}  // namespace cuzk::cuda
