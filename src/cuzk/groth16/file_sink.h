#pragma once

#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk::groth16 {

/// A file written piece by piece that readers see whole or not at all: a temporary name in the same folder,
/// then fsync and rename in commit(). Without commit() the temporary file is removed. Move-only.
class FileSink {
 public:
  static Result<FileSink> create(const std::string& path);

  FileSink(FileSink&& other) noexcept;
  FileSink& operator=(FileSink&&) = delete;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink();

  Result<void> write(ByteSpan bytes);
  Result<void> commit();

 private:
  FileSink(std::string path, std::string temporary, int fd)
      : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

  std::string path_;
  std::string temporary_;
  int fd_ = -1;
};

}  // namespace cuzk::groth16
