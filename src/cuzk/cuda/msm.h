#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"

namespace cuzk::cuda {

/// Results do not depend on it.
struct MsmOptions {
  /// Digits of the scalars in radix 2^window_bits, 3 to 26; 0 chooses by the number of bases.
  unsigned window_bits = 0;
  /// For tests. Bases taken at a time; 0: as many as memory allows.
  std::uint64_t slice = 0;
  /// Arrays of `count` points behind `bases`, made by fill_multiples with this many and these window_bits
  /// (then not 0); 1: nothing but the bases.
  unsigned multiples = 1;
  /// For tests. Sorted digits whose buckets are summed at a time; 0: all, or with multiples 2^27.
  std::uint64_t entries = 0;
};

/// Multiples that are kept beside bases. Windows of the scalars whose digits are about multiples of one
/// distance share buckets, so that there are fewer of them and windows may be wider.
struct BaseMultiples {
  unsigned window_bits = 0;
  unsigned arrays = 1;  ///< of points, the bases themselves the first one
  unsigned shift = 0;   ///< array j has 2^(shift j) times the bases
};
/// What serves a sum over `count` bases best with at most `most_arrays` (from 1) arrays. 0 chooses the
/// window, too.
[[nodiscard]] BaseMultiples base_multiples(std::uint64_t count, unsigned most_arrays,
                                           unsigned window_bits = 0);
/// What a sum takes with them, in units of one addition: counted, not measured.
[[nodiscard]] double msm_cost(std::uint64_t count, const BaseMultiples& multiples);
/// Points whose multiples are made at a time: fill_multiples takes two coordinates for each beside.
inline constexpr std::uint64_t kDoubledPoints = std::uint64_t{1} << 21;

/// What the device leaves of a multi-scalar multiplication: a pair of points for every window (or set of
/// windows that share buckets), and the doublings between them, for the host.
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

/// Fills the arrays behind the first `count` points with their multiples, all in device memory. The points
/// lie in the subgroup of order r, or are infinity. Does not wait for the device.
Result<void> fill_multiples(Context& context, G1Affine* points, std::uint64_t count,
                            const BaseMultiples& multiples);

/// The sum of those bases[i], i < count, whose bit is set (bit i % 64 of word i / 64; all in device memory),
/// by a tree of batch-affine additions. `set` is the number of bits set below `count` (below 2^31). The
/// partial sums, up to 32, none where no bit is set, are for the host to add. Blocks until they are there.
/// Takes its memory from the context and gives it back; kIo, out of memory, when there is too little for all
/// of them at once, kUsage for counts that cannot be.
Result<std::vector<G1Xyzz>> bit_sum(Context& context, const G1Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t set);
Result<std::vector<G2Xyzz>> bit_sum(Context& context, const G2Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t set);

/// The window that msm chooses for `count` bases.
unsigned msm_window_bits(std::uint64_t count);
/// How many of them a scalar has.
unsigned msm_windows(unsigned window_bits);

}  // namespace cuzk::cuda
