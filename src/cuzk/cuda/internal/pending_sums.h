#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

/// Multi-scalar multiplications (msm.h) that are under way on a stream, so that others may be on another one.
/// Destroyed early it waits for them. Bases, scalars and context must outlive it. Used by the one thread that
/// uses the context. MsmRun (msm_impl.cuh) is the only one there is; .cc files need none of its kernels here.
template <class F>
class PendingSums {
 public:
  PendingSums() = default;
  PendingSums(const PendingSums&) = delete;
  PendingSums& operator=(const PendingSums&) = delete;
  virtual ~PendingSums() = default;
  /// First: waits for the size of the largest bucket, which says how many rounds there are, then launches the
  /// rest. Sums that need several sorts wait for each.
  virtual Result<void> add() = 0;
  /// Then: waits for the sums.
  virtual Result<std::vector<WindowSums<F>>> finish() = 0;
};

/// Takes their memory, and launches on `stream`, behind what the context's stream was given so far, what need
/// not wait for anything: digits and their sort. Sums over columns of buckets run on `columns`, which may be
/// the same.
/// Arguments and errors are those of msms; one of the counts is not zero.
Result<std::unique_ptr<PendingSums<Fp>>> begin_msms(Context& context, CUstream_st* stream,
                                                    CUstream_st* columns, const G1Affine* bases,
                                                    const Fr* scalars, std::span<const std::uint64_t> counts,
                                                    const MsmOptions& options);
Result<std::unique_ptr<PendingSums<Fp2>>> begin_msms(Context& context, CUstream_st* stream,
                                                     CUstream_st* columns, const G2Affine* bases,
                                                     const Fr* scalars, std::span<const std::uint64_t> counts,
                                                     const MsmOptions& options);

}  // namespace cuzk::cuda
