#include "cuzk/r1cs/internal/canonical_stream.h"

#include <algorithm>

namespace cuzk::r1cs_internal {
namespace {

std::array<std::uint8_t, 8> first_eight(const Bytes32& digest) {
  std::array<std::uint8_t, 8> out;
  std::copy_n(digest.begin(), 8, out.begin());
  return out;
}

}  // namespace

RowHasher::RowHasher(bool blake2s, bool headerless) : cache_(std::size_t{1} << kCacheLog), buffer_(32768) {
  if (headerless) headerless_.emplace();
  if (blake2s) blake2s_.emplace();
}

void RowHasher::header(std::uint64_t inputs, std::uint64_t aux, std::uint64_t constraints) {
  std::array<std::uint8_t, 24> bytes;
  store_be64(bytes.data(), inputs);
  store_be64(bytes.data() + 8, aux);
  store_be64(bytes.data() + 16, constraints);
  sha256_.update(bytes);
  if (blake2s_) blake2s_->update(bytes);
}

Bytes32 RowHasher::to_big_endian(const Fr& x) {
  auto bytes = x.to_bytes_le();
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

void RowHasher::flush() {
  const ByteSpan bytes(buffer_.data(), used_);
  sha256_.update(bytes);
  if (headerless_) headerless_->update(bytes);
  if (blake2s_) blake2s_->update(bytes);
  used_ = 0;
}

std::array<std::uint8_t, 8> RowHasher::rows_so_far() {
  CUZK_CHECK(headerless_.has_value());
  flush();
  Sha256 copy = *headerless_;
  return first_eight(copy.finish());
}

Bytes32 RowHasher::finish_sha256() {
  flush();
  return sha256_.finish();
}

std::optional<Bytes32> RowHasher::finish_blake2s() {
  if (!blake2s_) return std::nullopt;
  flush();
  Bytes32 out;
  blake2s_->finish(out);
  return out;
}

void ValueHasher::flush() {
  hash_.update({buffer_.data(), used_});
  used_ = 0;
}

std::array<std::uint8_t, 8> ValueHasher::so_far() {
  flush();
  Sha256 copy = hash_;
  return first_eight(copy.finish());
}

Bytes32 ValueHasher::finish() {
  flush();
  return hash_.finish();
}

}  // namespace cuzk::r1cs_internal
