#pragma once

#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk {

/// A file written piece by piece that readers see whole or not at all. The data goes to a file without a name
/// in the target's folder (O_TMPFILE); commit() syncs it, gives it a name of its own and renames that to the
/// path. A process that ends before, however it ends, leaves nothing. Move-only; not thread-safe, but any
/// number of sinks may write to one path at a time: each is whole, and the last to commit stays.
class FileSink {
 public:
  /// Fails (kIo, naming the path) when the folder does not exist or is not writable, or when `path` is a
  /// folder, a device or anything else but a regular file.
  static Result<FileSink> create(const std::string& path);

  /// The same through a temporary file with a name: PATH.tmp. and 16 random hex digits. create() falls back
  /// to it on file systems without O_TMPFILE (NFS). The destructor removes the file; a signal that ends the
  /// process leaves it.
  static Result<FileSink> create_named(const std::string& path);

  FileSink(FileSink&& other) noexcept;
  FileSink& operator=(FileSink&&) = delete;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  /// Without commit() nothing was ever at the path.
  ~FileSink();

  Result<void> write(ByteSpan bytes);
  /// Once, after the last write. The file and its folder's entry are on disk when it returns.
  Result<void> commit();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  FileSink(std::string path, std::string temporary, int fd);

  std::string path_;
  std::string temporary_;  // empty: the file has no name yet
  int fd_ = -1;
};

/// Writes `bytes` to `path` so that a reader sees the old file or the whole new one, through a FileSink.
Result<void> write_file_atomically(const std::string& path, ByteSpan bytes);

}  // namespace cuzk
