#pragma once

#include <string>
#include <string_view>

#include "cuzk/base/result.h"

namespace cuzk::server {

// The functions are thread-safe.

/// The path of "unix:///path"; empty for a TCP address.
std::string unix_path(std::string_view address);

/// Whether a TCP address is one that only this machine can reach.
bool is_loopback(std::string_view address);

/// The right to listen on a Unix socket, for the life of the object: an flock on PATH.lock, which ends with
/// the process however it ends. gRPC itself would take the socket of a live daemon away. Not thread-safe.
class SocketGuard {
 public:
  /// Makes the folder where it does not exist, takes the lock, and removes the socket of a daemon that is
  /// dead. kIo with the reason when a live process has the lock or answers on the socket, or when something
  /// that is no socket is at the path.
  static Result<SocketGuard> take(const std::string& path);

  SocketGuard(SocketGuard&& other) noexcept;
  SocketGuard& operator=(SocketGuard&&) = delete;
  SocketGuard(const SocketGuard&) = delete;
  SocketGuard& operator=(const SocketGuard&) = delete;
  /// The lock file stays: to remove it would let a third process lock another file of that name.
  ~SocketGuard();

 private:
  explicit SocketGuard(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace cuzk::server
