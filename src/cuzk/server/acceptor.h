#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/server/listener.h"

namespace cuzk::server {

/// How many descriptors connections may take, so that one kind leaves room for the others, and all of them
/// for files. The first two are bounds of descriptor numbers, which the system gives out from below: a
/// connection is taken while there is a free number under its bound. They leave a fourth of the process's
/// limit, of which the side port's connections take half at most.
struct ConnectionBounds {
  int local;      ///< over Unix sockets
  int remote;     ///< over TCP: a crowd there does not keep programs of this machine out
  int side_port;  ///< connections at a time
};
/// Of RLIMIT_NOFILE as it is at this moment. Thread-safe.
ConnectionBounds connection_bounds();
/// Whether the process has a free descriptor number under the bound. Thread-safe.
bool has_descriptor_below(int bound);

/// Takes connections in a thread of its own until the end of the object, whatever happens: when the process
/// or the system is out of descriptors or memory, and while a source has no room, those that come wait in the
/// system's queue.
class Acceptor {
 public:
  struct Source {
    const Listener* listener;              ///< listens; outlives the acceptor
    std::function<bool()> has_room;        ///< whether one more connection can be taken
    std::function<void(Descriptor)> take;  ///< a connection, non-blocking
  };
  /// Gets a line when connections wait for room, at most once in a minute; from the thread. May be empty.
  using Warn = std::function<void(const std::string& text)>;

  /// kIo when there is no descriptor or thread for it.
  static Result<std::unique_ptr<Acceptor>> start(std::vector<Source> sources, Warn warn);
  /// Afterwards nothing of the sources is called.
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

 private:
  class Impl;
  explicit Acceptor(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::server
