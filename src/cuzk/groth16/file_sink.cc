#include "cuzk/groth16/file_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace cuzk::groth16 {
namespace {

Error os_error(const std::string& what, const std::string& path) {
  return io_error(what + " '" + path + "': " + std::strerror(errno));
}

/// Makes a rename durable: the folder's entry is data too.
bool sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool ok = ::fsync(fd) == 0;
  ::close(fd);
  return ok;
}

}  // namespace

Result<FileSink> FileSink::create(const std::string& path) {
  std::string temporary = path + ".tmp." + std::to_string(::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return os_error("cannot create", temporary);
  return FileSink(path, std::move(temporary), fd);
}

FileSink::FileSink(FileSink&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)) {}

FileSink::~FileSink() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Result<void> FileSink::write(ByteSpan bytes) {
  CUZK_CHECK(fd_ >= 0);
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return os_error("cannot write", temporary_);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> FileSink::commit() {
  CUZK_CHECK(fd_ >= 0);
  if (::fsync(fd_) != 0) return os_error("cannot write", temporary_);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return os_error("cannot rename to", path_);
  ::close(std::exchange(fd_, -1));
  if (!sync_folder_of(path_)) return os_error("cannot sync the folder of", path_);
  return {};
}

}  // namespace cuzk::groth16
