#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "cuzk/base/bytes.h"
#include "cuzk/base/positioned_file.h"
#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"

namespace cuzk::groth16 {

/// Digests of a whole file: `blake2b` is the first 16 bytes of BLAKE2b-512, which parameters.json lists as 32
/// hex digits.
struct FileDigests {
  std::array<std::uint8_t, 16> blake2b;
  Bytes32 sha256;
};

/// Both digests of `bytes`, computed on two threads of the pool. Seconds a gigabyte. `progress` (may be
/// empty) gets the bytes done so far, ascending, from the calling thread.
FileDigests digest_bytes(ThreadPool& pool, ByteSpan bytes,
                         const std::function<void(std::uint64_t)>& progress = {});

/// The same of a file's size() bytes; reading goes on beside the hashing. Errors as PositionedFile::read.
Result<FileDigests> digest_file(ThreadPool& pool, const PositionedFile& file,
                                const std::function<void(std::uint64_t)>& progress = {});

}  // namespace cuzk::groth16
