#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/filecoin/field_path.h"

namespace cuzk {

/// Strict reader of the reference's bincode (post-and-snap 1.3): fixed-width little-endian integers, lists
/// behind a count of eight bytes. The caller knows every count; a list of another length is refused before
/// anything of it is read, so data cannot ask for memory. Every read_ function returns false after the first
/// error, which stays and names the field and the byte offset.
class BincodeReader {
 public:
  explicit BincodeReader(ByteSpan bytes) : bytes_(bytes) {}

  bool read_u32(std::uint32_t& value) { return read_integer(value); }
  bool read_u64(std::uint64_t& value) { return read_integer(value); }
  /// 32 bytes of any value.
  bool read_bytes32(Bytes32& value);
  /// 32 bytes that are a canonical scalar.
  bool read_node(Bytes32& value);
  /// The count of a list.
  bool read_count(std::uint64_t expected);
  /// The field `name`: read() returns whether it succeeded.
  template <class Read>
  bool read_field(std::string_view name, Read&& read) {
    const PathLevel level(path_, name);
    return read();
  }
  /// The list `name` of exactly `count` elements, each by element(i).
  template <class Element>
  bool read_list(std::string_view name, std::uint64_t count, Element&& element) {
    const PathLevel level(path_, name);
    return read_elements(count, element);
  }
  /// The same for a list that is itself an element.
  template <class Element>
  bool read_elements(std::uint64_t count, Element&& element) {
    if (!read_count(count)) return false;
    PathLevel index(path_, std::uint64_t{0});
    for (std::uint64_t i = 0; i < count; ++i) {
      index.set_index(i);
      if (!element(i)) return false;
    }
    return true;
  }
  bool read_nodes(std::string_view name, std::span<Bytes32> nodes) {
    return read_list(name, nodes.size(), [&](std::uint64_t i) { return read_node(nodes[i]); });
  }
  /// Nothing may follow; `what` is what ends here.
  bool read_end(std::string_view what);

  /// Records an error at the current field; the offset is `back` bytes before the next byte.
  bool fail(const std::string& what, std::size_t back = 0);
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  template <class T>
  bool read_integer(T& value) {
    if (bytes_.size() - at_ < sizeof value) return fail("the data ends");
    value = load_le<T>(bytes_.data() + at_);
    at_ += sizeof value;
    return true;
  }

  ByteSpan bytes_;
  std::size_t at_ = 0;
  FieldPath path_;
  Error error_;
};

/// Writes what BincodeReader reads. Appends to `out`, which must outlive it.
class BincodeWriter {
 public:
  explicit BincodeWriter(std::vector<std::uint8_t>& out) : out_(out) {}

  void write_u32(std::uint32_t value) { write_integer(value); }
  void write_u64(std::uint64_t value) { write_integer(value); }
  void write_bytes32(const Bytes32& value) { out_.insert(out_.end(), value.begin(), value.end()); }
  void write_nodes(std::span<const Bytes32> nodes);

 private:
  template <class T>
  void write_integer(T value) {
    out_.resize(out_.size() + sizeof value);
    store_le(out_.data() + out_.size() - sizeof value, value);
  }

  std::vector<std::uint8_t>& out_;
};

}  // namespace cuzk
