#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/cuda/context.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"

namespace cuzk::cuda {

/// How a sum cuts its scalars (see internal/digits32.h). Results do not depend on it.
struct MsmWindows {
  /// Digits of a scalar, kLeastWindows to kMostWindows; 0 where it is not chosen yet.
  unsigned count = 0;
  /// Points that are kept for each base, itself the first. Windows whose digits are about multiples of one
  /// distance share buckets, so that there are fewer of them and windows may be wider.
  unsigned multiples = 1;
};
/// Windows of 26 and 25 bits, and of 3.
inline constexpr unsigned kLeastWindows = 10;
inline constexpr unsigned kMostWindows = 85;
/// What serves best where `sums` sums over `count` bases together are computed side by side, with at most
/// `most_multiples` (from 1) points for each base.
[[nodiscard]] MsmWindows msm_windows(std::uint64_t count, unsigned most_multiples = 1, unsigned sums = 1);
/// The division into at most `windows` windows, in as few sets as at most `most_multiples` points for each
/// base allow (internal/digits32.h). Has the count and the multiples that it really uses.
[[nodiscard]] MsmWindows windows_of(unsigned windows, unsigned most_multiples);
/// What such sums take, in units of one addition: counted, with two weights (window_sums.cc);
/// docs/experiments.md has what was measured beside.
[[nodiscard]] double msm_cost(std::uint64_t count, const MsmWindows& windows, unsigned sums = 1);

struct MsmOptions {
  /// None chosen: what msm_windows has without multiples. With multiples they come from windows_of or
  /// msm_windows, and behind `bases` lie the arrays of `count` points that fill_multiples made.
  MsmWindows windows{};
  /// For tests. Bases taken at a time; 0: as many as memory allows.
  std::uint64_t slice = 0;
  /// For tests. Sorted digits whose buckets are summed at a time; 0: all, or with multiples 2^27.
  std::uint64_t entries = 0;
};

/// Points whose multiples are made at a time: fill_multiples takes two coordinates for each beside.
inline constexpr std::uint64_t kDoubledPoints = std::uint64_t{1} << 21;
/// Pairs that fill_pairs adds in one batch; it takes a coordinate for each beside.
inline constexpr std::uint64_t kPairedPoints = std::uint64_t{1} << 21;

/// What the device leaves of a multi-scalar multiplication: a pair of points for every window (or set of
/// windows that share buckets), and the doublings between them, for the host.
template <class F>
struct WindowSums {
  unsigned windows = 0;  ///< digits of a scalar
  unsigned narrow = 0;   ///< windows of narrow_bits bits; those behind them have one more
  unsigned narrow_bits = 0;
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

/// Several sums side by side, over counts[0], counts[1], ... bases and scalars that lie one sum's behind the
/// other's: the same as one after the other, in fewer and larger steps. Without multiples.
inline constexpr std::size_t kMostSums = 4;
Result<std::vector<G1WindowSums>> msms(Context& context, const G1Affine* bases, const Fr* scalars,
                                       std::span<const std::uint64_t> counts, const MsmOptions& options = {});

/// Fills the multiples - 1 arrays of `count` points behind the first `count` points, all in device memory:
/// array j gets 2^(shift j) times the points; sums want DigitWindows::shift (internal/digits32.h). All are in
/// the subgroup of order r, or infinity. Does not wait for the device.
Result<void> fill_multiples(Context& context, G1Affine* points, std::uint64_t count, unsigned multiples,
                            unsigned shift);

/// Sums of neighbouring bases, bases[2 i] + bases[2 i + 1], that lie at bases[at + i]: of the first `paired`
/// bases, all of a sum's or a multiple of 64 (the last of an odd number has no partner, and no sum).
struct BasePairs {
  std::uint64_t paired = 0;
  std::uint64_t at = 0;
};
/// The most points that a sum over a bitmap of `count` bases adds.
[[nodiscard]] constexpr std::uint64_t most_picks(std::uint64_t count, const BasePairs& pairs) {
  return count - pairs.paired / 2;
}

/// The sum of those bases[i], i < count, whose bit is set (bit i % 64 of word i / 64; all in device memory),
/// by a tree of batch-affine additions. Where there are sums of pairs, one of them is taken in place of two
/// bases, a fourth fewer points when half of the bits are set. `pick_count` is the number of points that are
/// added: bits that are set, or, of bases in pairs, pairs with one or both of them set. It must be exact:
/// memory is taken for so many, and the bits are not counted again. The partial sums, up to 32, none where no
/// bit is set, are for the host to add. Blocks until they are there. Takes its memory from the context and
/// gives it back; kIo, out of memory, when there is too little for all of them at once, kUsage where `count`
/// is not below 2^31, `pick_count` above most_picks, or `pairs` what cannot be.
Result<std::vector<G1Xyzz>> bit_sum(Context& context, const G1Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t pick_count,
                                    const BasePairs& pairs = {});
Result<std::vector<G2Xyzz>> bit_sum(Context& context, const G2Affine* bases, const std::uint64_t* bits,
                                    std::uint64_t count, std::uint64_t pick_count,
                                    const BasePairs& pairs = {});

/// sums[i] = points[2 i] + points[2 i + 1] for i < count / 2, whatever the points are, count below 2^31; all
/// in device memory, apart. Does not wait for the device.
Result<void> fill_pairs(Context& context, const G1Affine* points, std::uint64_t count, G1Affine* sums);
Result<void> fill_pairs(Context& context, const G2Affine* points, std::uint64_t count, G2Affine* sums);

}  // namespace cuzk::cuda
