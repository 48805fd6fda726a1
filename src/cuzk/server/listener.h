#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/server/socket_guard.h"

namespace cuzk::server {

/// A file descriptor, closed with the object. Not thread-safe.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor();

  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

/// An address of this process: bound when it is made, so that nobody else gets it, and answering from listen
/// on. Until then connections are refused. Not thread-safe.
class Listener {
 public:
  /// Of "unix:///path" (mode 0660, with SocketGuard's lock), "host:port" or "[v6]:port", as the configuration
  /// has checked it. A name is bound with all of its addresses that this machine has, "[::]" with those of
  /// IPv4 too; port 0 is one that the system chooses, the same for all. kIo naming `key` and the address.
  static Result<Listener> bind(const std::string& address, std::string_view key);
  /// kIo when another process was quicker.
  Result<void> listen();

  Listener(Listener&&) noexcept = default;
  Listener& operator=(Listener&&) = delete;
  /// Takes the Unix socket's file away.
  ~Listener();

  /// As given, but with the port that the system chose.
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] bool is_unix() const { return guard_.has_value(); }
  /// 0 for a Unix socket.
  [[nodiscard]] int port() const { return port_; }
  /// Non-blocking; one or more.
  [[nodiscard]] const std::vector<Descriptor>& sockets() const { return sockets_; }

 private:
  Listener(std::string address, std::string_view key) : key_(key), address_(std::move(address)) {}
  Result<void> bind_unix(const std::string& path);
  Result<void> bind_tcp();
  [[nodiscard]] Error failure(const std::string& reason) const;

  std::string key_;
  std::string address_;
  int port_ = 0;
  std::optional<SocketGuard> guard_;  // of a Unix socket
  std::vector<Descriptor> sockets_;   // not empty once bound; a Listener moved from has none
};

}  // namespace cuzk::server
