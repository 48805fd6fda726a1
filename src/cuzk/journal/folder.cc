#include "cuzk/journal/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace cuzk::journal {
namespace {

namespace fs = std::filesystem;

Error lost(const std::string& folder, const std::string& what) {
  return io_error("journal '" + folder + "/journal.db' is missing or empty, but " + what +
                  ": restore it, or move the folder away to begin without what it holds");
}

}  // namespace

Error os_error(const std::string& what, const std::string& path) {
  return io_error(what + " '" + path + "': " + std::strerror(errno));
}

Result<void> check_id(const std::string& job_id) {
  const bool plain =
      !job_id.empty() && job_id.size() <= 64 && std::all_of(job_id.begin(), job_id.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
               c == '_';
      });
  if (plain) return {};
  return Error{ErrorCode::kInternal, "'" + job_id + "' cannot be the id of a stored job"};
}

bool is_temporary(const std::string& name) {
  const std::size_t at = name.find(".tmp.");
  return at != std::string::npos && check_id(name.substr(0, at)) && at + 5 < name.size() &&
         name.find_first_not_of("0123456789abcdef", at + 5) == std::string::npos;
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

Result<FolderLock> FolderLock::take(const std::string& folder) {
  FolderLock lock;
  lock.fd_ = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock.fd_ < 0) return os_error("journal: cannot open", folder);
  if (::flock(lock.fd_, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno == EWOULDBLOCK) return io_error("journal: another process uses '" + folder + "'");
  // Over NFS a lock is one of the server's, for a file that is open to be written, which no folder is.
  return io_error("journal: cannot lock '" + folder + "': " + std::strerror(errno) +
                  "; the file system has no locks on folders (NFS, some FUSE) or no more of them: use a "
                  "local one");
}

std::optional<FileId> FileId::of(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return FileId{found.st_dev, found.st_ino};
}

Result<void> make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return os_error("journal: cannot make", path);
  struct stat there {};
  if (::stat(path.c_str(), &there) != 0) return os_error("journal: cannot use", path);
  if (!S_ISDIR(there.st_mode)) return io_error("journal: '" + path + "' is there and is no folder");
  if (::access(path.c_str(), R_OK | W_OK | X_OK) != 0) return os_error("journal: cannot write into", path);
  return {};
}

Result<void> check_not_lost(const std::string& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder + "/payload", error)) {
    // A process that ended while it wrote leaves NAME.tmp.HEX.
    if (entry.path().filename().string().find(".tmp.") == std::string::npos)
      return lost(folder, "there are stored requests in payload/");
  }
  return {};
}

Result<void> check_has_database(const std::string& folder) {
  const auto size = [&](const char* name) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(folder + name, error);
    return error ? 0 : bytes;
  };
  if (size("/journal.db") != 0) return {};
  if (size("/journal.db-wal") != 0) return lost(folder, "its log journal.db-wal is there");
  return check_not_lost(folder);
}

}  // namespace cuzk::journal
