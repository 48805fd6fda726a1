#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"

namespace cuzk::cuda {

/// For tests and measurements; results do not depend on it.
struct MsmOptions {
  /// Digits of the scalars in radix 2^window_bits, 3 to 24; 0 chooses by the number of bases.
  unsigned window_bits = 0;
  /// Bases taken at a time; 0: as many as memory allows.
  std::uint64_t slice = 0;
};

/// What the device leaves of a multi-scalar multiplication: a pair of points for every window, and the
/// doublings between them, for the host.
template <class F>
struct WindowSums {
  unsigned window_bits = 0;
  unsigned low_bits = 0;
  std::vector<Xyzz<F>> columns;  ///< window w is columns[w] + 2^low_bits rows[w]
  std::vector<Xyzz<F>> rows;

  [[nodiscard]] Jacobian<F> total() const;
};
using G1WindowSums = WindowSums<Fp>;
using G2WindowSums = WindowSums<Fp2>;
extern template struct WindowSums<Fp>;
extern template struct WindowSums<Fp2>;

/// Multi-scalar multiplication: sum of [scalars[i]] bases[i] over `count` (below 2^31) bases and scalars in
/// device memory. Bases may be infinity, may repeat and may be each other's opposites; they lie in the
/// subgroup of order r.
///
/// Pippenger's bucket method with signed digits: the points of a group of windows are sorted by digit on the
/// device, every bucket is summed by a tree of batch-affine additions whose pairs are listed over all buckets
/// at once (so that the sizes of buckets do not matter), and buckets are combined by row and column sums.
/// Blocks until the sums are there. Takes its memory from the context and gives it back; kIo, out of memory,
/// when not even small slices fit. Bases and scalars stay the caller's and are only read.
/// Thread-safety, here and below: a context is one thread's at a time.
Result<G1WindowSums> msm(Context& context, const G1Affine* bases, const Fr* scalars, std::uint64_t count,
                         const MsmOptions& options = {});
Result<G2WindowSums> msm(Context& context, const G2Affine* bases, const Fr* scalars, std::uint64_t count,
                         const MsmOptions& options = {});

/// The sum of those bases[i], i < count, whose bit is set (bit i % 64 of word i / 64; all in device memory),
/// by a tree of batch-affine additions. `set` is the number of bits set below `count`. The partial sums are
/// for the host to add.
Result<std::vector<G1Xyzz>> bit_sum(Context& context, const G1Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t set);
Result<std::vector<G2Xyzz>> bit_sum(Context& context, const G2Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t set);

/// The window that msm chooses for `count` bases.
unsigned msm_window_bits(std::uint64_t count);

}  // namespace cuzk::cuda
