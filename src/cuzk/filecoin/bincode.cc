#include "cuzk/filecoin/bincode.h"

#include <algorithm>

#include "cuzk/field/fr.h"

namespace cuzk {

bool BincodeReader::read_bytes32(Bytes32& value) {
  if (bytes_.size() - at_ < value.size()) return fail("the data ends");
  std::copy_n(bytes_.data() + at_, value.size(), value.begin());
  at_ += value.size();
  return true;
}

bool BincodeReader::read_node(Bytes32& value) {
  if (!read_bytes32(value)) return false;
  return is_canonical_fr(value) || fail("not a canonical scalar (r or more)", value.size());
}

bool BincodeReader::read_count(std::uint64_t expected) {
  std::uint64_t count = 0;
  if (!read_u64(count)) return false;
  return count == expected ||
         fail(std::to_string(count) + " elements, expected " + std::to_string(expected), sizeof count);
}

bool BincodeReader::read_end(std::string_view what) {
  return at_ == bytes_.size() || fail("bytes after the end of the " + std::string(what));
}

bool BincodeReader::fail(const std::string& what, std::size_t back) {
  const std::string where = path_.to_string();
  error_ = bad_input("bincode: " + (where.empty() ? "" : where + ": ") + what + " (at byte " +
                     std::to_string(at_ - back) + ")");
  return false;
}

void BincodeWriter::write_nodes(std::span<const Bytes32> nodes) {
  write_u64(nodes.size());
  for (const Bytes32& node : nodes) write_bytes32(node);
}

}  // namespace cuzk
