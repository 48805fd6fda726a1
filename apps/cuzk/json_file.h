#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cuzk/base/result.h"

namespace cuzk::app {

using Json = nlohmann::json;

/// Small JSON files only: the reader keeps everything in memory. A request about the most sectors that `cuzk
/// synth-post` makes has 24 MB.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{32} << 20;
/// Of objects and lists in each other.
inline constexpr std::size_t kMaxJsonDepth = 64;

/// Reads a JSON file. kBadInput, naming the file and the place, for what is no JSON, for a member that occurs
/// twice (of which a parser would keep one in silence) and for nesting beyond kMaxJsonDepth.
Result<Json> read_json(const std::string& path);

/// `json` as text. A string that is not UTF-8, which only a path can be, has U+FFFD in place of the bytes
/// that JSON cannot hold.
std::string to_text(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace cuzk::app
