#pragma once

#include <cstdint>
#include <span>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/kernels.h"

namespace cuzk {

/// The sum of those bases[i] whose bit is set: bit i % 64 of bits[i / 64]. `bits` holds (bases.size() + 63) /
/// 64 words; bits beyond the last base are ignored. At most 2^31 bases; they may be infinity, repeat, or be
/// opposites.
///
/// A tree of batch-affine additions, no buckets: about six products of the field for each bit that is set.
/// All threads of the pool take part. Memory: under 3 MiB a thread. Thread-safe.
G1Jacobian bit_sum(ThreadPool& pool, std::span<const G1Affine> bases, std::span<const std::uint64_t> bits);
G2Jacobian bit_sum(ThreadPool& pool, std::span<const G2Affine> bases, std::span<const std::uint64_t> bits);

}  // namespace cuzk
