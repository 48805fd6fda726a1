#pragma once

#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// Whether `bytes` starts like a gzip file (RFC 1952: 1f 8b).
inline bool is_gzip(ByteSpan bytes) {
  return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/// Decompresses a whole gzip file, all its members. Refuses to produce more than `max_bytes`, so that a small
/// file cannot ask for unbounded memory; refuses truncated files, wrong check sums and trailing bytes that
/// are no member. kUnsupported where the program was built without zlib.
Result<std::vector<std::uint8_t>> gunzip(ByteSpan compressed, std::size_t max_bytes);

/// Compresses into one gzip member without time stamp or name: the same bytes for the same input.
Result<std::vector<std::uint8_t>> gzip(ByteSpan bytes);

}  // namespace cuzk
