#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cuzk/base/result.h"

namespace cuzk {

/// A regular file opened for reading at offsets, for files that are read while others may change them. A
/// mapping of a file that shrinks ends the process with SIGBUS at the next touch; read() of one that shrinks
/// is an Error, and one that is replaced by rename stays as it was. Move-only; const members are thread-safe.
class PositionedFile {
 public:
  /// kIo, naming the path, for whatever is not a regular file that can be read.
  static Result<PositionedFile> open(const std::string& path);

  PositionedFile(PositionedFile&& other) noexcept;
  PositionedFile& operator=(PositionedFile&& other) noexcept;
  PositionedFile(const PositionedFile&) = delete;
  PositionedFile& operator=(const PositionedFile&) = delete;
  ~PositionedFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  /// In bytes, as it was when the file was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Fills `out` with the bytes from `offset` on. kBadInput, naming path and offset, when the file ends
  /// before that (it has shrunk, when the range lies within size()); kIo when the system cannot read it. The
  /// contents of `out` are unspecified after a failure.
  Result<void> read(std::uint64_t offset, std::span<std::uint8_t> out) const;

 private:
  PositionedFile() = default;

  std::string path_;
  std::uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace cuzk
