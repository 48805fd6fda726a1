#pragma once

#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// A file mapped read-only for its whole life. Move-only; the mapping ends with the object, and spans into it
/// must not outlive it. An empty file gives an empty span. Truncating the file from outside while it is
/// mapped is the operator's error and ends in SIGBUS; replacing it (rename) is safe. For files that are in
/// use for long: PositionedFile.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  [[nodiscard]] ByteSpan bytes() const { return {data_, size_}; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  MappedFile() = default;

  std::string path_;
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Writes `bytes` to `path` so that a reader sees the old file or the whole new one, through a FileSink.
Result<void> write_file_atomically(const std::string& path, ByteSpan bytes);

}  // namespace cuzk
