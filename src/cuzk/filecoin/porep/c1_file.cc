#include <algorithm>
#include <string>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/porep/c1.h"

namespace cuzk::porep {
namespace {

/// The largest phase-1 output that is read: about five times the largest that a sealer writes.
constexpr std::size_t kMaxC1Bytes = std::size_t{1} << 30;
constexpr std::size_t kMaxSideBytes = std::size_t{1} << 20;

/// JSON starts with a brace. Bincode starts with the number of partitions as eight bytes, so white space may
/// look alike in the first byte but never as far as a brace.
bool looks_like_json(ByteSpan bytes) {
  for (const std::uint8_t c : bytes) {
    if (c == '{') return true;
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return false;
  }
  return true;  // nothing at all: the JSON reader says so
}

/// Bincode starts with the number of partitions, of which no type has as many.
constexpr std::uint64_t kMaxPlausiblePartitions = 1024;
bool looks_like_bincode(ByteSpan bytes) {
  return bytes.size() >= 8 && load_le<std::uint64_t>(bytes.data()) <= kMaxPlausiblePartitions;
}

std::string side_json_path(std::string path) {
  for (const std::string_view suffix : {".gz", ".bincode", ".c1"})
    if (path.ends_with(suffix)) path.resize(path.size() - suffix.size());
  return path + ".json";
}

Result<C1Document> read_bincode(ByteSpan bytes, const std::string& path) {
  const std::string side_path = side_json_path(path);
  auto side = InputFile::open(side_path, kMaxSideBytes);
  if (!side)
    return Error{side.error().code,
                 "'" + path + "' is no JSON; as bincode it needs its description: " + side.error().message};
  auto config = parse_porep_side_json(side->bytes());
  if (!config) return config.error().within("'" + side_path + "'");
  auto c1 = parse_c1_bincode(bytes, *config);
  if (!c1) return c1.error().within("'" + path + "'");
  return C1Document{std::move(c1).value(), std::nullopt};
}

}  // namespace

Result<C1Document> read_c1_file(const std::string& path) {
  CUZK_TRY_ASSIGN(const InputFile file, InputFile::open(path, kMaxC1Bytes));
  if (!looks_like_json(file.bytes())) {
    if (!looks_like_bincode(file.bytes()))
      return bad_input("'" + path +
                       "' is no phase-1 output: as JSON it would start with '{', as bincode with the number "
                       "of partitions; it starts with the bytes " +
                       to_hex(file.bytes().first(std::min<std::size_t>(file.bytes().size(), 8))));
    return read_bincode(file.bytes(), path);
  }
  auto document = parse_c1_json(file.bytes());
  if (!document) return document.error().within("'" + path + "'");
  return document;
}

}  // namespace cuzk::porep
