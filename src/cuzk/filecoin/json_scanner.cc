#include "cuzk/filecoin/json_scanner.h"

#include <algorithm>
#include <cstring>

namespace cuzk {
namespace {

constexpr std::size_t kWindow = 48 * 1024;  // a multiple of 3

bool is_white_space(std::uint8_t c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

}  // namespace

JsonScanner::JsonScanner(const Base64Reader& base64)
    : at_(nullptr), end_(nullptr), window_(nullptr), reader_(base64), buffer_(kWindow) {
  at_ = end_ = window_ = buffer_.data();
}

bool JsonScanner::refill() {
  if (!reader_ || error_) return false;
  // What is still unread moves to the front; it is always short (one token at most) compared with the window.
  const auto kept = static_cast<std::size_t>(end_ - at_);
  if (kWindow - kept < 3) return false;
  window_offset_ = offset();
  std::memmove(buffer_.data(), at_, kept);
  at_ = window_ = buffer_.data();
  end_ = at_ + kept;
  auto got = reader_->read(std::span(buffer_).subspan(kept));
  if (!got) return fail(got.error().message);
  end_ += *got;
  return *got > 0;
}

bool JsonScanner::fail(std::string_view what) {
  if (error_) return false;
  const std::string where = path_.to_string();
  error_ = bad_input((where.empty() ? "" : where + ": ") + std::string(what) + " (at byte " +
                     std::to_string(offset()) + ")");
  return false;
}

bool JsonScanner::unexpected(std::string_view expected) {
  const int c = peek();
  if (c < 0) return fail("the text ends where " + std::string(expected) + " should be");
  std::string found = "a byte of value " + std::to_string(c);
  if (c > ' ' && c < 0x7f) found = {'\'', static_cast<char>(c), '\''};
  return fail("expected " + std::string(expected) + ", found " + found);
}

bool JsonScanner::wrong_count(std::size_t found, std::size_t expected) {
  return fail("expected " + std::to_string(expected) + " elements, found " +
              (found > expected ? "more" : std::to_string(found)));
}

int JsonScanner::skip_white_space() {
  constexpr std::uint64_t kSpaces = 0x2020202020202020;
  while (true) {
    while (end_ - at_ >= 8 && load_le<std::uint64_t>(at_) == kSpaces) at_ += 8;
    while (at_ != end_ && is_white_space(*at_)) {
      ++at_;
      if (end_ - at_ >= 8 && load_le<std::uint64_t>(at_) == kSpaces) break;
    }
    if (at_ != end_ && !is_white_space(*at_)) return *at_;
    if (at_ == end_ && !refill()) return -1;
  }
}

bool JsonScanner::open(char bracket, std::string_view what) {
  if (error_) return false;
  if (peek_token() != bracket) return unexpected(what);
  ++at_;
  return true;
}

JsonScanner::Next JsonScanner::next(bool& first, char close) {
  int c = peek_token();
  if (c == close) {
    ++at_;
    return Next::end;
  }
  if (!first) {
    if (c != ',') {
      unexpected(close == '}' ? "',' or '}'" : "',' or ']'");
      return Next::error;
    }
    ++at_;
    c = peek_token();
    if (c == close) {
      fail("a comma before the closing bracket");
      return Next::error;
    }
  }
  first = false;
  return Next::item;
}

bool JsonScanner::read_key(std::string_view& key) {
  if (peek_token() != '"') return unexpected("a member name in quotes");
  ++at_;
  // Names without escapes that lie whole in the window are not copied.
  has(64);
  const std::uint8_t* p = at_;
  while (p != end_ && *p != '"' && *p != '\\' && *p >= 0x20 && *p < 0x80) ++p;
  if (p != end_ && *p == '"') {
    key = {reinterpret_cast<const char*>(at_), static_cast<std::size_t>(p - at_)};
    // The colon may lie beyond the window, whose move would invalidate the view.
    if (end_ - p < 2 || p[1] != ':') {
      key_storage_.assign(key.substr(0, kMaxString));
      key = key_storage_;
    }
    at_ = p + 1;
  } else {
    key_storage_.clear();
    if (!read_string_body([this](char c) {
          if (key_storage_.size() < kMaxString) key_storage_ += c;
          return true;
        }))
      return false;
    key = key_storage_;
  }
  if (peek_token() != ':') return unexpected("':'");
  ++at_;
  return true;
}

template <class Keep>
bool JsonScanner::read_utf8_sequence(int first, Keep&& keep) {
  // The well-formed byte sequences of the Unicode standard, table 3-7: the first byte decides how many follow
  // and what the next may be, which keeps overlong forms, surrogates and numbers past 0x10ffff out.
  const int length = first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : 4;
  if (first < 0xc2 || first > 0xf4) return fail("a string that is not UTF-8");
  if (!keep(static_cast<char>(first))) return false;
  for (int i = 1; i < length; ++i) {
    const int low = i > 1 ? 0x80 : first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    const int high = i > 1 ? 0xbf : first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    const int c = peek();
    if (c < low || c > high) return fail("a string that is not UTF-8");
    ++at_;
    if (!keep(static_cast<char>(c))) return false;
  }
  return true;
}

template <class Keep>
bool JsonScanner::read_string_body(Keep&& keep) {
  while (true) {
    const int c = peek();
    if (c < 0) return fail("the text ends inside a string");
    if (c < 0x20) return fail("a control character inside a string");
    ++at_;
    if (c == '"') return true;
    if (c >= 0x80) {
      if (!read_utf8_sequence(c, keep)) return false;
      continue;
    }
    if (c != '\\') {
      if (!keep(static_cast<char>(c))) return false;
      continue;
    }
    std::string decoded;
    if (!read_escape(&decoded)) return false;
    for (const char d : decoded)
      if (!keep(d)) return false;
  }
}

bool JsonScanner::read_hex4(std::uint32_t& out) {
  out = 0;
  for (int i = 0; i < 4; ++i) {
    const int c = peek();
    const int lower = c | 0x20;
    std::uint32_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<std::uint32_t>(c - '0');
    } else if (lower >= 'a' && lower <= 'f') {
      digit = static_cast<std::uint32_t>(lower - 'a' + 10);
    } else {
      return unexpected("a hex digit");
    }
    out = out << 4 | digit;
    ++at_;
  }
  return true;
}

bool JsonScanner::read_escape(std::string* out) {
  const int c = peek();
  if (c >= 0) ++at_;
  switch (c) {
    case '"':
    case '\\':
    case '/':
      *out += static_cast<char>(c);
      return true;
    case 'b':
      *out += '\b';
      return true;
    case 'f':
      *out += '\f';
      return true;
    case 'n':
      *out += '\n';
      return true;
    case 'r':
      *out += '\r';
      return true;
    case 't':
      *out += '\t';
      return true;
    case 'u':
      break;
    default:
      return fail("an unknown escape in a string");
  }
  std::uint32_t unit = 0;
  if (!read_hex4(unit)) return false;
  if (unit >= 0xdc00 && unit < 0xe000) return fail("half of a surrogate pair in a string");
  if (unit >= 0xd800 && unit < 0xdc00) {
    std::uint32_t low = 0;
    if (peek() != '\\') return fail("half of a surrogate pair in a string");
    ++at_;
    if (peek() != 'u') return fail("half of a surrogate pair in a string");
    ++at_;
    if (!read_hex4(low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return fail("half of a surrogate pair in a string");
    unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
  }
  append_utf8(*out, unit);
  return true;
}

bool JsonScanner::read_string(std::string& out) {
  if (error_) return false;
  if (peek_token() != '"') return unexpected("a string");
  ++at_;
  out.clear();
  return read_string_body([&](char c) {
    if (out.size() == kMaxString)
      return fail("the string is longer than " + std::to_string(kMaxString) + " bytes");
    out += c;
    return true;
  });
}

bool JsonScanner::read_base64_string(std::string_view& out, std::string& storage) {
  CUZK_CHECK(!reader_);
  if (error_) return false;
  if (peek_token() != '"') return unexpected("a string");
  ++at_;
  const auto left = static_cast<std::size_t>(end_ - at_);
  const auto* quote = static_cast<const std::uint8_t*>(left == 0 ? nullptr : std::memchr(at_, '"', left));
  if (quote == nullptr) return fail("the text ends inside a string");
  const auto length = static_cast<std::size_t>(quote - at_);
  if (length == 0 || std::memchr(at_, '\\', length) == nullptr) {
    out = {reinterpret_cast<const char*>(at_), length};
    at_ = quote + 1;
    return true;
  }
  storage.clear();
  if (!read_string_body([&storage](char c) {
        storage += c;
        return true;
      }))
    return false;
  out = storage;
  return true;
}

bool JsonScanner::read_unsigned(std::uint64_t& out, std::uint64_t max) {
  if (error_) return false;
  if (!is_digit(peek_token())) return unexpected("a non-negative integer");
  const bool leading_zero = *at_ == '0';
  std::uint64_t value = 0;
  std::size_t digits = 0;
  for (int c = peek(); is_digit(c); c = peek(), ++digits) {
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (max - digit) / 10 || digit > max)
      return fail("the number is greater than " + std::to_string(max));
    value = value * 10 + digit;
    ++at_;
  }
  if (leading_zero && digits > 1) return fail("a number with a leading zero");
  const int after = peek();
  if (after == '.' || after == 'e' || after == 'E') return fail("a number that is no integer");
  out = value;
  return !error_;
}

bool JsonScanner::skip_literal(std::string_view word) {
  for (const char c : word) {
    if (peek() != static_cast<unsigned char>(c)) return unexpected(word);
    ++at_;
  }
  return true;
}

bool JsonScanner::read_null() {
  if (error_) return false;
  if (peek_token() != 'n') return unexpected("null");
  return skip_literal("null");
}

bool JsonScanner::skip_number() {
  if (peek() == '-') ++at_;
  if (!is_digit(peek())) return unexpected("a value");
  const bool zero = *at_ == '0';
  ++at_;
  if (zero && is_digit(peek())) return fail("a number with a leading zero");
  while (is_digit(peek())) ++at_;
  if (peek() == '.') {
    ++at_;
    if (!is_digit(peek())) return unexpected("a digit");
    while (is_digit(peek())) ++at_;
  }
  if (peek() == 'e' || peek() == 'E') {
    ++at_;
    if (peek() == '+' || peek() == '-') ++at_;
    if (!is_digit(peek())) return unexpected("a digit");
    while (is_digit(peek())) ++at_;
  }
  return true;
}

bool JsonScanner::skip_value() {
  if (error_) return false;
  // The kinds of the open brackets, innermost in bit 0: 1 for an object.
  std::uint64_t kinds = 0;
  unsigned depth = 0;
  while (true) {
    // At a value.
    const int c = peek_token();
    bool closed = true;
    if (c == '{' || c == '[') {
      if (depth == kMaxSkipDepth)
        return fail("nested deeper than " + std::to_string(kMaxSkipDepth) + " levels");
      kinds = kinds << 1 | (c == '{' ? 1U : 0U);
      ++depth;
      ++at_;
      closed = false;
    } else if (c == '"') {
      ++at_;
      if (!read_string_body([](char) { return true; })) return false;
    } else if (c == 't') {
      if (!skip_literal("true")) return false;
    } else if (c == 'f') {
      if (!skip_literal("false")) return false;
    } else if (c == 'n') {
      if (!skip_literal("null")) return false;
    } else if (!skip_number()) {
      return false;
    }
    // After a value (or after an opening bracket): close what ends here, go on to the next value.
    while (true) {
      if (depth == 0) return !error_;
      const bool object = (kinds & 1) != 0;
      bool first = !closed;
      const Next step = next(first, object ? '}' : ']');
      if (step == Next::error) return false;
      if (step == Next::end) {
        kinds >>= 1;
        --depth;
        closed = true;
        continue;
      }
      std::string_view key;
      if (object && !read_key(key)) return false;
      break;
    }
  }
}

bool JsonScanner::read_end() {
  if (error_) return false;
  if (peek_token() >= 0) return fail("something follows the end of the JSON value");
  return !error_;
}

// ---- 32 numbers

bool JsonScanner::read_bytes32(Bytes32& out) {
  if (error_) return false;
  // The usual form, without white space: 32 numbers of one to three digits, each followed by one other
  // character.
  constexpr std::size_t kLongest = 1 + 32 * 4 + 4;
  if (static_cast<std::size_t>(end_ - at_) < kLongest && reader_) refill();
  if (static_cast<std::size_t>(end_ - at_) < kLongest || *at_ != '[') return read_bytes32_slowly(out);
  const std::uint8_t* p = at_ + 1;
  std::uint32_t bad = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    const auto word = load_le<std::uint32_t>(p);
    // Digits become 0..9; the lowest byte that is no digit shows where the number ends.
    const std::uint32_t t = word ^ 0x30303030;
    const std::uint32_t others = ((t + 0x76767676) | t) & 0x80808080;
    bad |= others == 0 ? 1U : 0U;
    const auto length = static_cast<unsigned>(std::countr_zero(others | 0x80000000)) / 8;  // 0..3
    bad |= length == 0 ? 1U : 0U;
    // The digits right-aligned in the upper three bytes, most significant lowest, zeros before.
    const std::uint32_t digits = length == 0 ? 0 : t << (32 - 8 * length);
    const std::uint32_t hundreds = digits >> 8 & 0xff;
    const std::uint32_t value = hundreds * 100 + (digits >> 16 & 0xff) * 10 + (digits >> 24);
    bad |= value >> 8;
    bad |= length > 1 && (t & 0xff) == 0 ? 1U : 0U;  // leading zero
    bad |= (word >> (8 * length) & 0xff) ^ (i == 31 ? ']' : ',');
    out[i] = static_cast<std::uint8_t>(value);
    p += length + 1;
  }
  if (bad != 0) return read_bytes32_slowly(out);
  at_ = p;
  return true;
}

bool JsonScanner::read_bytes32_slowly(Bytes32& out) {
  return read_array(32, [&](std::size_t i) {
    std::uint64_t value = 0;
    if (!read_unsigned(value, 255)) return false;
    out[i] = static_cast<std::uint8_t>(value);
    return true;
  });
}

}  // namespace cuzk
