#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// Base64 of RFC 4648 section 4: alphabet A-Z a-z 0-9 + /, '=' padding required, no line breaks, unused bits
/// zero. An error names the offset of the offending character in `text`.
Result<std::vector<std::uint8_t>> base64_decode(std::string_view text);

std::string base64_encode(ByteSpan bytes);

/// Decodes base64 piece by piece into a caller's buffer, so that a long text never exists twice.
class Base64Reader {
 public:
  /// `text` must outlive the reader.
  explicit Base64Reader(std::string_view text) : text_(text) {}

  /// Decodes the next bytes into `out`, as many as fit in whole groups of 3; returns how many. 0 means the
  /// end (an `out` of fewer than 3 bytes is the programmer's error).
  Result<std::size_t> read(std::span<std::uint8_t> out);

 private:
  std::string_view text_;
  std::size_t at_ = 0;  // characters consumed, a multiple of 4
};

}  // namespace cuzk
