#include "cuzk/server/listener.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace cuzk::server {
namespace {

constexpr int kBacklog = 4096;  // the system has its own maximum
/// What was sent and not acknowledged for so long ends the connection; as long as the server's keep-alive
/// waits for its answer.
constexpr unsigned kUnacknowledgedMs = 20'000;

/// Sockets get mode 0660 while one of these lives: who may connect is decided by their group.
class SocketMask {
 public:
  SocketMask() : before_(::umask(0117)) {}
  ~SocketMask() { ::umask(before_); }
  SocketMask(const SocketMask&) = delete;
  SocketMask& operator=(const SocketMask&) = delete;

 private:
  mode_t before_;
};

Descriptor make_socket(int family) {
  return Descriptor(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

template <class T>
void set(const Descriptor& socket, int level, int option, T value) {
  (void)::setsockopt(socket.get(), level, option, &value, sizeof value);
}

/// The connections of a listening socket inherit its options.
void set_tcp_options(const Descriptor& socket, int family) {
  set(socket, SOL_SOCKET, SO_REUSEADDR, 1);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnacknowledgedMs);
  if (family == AF_INET6) set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
}

int port_of(const Descriptor& socket) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) != 0) return 0;
  const bool v6 = bound.ss_family == AF_INET6;
  return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                  : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port);
}

void set_port(sockaddr* address, int port) {
  const in_port_t value = htons(static_cast<std::uint16_t>(port));
  if (address->sa_family == AF_INET6)
    reinterpret_cast<sockaddr_in6*>(address)->sin6_port = value;
  else
    reinterpret_cast<sockaddr_in*>(address)->sin_port = value;
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

Result<Listener> Listener::bind(const std::string& address, std::string_view key) {
  Listener out(address, key);
  const std::string path = unix_path(address);
  CUZK_TRY(path.empty() ? out.bind_tcp() : out.bind_unix(path));
  return out;
}

Error Listener::failure(const std::string& reason) const {
  return io_error(key_ + ": cannot listen on '" + address_ + "': " + reason);
}

Result<void> Listener::bind_unix(const std::string& path) {
  Result<SocketGuard> guard = SocketGuard::take(path);
  if (!guard) return failure(guard.error().message);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return failure("the path is too long");
  std::memcpy(address.sun_path, path.data(), path.size());
  Descriptor socket = make_socket(AF_UNIX);
  const SocketMask mask;
  if (!socket || ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return failure(std::strerror(errno));
  guard_.emplace(*std::move(guard));
  sockets_.push_back(std::move(socket));
  return {};
}

Result<void> Listener::bind_tcp() {
  const std::size_t colon = address_.rfind(':');
  const std::string port = colon == std::string::npos ? std::string() : address_.substr(colon + 1);
  std::string host = address_.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);

  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* first = nullptr;
  if (const int resolved = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &first); resolved != 0)
    return failure(::gai_strerror(resolved));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(first, ::freeaddrinfo);

  std::string reason = "no address";
  for (const addrinfo* entry = found.get(); entry != nullptr; entry = entry->ai_next) {
    Descriptor socket = make_socket(entry->ai_family);
    if (socket) {
      set_tcp_options(socket, entry->ai_family);
      if (port_ != 0) set_port(entry->ai_addr, port_);
    }
    if (!socket || ::bind(socket.get(), entry->ai_addr, entry->ai_addrlen) != 0) {
      reason = std::strerror(errno);
      // The loopback's name has an IPv6 address where the machine has none; but half of a name that another
      // process has the other half of would be a trap.
      if (errno == EADDRINUSE) return failure(reason);
      continue;
    }
    port_ = port_of(socket);
    sockets_.push_back(std::move(socket));
  }
  if (sockets_.empty()) return failure(reason);
  if (address_.ends_with(":0")) address_ = address_.substr(0, address_.size() - 1) + std::to_string(port_);
  return {};
}

Result<void> Listener::listen() {
  for (const Descriptor& socket : sockets_) {
    if (::listen(socket.get(), kBacklog) != 0) return failure(std::strerror(errno));
  }
  return {};
}

Listener::~Listener() {
  // Before the lock goes: it would be that of the next daemon otherwise.
  if (guard_ && !sockets_.empty()) ::unlink(unix_path(address_).c_str());
}

}  // namespace cuzk::server
