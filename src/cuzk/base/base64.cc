#include "cuzk/base/base64.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cuzk {
namespace {

constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kBad = 1U << 24;

/// For each of the four places in a group, a character's six bits at their final position in the group's
/// three bytes (first byte in bits 0-7); characters outside the alphabet set bit 24.
struct DecodeTable {
  std::array<std::uint32_t, 256> place[4];
};

constexpr DecodeTable make_decode_table() {
  DecodeTable table{};
  for (auto& place : table.place) place.fill(kBad);
  for (std::uint32_t v = 0; v < 64; ++v) {
    const auto c = static_cast<unsigned char>(kAlphabet[v]);
    table.place[0][c] = v << 2;
    table.place[1][c] = v >> 4 | (v & 15) << 12;
    table.place[2][c] = v >> 2 << 8 | (v & 3) << 22;
    table.place[3][c] = v << 16;
  }
  return table;
}
constexpr DecodeTable kDecode = make_decode_table();

Error bad_character(std::string_view text, std::size_t group) {
  std::size_t at = group;
  while (at < group + 4 && kDecode.place[0][static_cast<unsigned char>(text[at])] != kBad) ++at;
  return bad_input("base64: character at offset " + std::to_string(at) +
                   " is not in the alphabet, or padding is misplaced");
}

std::uint32_t group_value(const char* p) {
  const auto* c = reinterpret_cast<const unsigned char*>(p);
  return kDecode.place[0][c[0]] | kDecode.place[1][c[1]] | kDecode.place[2][c[2]] | kDecode.place[3][c[3]];
}

}  // namespace

Result<std::size_t> Base64Reader::read(std::span<std::uint8_t> out) {
  CUZK_CHECK(out.size() >= 3);
  if (text_.size() % 4 != 0)
    return bad_input("base64: length " + std::to_string(text_.size()) + " is not a multiple of 4");
  const std::size_t left = (text_.size() - at_) / 4;
  if (left == 0) return std::size_t{0};
  const std::size_t groups = std::min(left, out.size() / 3);
  const std::size_t plain = groups == left ? groups - 1 : groups;  // the last group of the text may be padded
  std::uint8_t* to = out.data();
  for (std::size_t g = 0; g < plain; ++g, at_ += 4, to += 3) {
    const std::uint32_t v = group_value(text_.data() + at_);
    if (v >= kBad) return bad_character(text_, at_);
    to[0] = static_cast<std::uint8_t>(v);
    to[1] = static_cast<std::uint8_t>(v >> 8);
    to[2] = static_cast<std::uint8_t>(v >> 16);
  }
  if (plain == groups) return plain * 3;

  char last[4];
  std::memcpy(last, text_.data() + at_, 4);
  const std::size_t padding = last[3] != '=' ? 0 : last[2] != '=' ? 1 : 2;
  for (std::size_t i = 4 - padding; i < 4; ++i) last[i] = 'A';
  const std::uint32_t v = group_value(last);
  if (v >= kBad) return bad_character(text_, at_);
  if (v >> (8 * (3 - padding)) != 0)
    return bad_input("base64: bits beyond the last byte are not zero, at offset " +
                     std::to_string(at_ + 3 - padding));
  for (std::size_t i = 0; i < 3 - padding; ++i) to[i] = static_cast<std::uint8_t>(v >> (8 * i));
  at_ += 4;
  return plain * 3 + 3 - padding;
}

Result<std::vector<std::uint8_t>> base64_decode(std::string_view text) {
  std::vector<std::uint8_t> out(text.size() / 4 * 3 + 3);
  Base64Reader reader(text);
  CUZK_TRY_ASSIGN(const std::size_t size, reader.read(out));
  out.resize(size);
  return out;
}

std::string base64_encode(ByteSpan bytes) {
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  for (std::size_t at = 0; at < bytes.size(); at += 3, to += 4) {
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t v = 0;
    for (std::size_t i = 0; i < 3; ++i) v = v << 8 | (i < n ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i <= n; ++i) to[i] = kAlphabet[v >> (18 - 6 * i) & 63];
  }
  return out;
}

}  // namespace cuzk
