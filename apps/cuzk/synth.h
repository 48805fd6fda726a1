#pragma once

#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/timeline/json.h"
#include "inspect.h"
#include "json_file.h"

// What the commands that fabricate requests share: NAME.json with vanilla proofs in NAME.PLACE.vanilla.

namespace cuzk::app {

/// The last step of a path.
inline std::string file_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// The request names the files beside it, in JSON.
inline Result<void> check_name(const std::string& path) {
  if (file_name(path).empty()) return usage_error("--out: '" + path + "' is a folder, a name is needed");
  if (!timeline::is_utf8(file_name(path)))
    return usage_error("--out: the name is not UTF-8, so the request could not name its vanilla files");
  return {};
}

/// Writes NAME.PLACE.vanilla; returns its entry {file, len, sha256} for the request.
inline Result<OrderedJson> write_vanilla(const std::string& name, const std::string& place, ByteSpan bytes) {
  const std::string path = name + '.' + place + ".vanilla";
  CUZK_TRY(write_file_atomically(path, bytes));
  return OrderedJson{{"file", file_name(path)}, {"len", bytes.size()}, {"sha256", to_hex(sha256(bytes))}};
}

inline Result<void> write_request(const std::string& name, const OrderedJson& request) {
  return write_file_atomically(name + ".json", byte_span(to_text(request, 1) + '\n'));
}

}  // namespace cuzk::app
