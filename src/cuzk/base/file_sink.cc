#include "cuzk/base/file_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"

namespace cuzk {
namespace {

constexpr mode_t kMode = 0644;
/// Attempts at a name that nobody has: with 64 random bits the second one is never needed.
constexpr int kNameAttempts = 8;

Error os_error(const std::string& what, const std::string& path) {
  return io_error(what + " '" + path + "': " + std::strerror(errno));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Makes a rename durable: the folder's entry is data too.
bool sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = ::fsync(fd) == 0;
  ::close(fd);
  return ok;
}

/// What a rename could not replace, or should not: /dev/null, for instance.
Result<void> check_target(const std::string& path) {
  if (path.empty() || path.back() == '/') return io_error("cannot write '" + path + "': it names no file");
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)) return {};
  return io_error("cannot write '" + path + "': it exists and is not a regular file");
}

Result<std::string> temporary_name(const std::string& path) {
  std::array<std::uint8_t, 8> random{};
  CUZK_TRY(os_random(random));
  return path + ".tmp." + to_hex(random);
}

}  // namespace

FileSink::FileSink(std::string path, std::string temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

Result<FileSink> FileSink::create(const std::string& path) {
  CUZK_TRY(check_target(path));
  const int fd = ::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
  // Without O_TMPFILE or /proc (which commit needs to name the file): the other way, whose error is the one
  // that counts.
  if (fd >= 0 && ::access("/proc/self/fd", X_OK) == 0) return FileSink(path, {}, fd);
  if (fd >= 0) ::close(fd);
  return create_named(path);
}

Result<FileSink> FileSink::create_named(const std::string& path) {
  CUZK_TRY(check_target(path));
  for (int attempt = 0; attempt < kNameAttempts; ++attempt) {
    CUZK_TRY_ASSIGN(std::string temporary, temporary_name(path));
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (fd >= 0) return FileSink(path, std::move(temporary), fd);
    if (errno != EEXIST) break;
  }
  return os_error("cannot write", path);
}

FileSink::FileSink(FileSink&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)) {}

FileSink::~FileSink() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> FileSink::write(ByteSpan bytes) {
  CUZK_CHECK(fd_ >= 0);
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return os_error("cannot write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> FileSink::commit() {
  CUZK_CHECK(fd_ >= 0);
  if (::fsync(fd_) != 0) return os_error("cannot write", path_);
  // linkat replaces nothing, so a file without a name needs one before the rename.
  const std::string open_file = "/proc/self/fd/" + std::to_string(fd_);
  for (int attempt = 0; temporary_.empty(); ++attempt) {
    CUZK_TRY_ASSIGN(std::string name, temporary_name(path_));
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      temporary_ = std::move(name);
    else if (errno != EEXIST || attempt == kNameAttempts)
      return os_error("cannot write", path_);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return os_error("cannot write", path_);
  ::close(std::exchange(fd_, -1));
  if (!sync_folder(folder_of(path_))) return os_error("cannot sync the folder of", path_);
  return {};
}

Result<void> write_file_atomically(const std::string& path, ByteSpan bytes) {
  CUZK_TRY_ASSIGN(FileSink sink, FileSink::create(path));
  CUZK_TRY(sink.write(bytes));
  return sink.commit();
}

}  // namespace cuzk
