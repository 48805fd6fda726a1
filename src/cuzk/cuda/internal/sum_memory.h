#pragma once

#include <cstdint>

#include "cuzk/cuda/msm.h"

namespace cuzk::cuda {

/// What the sums of msm.h take beside bases and scalars, from above: a plan has no device to ask how much the
/// sort and the adder want. tests/device proves under limits that leave exactly this.

/// Bases below which msm does not cut its slices further.
inline constexpr std::uint64_t kLeastSlice = std::uint64_t{1} << 16;
/// A window that leaves few buckets; msm takes wider ones where there is memory and reason.
inline constexpr unsigned kLeastWindow = 10;

/// A multi-scalar multiplication over `count` points of `point_bytes`, one window at a time, in slices of
/// `slice` bases.
[[nodiscard]] std::uint64_t msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                                             unsigned window_bits, std::uint64_t slice);
/// The same with multiples, as many windows at a time as suit it, all bases at once.
[[nodiscard]] std::uint64_t msm_memory_bound(std::uint64_t count, std::uint64_t point_bytes,
                                             const BaseMultiples& multiples);
/// The widest window up to msm_window_bits(count) for which `free` bytes suffice, or kLeastWindow.
[[nodiscard]] unsigned fitting_window(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free);
/// The window for a sum over all `count` points at once or in the slices that `free` bytes allow: that of
/// msm_window_bits(count) where they suffice for it at all, otherwise the one with which the slices cost
/// least (msm_cost). Fits in what any plan leaves the sum, which is enough for kLeastWindow.
[[nodiscard]] unsigned sliced_window(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free);

/// A sum over a bitmap of `count` bases, whatever the bits.
[[nodiscard]] std::uint64_t bit_sum_memory_bound(std::uint64_t count, std::uint64_t point_bytes);
/// How many of `count` bases to take at a time: all, or a multiple of kBitBlock for which `free` bytes
/// suffice, or one kBitBlock.
[[nodiscard]] std::uint64_t fitting_bits(std::uint64_t count, std::uint64_t point_bytes, std::uint64_t free);

}  // namespace cuzk::cuda
