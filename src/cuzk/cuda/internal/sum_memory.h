#pragma once

#include <cstdint>

#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

// What the sums of msm.h take beside bases and scalars, from above: a plan has no device to ask how much the
// sort and the adder want. tests/device proves under limits that leave exactly this. All of it is pure.

/// Bases below which msm does not cut its slices further.
inline constexpr std::uint64_t kLeastSlice = std::uint64_t{1} << 16;
/// Windows of ten and nine bits: many, but with few buckets, so that a sum in them takes least memory.
inline constexpr unsigned kNarrowWindows = 26;
/// Those, or more where a sum over `count` bases is best with more.
[[nodiscard]] MsmWindows narrow_windows(std::uint64_t count);

/// A multi-scalar multiplication over `count` points of `point_bytes` without multiples, one window at a
/// time, in slices of `slice` bases.
[[nodiscard]] std::uint64_t msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                                             const MsmWindows& windows, std::uint64_t slice);
/// As many windows at a time as suit it, all bases at once; of `sums` sums over `count` points together that
/// are computed side by side. A bound from above up to 2^27 points, and beyond with multiples.
[[nodiscard]] std::uint64_t whole_msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                                                   const MsmWindows& windows, unsigned sums = 1);
/// The same where memory is plentiful, so that the digits of all windows are made in one sweep and kept: no
/// sum takes more.
[[nodiscard]] std::uint64_t most_msm_memory(std::uint64_t count, std::uint64_t point_bytes,
                                            const MsmWindows& windows, unsigned sums = 1);
/// For one piece of a streamed query, whose size is given: the fewest windows, from those of
/// msm_windows(count) on, for which `free` bytes suffice, or narrow_windows(count).
[[nodiscard]] MsmWindows fitting_windows(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free);
/// For a whole query that is resident, which msm may cut: the windows with which a sum over all `count`
/// points, at once or in the slices that `free` bytes allow, costs least (msm_cost). They fit in what any
/// plan leaves the sum, which is enough for narrow_windows(count).
[[nodiscard]] MsmWindows sliced_windows(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free);

/// A sum over a bitmap of `count` bases, whatever the bits, of which the first `paired` are in pairs
/// (BasePairs).
[[nodiscard]] std::uint64_t bit_sum_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                                                 std::uint64_t paired = 0);
/// How many of `count` bases to take at a time: all, or a multiple of kBitBlock for which `free` bytes
/// suffice, or one kBitBlock; at most 2^27, at least 1.
[[nodiscard]] std::uint64_t fitting_bits(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free,
                                         std::uint64_t paired = 0);
/// Making the sums of pairs of `count` bases (fill_pairs).
[[nodiscard]] std::uint64_t pairs_memory_bound(std::uint64_t count, std::uint64_t point_bytes);

}  // namespace cuzk::cuda
