#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/base64.h"
#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/filecoin/field_path.h"

namespace cuzk {

/// Reads one JSON text (RFC 8259) from front to back, straight into the caller's types, without a tree and
/// without a copy: the text is in memory as a whole, or is decoded from base64 through a window of fixed
/// size.
///
/// Every reading function returns false once anything has gone wrong; the first error stays and is returned
/// by error(): it names the path of fields and the byte offset. Strict: no trailing commas, comments, or
/// leading zeros, strings in UTF-8; members that a caller names must not occur twice; members that it does
/// not name are skipped, nested at most kMaxSkipDepth deep.
class JsonScanner {
 public:
  static constexpr unsigned kMaxSkipDepth = 64;
  static constexpr std::size_t kMaxString = 1024;  ///< of strings that are kept

  /// `text` must outlive the scanner.
  explicit JsonScanner(ByteSpan text)
      : at_(text.data()), end_(text.data() + text.size()), window_(text.data()) {}
  /// The JSON text that `base64` encodes.
  explicit JsonScanner(const Base64Reader& base64);
  JsonScanner(const JsonScanner&) = delete;
  JsonScanner& operator=(const JsonScanner&) = delete;

  /// An object. Calls member(i) at the value of names[i]; it must read the value. `required` has bit i set
  /// when names[i] must be present. At most 32 names.
  template <class Member>
  bool read_object(std::span<const std::string_view> names, std::uint32_t required, Member&& member);

  /// An array. Calls element(i) at each element; it must read it.
  template <class Element>
  bool read_array(Element&& element);

  /// An array of exactly `count` elements.
  template <class Element>
  bool read_array(std::size_t count, Element&& element);

  /// An array of exactly 32 numbers 0..255.
  bool read_bytes32(Bytes32& out);
  /// A non-negative integer up to `max`, without sign, fraction or exponent.
  bool read_unsigned(std::uint64_t& out, std::uint64_t max = ~std::uint64_t{0});
  /// A string, decoded; longer than kMaxString bytes is an error.
  bool read_string(std::string& out);
  bool read_null();
  /// Any value, checked and dropped.
  bool skip_value();
  /// A string that holds base64: gives the text between the quotes without copying it (with escapes it is
  /// decoded into `storage` first). Only for scanners over memory.
  bool read_base64_string(std::string_view& out, std::string& storage);
  /// Nothing but white space may follow.
  bool read_end();

  /// Records an error at the present place; returns false. The first one wins.
  bool fail(std::string_view what);
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] const Error& error() const { return *error_; }
  FieldPath& path() { return path_; }
  [[nodiscard]] std::size_t offset() const {
    return window_offset_ + static_cast<std::size_t>(at_ - window_);
  }

 private:
  enum class Next { item, end, error };

  bool refill();  // more bytes after end_ (the window may move); false at the end of the text or on error
  bool has(std::size_t bytes) {
    return static_cast<std::size_t>(end_ - at_) >= bytes ||
           (reader_ && refill() && static_cast<std::size_t>(end_ - at_) >= bytes);
  }
  int peek() {  // next byte or -1 at the end
    if (at_ == end_ && !refill()) return -1;
    return *at_;
  }
  int peek_token() {  // next byte that is no white space
    if (at_ != end_ && *at_ > ' ') return *at_;
    return skip_white_space();
  }
  int skip_white_space();
  bool open(char bracket, std::string_view what);
  Next next(bool& first, char close);
  bool read_key(std::string_view& key);
  bool read_escape(std::string* out);
  bool read_hex4(std::uint32_t& out);
  template <class Keep>
  bool read_string_body(Keep&& keep);  // after the opening quote
  template <class Keep>
  bool read_utf8_sequence(int first, Keep&& keep);
  bool skip_number();
  bool skip_literal(std::string_view word);
  bool read_bytes32_slowly(Bytes32& out);
  bool wrong_count(std::size_t found, std::size_t expected);
  bool unexpected(std::string_view expected);

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  const std::uint8_t* window_;     // start of the bytes in memory
  std::size_t window_offset_ = 0;  // offset of window_ in the text
  std::optional<Base64Reader> reader_;
  std::vector<std::uint8_t> buffer_;
  std::string key_storage_;
  FieldPath path_;
  std::optional<Error> error_;
};

template <class Member>
bool JsonScanner::read_object(std::span<const std::string_view> names, std::uint32_t required,
                              Member&& member) {
  if (!open('{', "an object")) return false;
  std::uint32_t seen = 0;
  std::size_t guess = 0;  // members mostly come in the order of `names`
  bool first = true;
  while (true) {
    const Next step = next(first, '}');
    if (step == Next::error) return false;
    if (step == Next::end) break;
    std::string_view key;
    if (!read_key(key)) return false;
    std::size_t i = guess;
    if (guess >= names.size() || names[guess] != key)
      for (i = 0; i < names.size() && names[i] != key;) ++i;
    if (i == names.size()) {
      if (!skip_value()) return false;
      continue;
    }
    const PathLevel level(path_, names[i]);
    if ((seen >> i & 1) != 0) return fail("the member occurs twice");
    seen |= std::uint32_t{1} << i;
    guess = i + 1;
    if (!member(i)) return false;
  }
  const std::uint32_t missing = required & ~seen;
  if (missing == 0) return true;
  const PathLevel level(path_, names[static_cast<std::size_t>(std::countr_zero(missing))]);
  return fail("the member is missing");
}

template <class Element>
bool JsonScanner::read_array(Element&& element) {
  if (!open('[', "an array")) return false;
  PathLevel level(path_, std::uint64_t{0});
  bool first = true;
  for (std::size_t i = 0;; ++i) {
    const Next step = next(first, ']');
    if (step == Next::error) return false;
    if (step == Next::end) return true;
    level.set_index(i);
    if (!element(i)) return false;
  }
}

template <class Element>
bool JsonScanner::read_array(std::size_t count, Element&& element) {
  if (!open('[', "an array")) return false;
  bool first = true;
  std::size_t i = 0;
  {
    PathLevel level(path_, std::uint64_t{0});
    for (; i < count; ++i) {
      level.set_index(i);
      const Next step = next(first, ']');
      if (step == Next::error) return false;
      if (step == Next::end) break;
      if (!element(i)) return false;
    }
  }
  if (i < count) return wrong_count(i, count);
  const Next step = next(first, ']');
  if (step == Next::error) return false;
  return step == Next::end || wrong_count(count + 1, count);
}

}  // namespace cuzk
