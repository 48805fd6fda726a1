#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/kernels.h"

namespace cuzk {

/// For tests, measurements and progress displays; the defaults are right for everything else. Results do not
/// depend on it.
struct MsmOptions {
  /// Digits of the scalars in radix 2^window_bits, 1 to 22; 0 chooses by the number of bases.
  unsigned window_bits = 0;
  /// Bases that are taken at a time; 0 chooses.
  std::size_t slice = 0;
  /// Gets the number of bases done so far, after every slice, from the calling thread. May be empty.
  std::function<void(std::size_t)> progress = nullptr;
};

/// Multi-scalar multiplication: sum of [scalars[i]] bases[i], 0 for no bases. The spans have equal lengths
/// (below 2^31). Bases may be infinity, may repeat and may be each other's opposites; they must lie in the
/// subgroup of order r only in so far as scalars above (r-1)/2 are taken as negative numbers (k - r).
///
/// Pippenger's bucket method with signed digits: for each window the points are sorted by digit, every bucket
/// is summed by a tree of batch-affine additions, and the buckets are combined by row and column sums.
/// Scalars 0 cost only their recoding, small scalars (0 or 1, say) one addition per non-zero digit.
///
/// Work is split over all threads of the pool, and the bases into slices of some hundred thousand. Memory:
/// the buckets (48 MiB for 2^20 bases of G1), 8 bytes for every window and base of a slice (16 to 32 MiB),
/// and about 2 MiB a thread. Thread-safe: no state is kept between calls.
G1Jacobian msm(ThreadPool& pool, std::span<const G1Affine> bases, std::span<const Fr> scalars,
               const MsmOptions& options = {});
G2Jacobian msm(ThreadPool& pool, std::span<const G2Affine> bases, std::span<const Fr> scalars,
               const MsmOptions& options = {});

/// The same sum by double-and-add, base after base: the oracle.
G1Jacobian msm_plain(std::span<const G1Affine> bases, std::span<const Fr> scalars);
G2Jacobian msm_plain(std::span<const G2Affine> bases, std::span<const Fr> scalars);

/// The window that msm chooses for `count` bases.
unsigned msm_window_bits(std::size_t count);

}  // namespace cuzk
