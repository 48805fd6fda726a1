#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/base/positioned_file.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// The whole content of a file, in memory of its own: what happens to the file afterwards does not matter (a
/// mapping of one that shrinks ends the process with SIGBUS). Move-only; spans must not outlive it.
class FileBytes {
 public:
  /// kIo as PositionedFile::open. kBadInput, before any memory is taken, for a file longer than `max_bytes`;
  /// the same for one that shrinks while it is read. Errors name the path.
  static Result<FileBytes> read(const std::string& path, std::size_t max_bytes);
  /// The same of a file that is open.
  static Result<FileBytes> read(const PositionedFile& file, std::size_t max_bytes);

  [[nodiscard]] ByteSpan bytes() const { return {data_.get(), size_}; }

 private:
  FileBytes() = default;

  std::unique_ptr<std::uint8_t[]> data_;
  std::size_t size_ = 0;
};

/// The content of a file that may be gzip-compressed (recognised by its first bytes, not by its name), in
/// memory. Move-only.
class InputFile {
 public:
  /// Refuses content longer than `max_bytes`, compressed or not. Errors name the path.
  static Result<InputFile> open(const std::string& path, std::size_t max_bytes = std::size_t{1} << 30);

  [[nodiscard]] ByteSpan bytes() const { return plain_ ? plain_->bytes() : ByteSpan(inflated_); }

 private:
  std::optional<FileBytes> plain_;
  std::vector<std::uint8_t> inflated_;
};

}  // namespace cuzk
