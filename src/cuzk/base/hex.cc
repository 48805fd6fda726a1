#include "cuzk/base/hex.h"

#include <algorithm>

namespace cuzk {
namespace {

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

std::string to_hex(ByteSpan bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (std::uint8_t b : bytes) {
    out.push_back(kDigits[b >> 4]);
    out.push_back(kDigits[b & 15]);
  }
  return out;
}

Result<std::vector<std::uint8_t>> from_hex(std::string_view text) {
  if (text.size() % 2 != 0)
    return bad_input("hex text has an odd number of digits (" + std::to_string(text.size()) + ")");
  std::vector<std::uint8_t> out(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int v = digit_value(text[i]);
    if (v < 0)
      return bad_input("hex text has a character that is no hex digit at position " + std::to_string(i));
    out[i / 2] = static_cast<std::uint8_t>(out[i / 2] << 4 | v);
  }
  return out;
}

Result<Bytes32> bytes32_from_hex(std::string_view text) {
  if (text.size() != 64) return bad_input("expected 64 hex digits, found " + std::to_string(text.size()));
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> bytes, from_hex(text));
  Bytes32 out;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

}  // namespace cuzk
