#include "cuzk/server/socket_guard.h"

#include <fcntl.h>
#include <netdb.h>
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

Error listen_error(const std::string& path, const std::string& reason) {
  return io_error("daemon.listen: cannot listen on 'unix://" + path + "': " + reason);
}

/// Whether somebody accepts connections on the socket.
bool answers(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size(), sizeof address.sun_path - 1));
  const int connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // A full backlog is an answer too.
  const bool alive = connected == 0 || errno == EAGAIN;
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

Result<void> can_listen(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::string port = colon == std::string::npos ? std::string() : address.substr(colon + 1);
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);

  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int resolved = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  std::string reason = resolved == 0 ? "no address" : ::gai_strerror(resolved);
  bool bound = false;
  // One of several will do: the loopback has no IPv6 everywhere.
  for (const addrinfo* entry = found; entry != nullptr && !bound; entry = entry->ai_next) {
    const int fd = ::socket(entry->ai_family, entry->ai_socktype | SOCK_CLOEXEC, entry->ai_protocol);
    if (fd >= 0) {
      const int on = 1;
      (void)::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
      bound = ::bind(fd, entry->ai_addr, entry->ai_addrlen) == 0;
    }
    if (!bound) reason = std::strerror(errno);
    if (fd >= 0) ::close(fd);
  }
  if (found != nullptr) ::freeaddrinfo(found);
  if (bound) return {};
  return io_error("daemon.listen: cannot listen on '" + address + "': " + reason);
}

Result<SocketGuard> SocketGuard::take(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  if (error) return listen_error(path, "its folder: " + error.message());

  const std::string lock = path + ".lock";
  const int fd = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return listen_error(path, "'" + lock + "': " + std::strerror(errno));
  SocketGuard guard(fd);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
    return listen_error(path, errno == EWOULDBLOCK ? "a live daemon has it" : std::strerror(errno));

  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return guard;
    return listen_error(path, std::strerror(errno));
  }
  if (!S_ISSOCK(info.st_mode)) return listen_error(path, "something that is no socket is there");
  if (answers(path)) return listen_error(path, "a live process answers there");
  if (::unlink(path.c_str()) != 0) return listen_error(path, std::strerror(errno));
  return guard;
}

SocketGuard::SocketGuard(SocketGuard&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

SocketGuard::~SocketGuard() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace cuzk::server
