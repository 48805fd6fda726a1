#include "cuzk/base/positioned_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cuzk {
namespace {

/// Linux moves at most this much at a time anyway.
constexpr std::size_t kMaxRead = std::size_t{1} << 30;

}  // namespace

Result<PositionedFile> PositionedFile::open(const std::string& path) {
  PositionedFile file;
  file.path_ = path;
  // Not blocking: opening a pipe would wait for a writer, only for it to be refused below.
  file.fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.fd_ < 0) return io_error("cannot open '" + path + "': " + std::strerror(errno));
  struct stat info {};
  if (::fstat(file.fd_, &info) != 0 || !S_ISREG(info.st_mode))
    return S_ISDIR(info.st_mode) ? io_error("'" + path + "' is a folder, not a file")
                                 : io_error("'" + path + "' is not a regular file");
  file.size_ = static_cast<std::uint64_t>(info.st_size);
  return file;
}

PositionedFile::PositionedFile(PositionedFile&& other) noexcept
    : path_(std::move(other.path_)),
      size_(std::exchange(other.size_, 0)),
      fd_(std::exchange(other.fd_, -1)) {}

PositionedFile& PositionedFile::operator=(PositionedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(size_, other.size_);
  std::swap(fd_, other.fd_);
  return *this;
}

PositionedFile::~PositionedFile() {
  if (fd_ >= 0) ::close(fd_);
}

Result<void> PositionedFile::read(std::uint64_t offset, std::span<std::uint8_t> out) const {
  while (!out.empty()) {
    const ssize_t n = ::pread(fd_, out.data(), std::min(out.size(), kMaxRead), static_cast<::off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      return io_error("cannot read '" + path_ + "' at offset " + std::to_string(offset) + ": " +
                      std::strerror(errno));
    if (n == 0)
      return bad_input("'" + path_ + "' ends before offset " + std::to_string(offset) + ", it had " +
                       std::to_string(size_) + " bytes when it was opened");
    offset += static_cast<std::uint64_t>(n);
    out = out.subspan(static_cast<std::size_t>(n));
  }
  return {};
}

}  // namespace cuzk
