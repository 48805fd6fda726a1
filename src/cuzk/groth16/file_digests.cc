#include "cuzk/groth16/file_digests.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "cuzk/groth16/internal/digest_pair.h"

namespace cuzk::groth16 {
namespace {

/// Bytes hashed, and of a file read, at a time.
constexpr std::uint64_t kStep = std::uint64_t{1} << 22;

}  // namespace

FileDigests digest_bytes(ThreadPool& pool, ByteSpan bytes,
                         const std::function<void(std::uint64_t)>& progress) {
  DigestPair pair;
  for (std::uint64_t done = 0; done < bytes.size();) {
    const std::uint64_t n = std::min(kStep, bytes.size() - done);
    pair.update(pool, bytes.subspan(done, n));
    done += n;
    if (progress) progress(done);
  }
  return pair.finish();
}

Result<FileDigests> digest_file(ThreadPool& pool, const PositionedFile& file,
                                const std::function<void(std::uint64_t)>& progress) {
  const std::uint64_t size = file.size();
  std::array<std::vector<std::uint8_t>, 2> buffers;
  for (auto& buffer : buffers) buffer.resize(std::min(kStep, size));
  const auto piece = [&](std::uint64_t offset) {
    return std::span(buffers[offset / kStep % 2]).first(std::min(kStep, size - offset));
  };
  CUZK_TRY(file.read(0, piece(0)));
  DigestPair pair;
  for (std::uint64_t done = 0; done < size;) {
    const std::span<std::uint8_t> bytes = piece(done);
    const std::uint64_t next = done + bytes.size();
    std::optional<Error> failure;
    pair.update(pool, bytes, [&] {
      if (next == size) return;
      if (auto read = file.read(next, piece(next)); !read) failure = read.error();
    });
    if (failure) return *failure;
    done = next;
    if (progress) progress(done);
  }
  return pair.finish();
}

}  // namespace cuzk::groth16
