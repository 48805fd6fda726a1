#include "cuzk/server/socket_guard.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace cuzk::server {
namespace {

constexpr std::string_view kUnix = "unix://";

/// Whether a process has the socket: one that accepts connections, or that has it for something else.
bool answers(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
  const int connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // A full backlog is an answer too, and so is a socket of datagrams or packets: of a dead process there is
  // none at all that could be of another type.
  const bool alive = connected == 0 || errno == EAGAIN || errno == EPROTOTYPE;
  ::close(fd);
  return alive;
}

}  // namespace

std::string unix_path(std::string_view address) {
  return address.starts_with(kUnix) ? std::string(address.substr(kUnix.size())) : std::string();
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address.starts_with("localhost:") || address.starts_with("[::1]:");
}

Result<SocketGuard> SocketGuard::take(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return io_error("its folder: " + error.message());

  const std::string lock = path + ".lock";
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return io_error("'" + lock + "': " + std::strerror(errno));
  SocketGuard guard(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return io_error(errno == EWOULDBLOCK ? "a live daemon has it" : std::strerror(errno));

  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return guard;
    return io_error(std::strerror(errno));
  }
  if (!S_ISSOCK(info.st_mode)) return io_error("something that is no socket is there");
  if (answers(path)) return io_error("a live process answers there");
  if (::unlink(path.c_str()) != 0) return io_error(std::strerror(errno));
  return guard;
}

SocketGuard::SocketGuard(SocketGuard&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

SocketGuard::~SocketGuard() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace cuzk::server
