#pragma once

#include <cstdint>

#include "cuzk/cuda/context.h"

namespace cuzk::cuda {

// All arrays lie in device memory and stay the caller's. Asynchronous, in the order of `stream` or the
// context's, in which scratch memory may be released right away. Errors: those of a launch, as
// Context::check_launch. One thread at a time, the one that uses the context. The sizes are
// those for the device that is current for the thread (Context::bind); 0 where it cannot be asked, and then
// the sort itself fails.

/// Sorts `count` (code, index) pairs by the bits [1, 1 + key_bits) of the codes, stably. In and out do not
/// overlap. `scratch` has scratch_bytes, at least sort_scratch_bytes(count).
Result<void> sort_by_code(Context& context, CUstream_st* stream, const std::uint32_t* codes_in,
                          std::uint32_t* codes_out, const std::uint32_t* index_in, std::uint32_t* index_out,
                          std::uint64_t count, unsigned key_bits, void* scratch, std::uint64_t scratch_bytes);
std::uint64_t sort_scratch_bytes(std::uint64_t count);

/// sums[b] = the sum of packed_size (bucket_tree.h) over the buckets before b, b <= count, in the level after
/// `round` rounds. `scratch` has scratch_bytes, at least level_scratch_bytes(count).
Result<void> level_sums(Context& context, CUstream_st* stream, const std::uint32_t* sizes, unsigned round,
                        std::uint64_t* sums, std::uint32_t count, void* scratch, std::uint64_t scratch_bytes);
std::uint64_t level_scratch_bytes(std::uint64_t count);

/// out[i] = in[0] + ... + in[i - 1], i < count. `scratch` has sum_scratch_bytes(count) bytes.
Result<void> exclusive_sums(Context& context, const std::uint64_t* in, std::uint64_t* out,
                            std::uint64_t count, const DeviceMemory& scratch);
std::uint64_t sum_scratch_bytes(std::uint64_t count);

}  // namespace cuzk::cuda
