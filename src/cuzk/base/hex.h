#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// Lower-case hexadecimal, two digits a byte, bytes in order.
std::string to_hex(ByteSpan bytes);

/// Any even number of hex digits, either case. Fails naming the offending position.
Result<std::vector<std::uint8_t>> from_hex(std::string_view text);

/// Exactly 64 hex digits.
Result<Bytes32> bytes32_from_hex(std::string_view text);

}  // namespace cuzk
