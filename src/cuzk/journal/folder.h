#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

#include "cuzk/base/result.h"

namespace cuzk::journal {

// The journal's folder on the disk: who has it, what is in its place, how its files are called.

/// "TEXT 'PATH': reason of errno", kIo.
Error os_error(const std::string& what, const std::string& path);

/// Ids are the engine's; this keeps one that is not a file name from becoming a path. kInternal.
Result<void> check_id(const std::string& job_id);

/// Whether a file's name is that of one which FileSink, or SqliteJournal::probe, had not finished.
bool is_temporary(const std::string& name);

/// The folder's lock, for the life of the object: on the folder itself, as a file in it could be removed and
/// made anew by whoever comes next.
class FolderLock {
 public:
  FolderLock() = default;
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();
  /// kIo when another process has it, or the file system has no such locks.
  static Result<FolderLock> take(const std::string& folder);

 private:
  int fd_ = -1;
};

/// Which file or folder a path leads to.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileId&, const FileId&) = default;

  static std::optional<FileId> of(const std::string& path);
};

/// Makes a folder where there is none, for the user alone; kIo when it cannot be used.
Result<void> make_folder(const std::string& path);

/// kIo where stored requests are there: a database without content beside them, or beside its log, is one
/// that was lost, and to begin a new one would throw away what they are needed for.
Result<void> check_not_lost(const std::string& folder);
/// The same unless journal.db has content. Before SQLite opens it, as it removes a log whose database is
/// gone.
Result<void> check_has_database(const std::string& folder);

}  // namespace cuzk::journal
