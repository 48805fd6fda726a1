#include "cuzk/cuda/internal/bit_sum_impl.cuh"
#include "cuzk/cuda/internal/msm_impl.cuh"

namespace cuzk::cuda {

Result<G2WindowSums> msm(Context& context, const G2Affine* bases, const Fr* scalars, std::uint64_t count,
                         const MsmOptions& options) {
  return run_msm(context, reinterpret_cast<const G2Affine32*>(bases), scalars, count, options);
}

Result<std::unique_ptr<PendingSums<Fp2>>> begin_msms(Context& context, CUstream_st* stream,
                                                     CUstream_st* columns, const G2Affine* bases,
                                                     const Fr* scalars, std::span<const std::uint64_t> counts,
                                                     const MsmOptions& options) {
  return begin_sums(context, stream, columns, reinterpret_cast<const G2Affine32*>(bases), scalars, counts,
                    options);
}

Result<std::vector<G2Xyzz>> bit_sum(Context& context, const G2Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t pick_count, const BasePairs& pairs) {
  return run_bit_sum(context, reinterpret_cast<const G2Affine32*>(bases), bits, count, pick_count, pairs);
}

Result<void> fill_pairs(Context& context, const G2Affine* points, std::uint64_t count, G2Affine* sums) {
  return run_fill_pairs(context, reinterpret_cast<const G2Affine32*>(points), count,
                        reinterpret_cast<G2Affine32*>(sums));
}

}  // namespace cuzk::cuda
