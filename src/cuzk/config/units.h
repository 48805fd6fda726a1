#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "cuzk/base/result.h"

namespace cuzk {

/// "512", "5GiB", "64 MB": a whole number and a unit, B KiB MiB GiB TiB (powers of 1024) or KB MB GB TB (of
/// 1000); no unit means bytes. kUsage when it is anything else or does not fit 64 bits.
Result<std::uint64_t> parse_size(std::string_view text);

/// "250ms", "30s", "5m", "1h": a whole number and its unit, which is required ("0" alone is none). kUsage
/// when it is anything else or longer than ten years.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The shortest exact text that parse_size reads back: "5GiB", "1000B".
std::string format_size(std::uint64_t bytes);
/// The same for parse_duration: "1h", "90s", "1500ms".
std::string format_duration(std::chrono::milliseconds duration);

/// The first 100 bytes of a value in quotes, for messages.
std::string quoted(std::string_view text);

}  // namespace cuzk
