#include "cuzk/server/acceptor.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace cuzk::server {
namespace {

using Clock = std::chrono::steady_clock;

/// Until a source without room is asked again.
constexpr std::chrono::milliseconds kPause{100};
constexpr std::chrono::minutes kBetweenWarnings{1};
/// Connections of one socket in a row, before the others have their turn.
constexpr int kMostInARow = 64;
/// However high the process's limit is: a connection takes up to 100 KB with TLS.
constexpr rlim_t kMostDescriptors = 16'384;

/// Whether accept failed for a reason that lies with one connection, which is gone with that.
bool is_of_one_connection(int error) {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPERM:  // a firewall's rule
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case EOPNOTSUPP:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

}  // namespace

ConnectionBounds connection_bounds() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 1024;
  const int most = static_cast<int>(std::min(limit.rlim_cur, kMostDescriptors));
  return {.local = most / 4 * 3, .remote = most / 2, .side_port = std::clamp(most / 8, 1, 256)};
}

bool has_descriptor_below(int bound) {
  const Descriptor lowest(::eventfd(0, EFD_CLOEXEC));
  return lowest && lowest.get() < bound;
}

class Acceptor::Impl {
 public:
  Impl(std::vector<Source> sources, Warn warn) : sources_(std::move(sources)), warn_(std::move(warn)) {}
  ~Impl() {
    if (!thread_.joinable()) return;
    const std::uint64_t one = 1;
    (void)!::write(end_.get(), &one, sizeof one);
    thread_.join();
  }

  Result<void> start() {
    end_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
    if (!end_) return io_error(std::string("eventfd: ") + std::strerror(errno));
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      return io_error(std::string("a thread for connections: ") + error.what());
    }
    return {};
  }

 private:
  void run() {
    std::vector<Clock::time_point> resume(sources_.size());  // of each source: when it is asked again
    std::vector<pollfd> waiting;
    std::vector<std::size_t> owners;  // the sources of the entries of `waiting` but the first
    for (;;) {
      const Clock::time_point now = Clock::now();
      bool all = true;
      waiting.assign(1, {.fd = end_.get(), .events = POLLIN, .revents = 0});
      owners.clear();
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        if (resume[i] > now) {
          all = false;
          continue;
        }
        for (const Descriptor& socket : sources_[i].listener->sockets()) {
          waiting.push_back({.fd = socket.get(), .events = POLLIN, .revents = 0});
          owners.push_back(i);
        }
      }
      const int ready = ::poll(waiting.data(), waiting.size(), all ? -1 : static_cast<int>(kPause.count()));
      if (ready > 0 && waiting.front().revents != 0) return;
      if (ready < 0 && errno != EINTR) std::this_thread::sleep_for(kPause);  // out of memory
      for (std::size_t i = 0; ready > 0 && i < owners.size(); ++i) {
        if (waiting[i + 1].revents != 0 && !accept_some(sources_[owners[i]], waiting[i + 1].fd))
          resume[owners[i]] = Clock::now() + kPause;
      }
    }
  }

  /// False when there is no room for what else may be waiting.
  bool accept_some(const Source& source, int listening) {
    for (int left = kMostInARow; left > 0; --left) {
      if (!source.has_room()) return no_room(source, "the connections that are there take all that they may");
      Descriptor connection(::accept4(listening, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
      if (connection) {
        source.take(std::move(connection));
      } else if (errno == EAGAIN) {
        return true;
      } else if (!is_of_one_connection(errno)) {
        return no_room(source, std::strerror(errno));
      }
    }
    return true;
  }

  bool no_room(const Source& source, const std::string& reason) {
    const Clock::time_point now = Clock::now();
    if (warn_ && (!warned_ || now - *warned_ >= kBetweenWarnings)) {
      warn_("connections to '" + source.listener->address() + "' wait for room: " + reason);
      warned_ = now;
    }
    return false;
  }

  const std::vector<Source> sources_;
  const Warn warn_;
  Descriptor end_;  // readable when the thread is to end
  std::optional<Clock::time_point> warned_;
  std::thread thread_;
};

Result<std::unique_ptr<Acceptor>> Acceptor::start(std::vector<Source> sources, Warn warn) {
  auto impl = std::make_unique<Impl>(std::move(sources), std::move(warn));
  CUZK_TRY(impl->start());
  return std::unique_ptr<Acceptor>(new Acceptor(std::move(impl)));
}
Acceptor::Acceptor(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Acceptor::~Acceptor() = default;

}  // namespace cuzk::server
