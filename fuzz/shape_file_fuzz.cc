// The reader of saved shapes. First byte of the input: 0x80 set: the rest is the file itself, else edits to a
// valid one. The digest is then made to agree, so that the checks behind it are reached. What is accepted
// must write itself back byte for byte.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "cuzk/r1cs/shape_file.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "edit_script.h"

using namespace cuzk;

namespace {

constexpr Bytes32 kFingerprint{};
constexpr std::size_t kHeaderBytes = 128;

/// Some rows of every form.
std::string valid_file(ThreadPool& pool) {
  ShapeRecorder cs;
  std::vector<Variable> v{Variable::one(), cs.alloc_input(Fr::zero()), cs.alloc_bit(false),
                          cs.alloc(Fr::zero())};
  const auto part = [&](std::size_t terms) {
    return [&, terms](LinearCombination& lc) {
      for (std::size_t i = 0; i < terms; ++i) lc.add(v[i % v.size()], Fr::from_u64(1 + i % 7));
    };
  };
  for (std::size_t row = 0; row < 150; ++row) {
    if (row % 5 == 0) v.push_back(cs.alloc_bit(false));
    cs.enforce(part(row % 4), part(row % 3), part(row == 90 ? 200 : 1));
  }
  const std::vector<std::uint8_t> file = serialize_shape(pool, std::move(cs).finish(), kFingerprint);
  return {file.begin(), file.end()};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ThreadPool pool(1);
  static const std::string valid = valid_file(pool);
  if (size == 0) return 0;
  const ByteSpan rest(data + 1, size - 1);
  std::string file;
  if ((data[0] & 0x80) != 0) {
    file.assign(rest.begin(), rest.end());
  } else {
    file = valid;
    fuzz::apply_edits(file, rest);
  }
  if (file.size() >= kHeaderBytes) {
    const Bytes32 digest = shape_file_digest(pool, byte_span(file));
    std::copy(digest.begin(), digest.end(), file.begin() + 96);
  }
  const auto shape = parse_shape(pool, byte_span(file), kFingerprint);
  if (!shape) {
    if (shape.error().message.empty() || shape.error().code != ErrorCode::kBadInput) std::abort();
    return 0;
  }
  const std::vector<std::uint8_t> again = serialize_shape(pool, *shape, kFingerprint);
  const ByteSpan read = byte_span(file);
  if (!std::equal(again.begin(), again.end(), read.begin(), read.end())) std::abort();
  return 0;
}
