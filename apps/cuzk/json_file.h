#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cuzk/base/mapped_file.h"

namespace cuzk::app {

using Json = nlohmann::json;

/// Small JSON files only: the reader keeps everything in memory.
inline constexpr std::size_t kMaxJsonBytes = std::size_t{16} << 20;

inline Result<Json> read_json(const std::string& path) {
  CUZK_TRY_ASSIGN(const MappedFile file, MappedFile::open(path));
  if (file.bytes().size() > kMaxJsonBytes)
    return bad_input("'" + path + "' is too large for a file of this kind");
  // The parser takes a zero byte for the end.
  if (std::find(file.bytes().begin(), file.bytes().end(), 0) != file.bytes().end())
    return bad_input("'" + path + "' is not valid JSON: it has a zero byte");
  Json json = Json::parse(file.bytes().begin(), file.bytes().end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return bad_input("'" + path + "' is not valid JSON");
  return json;
}

}  // namespace cuzk::app
