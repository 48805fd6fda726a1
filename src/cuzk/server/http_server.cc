#include "cuzk/server/http_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace cuzk::server {
namespace {

/// A connection has a thread until it is closed. Threads come as connections do and go when there is nothing
/// for them, so that a crowd of idle connections does not keep a scrape waiting.
class ConnectionThreads {
 public:
  explicit ConnectionThreads(std::size_t most) : most_(most) {}
  /// Runs what is there, without waiting for more, and returns when it has run.
  ~ConnectionThreads() {
    std::unique_lock guard(mutex_);
    stop_ = true;
    wake_.notify_all();
    ended_.wait(guard, [this] { return threads_ == 0; });
  }
  ConnectionThreads(const ConnectionThreads&) = delete;
  ConnectionThreads& operator=(const ConnectionThreads&) = delete;

  /// Whether one more connection would have a thread.
  [[nodiscard]] bool has_room() {
    const std::lock_guard guard(mutex_);
    return work_.size() + threads_ < most_ + idle_;
  }

  void enqueue(std::function<void()> work) {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
    if (idle_ >= work_.size() || threads_ == most_) {
      wake_.notify_one();
      return;
    }
    try {
      std::thread([this] { run(); }).detach();
      ++threads_;
    } catch (const std::system_error&) {
      // A thread that is there will come to it; without any the connection is closed, as those that wait
      // would in the end take all the room.
      if (threads_ == 0) work_.clear();
    }
  }

 private:
  void run() {
    std::unique_lock guard(mutex_);
    for (;;) {
      ++idle_;
      wake_.wait_for(guard, std::chrono::seconds(10), [this] { return stop_ || !work_.empty(); });
      --idle_;
      if (work_.empty()) break;
      const std::function<void()> work = std::move(work_.front());
      work_.pop_front();
      guard.unlock();
      work();
      guard.lock();
    }
    --threads_;
    ended_.notify_all();
  }

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable ended_;
  std::deque<std::function<void()>> work_;  // guarded by mutex_
  std::size_t threads_ = 0;                 // guarded by mutex_
  std::size_t idle_ = 0;                    // guarded by mutex_
  bool stop_ = false;                       // guarded by mutex_
};

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostRequestLine = 8192;
constexpr std::size_t kMostHead = 32 * 1024;  // of the request line and the headers
constexpr milliseconds kIdle{2000};           // between two requests of a connection
constexpr milliseconds kHead{5000};           // from the first byte of a request to its last
constexpr milliseconds kWrite{10'000};        // for some progress of the answer
constexpr milliseconds kAnswer{30'000};       // for the whole of it
constexpr milliseconds kLastAnswers{2000};    // for what is on its way when the server ends
constexpr int kMostRequests = 100;            // of a connection

/// Of every answer.
constexpr std::array<std::pair<const char*, const char*>, 3> kHeaders{
    {{"Cache-Control", "no-store"},
     {"X-Content-Type-Options", "nosniff"},
     {"Content-Security-Policy", "default-src 'self'"}}};

bool wait_for(socket_t socket, short events, milliseconds patience) {
  pollfd one{.fd = socket, .events = events, .revents = 0};
  return ::poll(&one, 1, static_cast<int>(std::max(patience, milliseconds(0)).count())) > 0;
}

/// A connection as httplib reads it, with bounds that its own lacks: it would keep a line without end in
/// memory, and wait for ever for one that comes byte by byte.
class BoundedStream : public httplib::Stream {
 public:
  /// Nothing is written after `answers_until`, which another thread may bring forward.
  BoundedStream(socket_t socket, const std::atomic<Clock::time_point>& answers_until)
      : socket_(socket), answers_until_(answers_until) {}

  /// What follows is another request.
  void begin_request() {
    ended_by_ = Clock::now() + kHead;
    head_ = 0;
    line_ = 0;
    in_request_line_ = true;
    head_is_read_ = false;
    refusal_ = nullptr;
  }
  /// Its head was understood, and what is written is the answer to it.
  void head_is_read() { head_is_read_ = true; }
  [[nodiscard]] bool has_more() const { return next_ != end_; }
  /// Why the request is not read further: a status line's text, or null.
  [[nodiscard]] const char* refusal() const { return refusal_; }
  void answer_refusal() {
    answers_refusal_ = true;
    std::string answer = std::string("HTTP/1.1 ") + refusal_ + "\r\n";
    for (const auto& [name, value] : kHeaders) answer += std::string(name) + ": " + value + "\r\n";
    (void)write(answer + "Connection: close\r\nContent-Length: 0\r\n\r\n");
  }
  /// Before the end of a connection of which not all was read: the system would throw the answer away with
  /// it.
  void let_answer_out() {
    ::shutdown(socket_, SHUT_WR);
    const Clock::time_point end = Clock::now() + milliseconds(1000);
    ssize_t received = 0;
    for (std::size_t most = 256 * 1024; most > 0 && wait_for(socket_, POLLIN, until(end));
         most -= std::min(most, static_cast<std::size_t>(received))) {
      received = ::recv(socket_, bytes_.data(), bytes_.size(), 0);
      if (received <= 0) break;
    }
  }

  [[nodiscard]] bool is_readable() const override {
    return has_more() || wait_for(socket_, POLLIN, until(ended_by_));
  }
  [[nodiscard]] bool is_writable() const override {
    const milliseconds left = until(std::min(ended_by_ + kAnswer, answers_until_.load()));
    return left > milliseconds(0) && wait_for(socket_, POLLOUT, std::min(kWrite, left));
  }

  ssize_t read(char* to, std::size_t size) override {
    if (refusal_ != nullptr) return -1;
    if (!has_more()) {
      ssize_t received = 0;
      do {
        if (!wait_for(socket_, POLLIN, until(ended_by_))) return -1;
        received = ::recv(socket_, bytes_.data(), bytes_.size(), 0);
      } while (received < 0 && (errno == EAGAIN || errno == EINTR));
      if (received <= 0) return received;
      next_ = 0;
      end_ = static_cast<std::size_t>(received);
    }
    std::size_t given = 0;
    while (given < size && has_more()) {
      const char byte = bytes_[next_];
      if (!count(byte)) return -1;
      ++next_;
      to[given++] = byte;
    }
    return static_cast<ssize_t>(given);
  }

  ssize_t write(const char* from, std::size_t size) override {
    // httplib would answer a request that was not read to its end too. What it does not understand it leaves
    // on the connection, of which nobody knows then where the next request begins.
    if (refusal_ == nullptr && !head_is_read_) refusal_ = "400 Bad Request";
    if (refusal_ != nullptr && !answers_refusal_) return static_cast<ssize_t>(size);
    ssize_t sent = 0;
    do {
      if (!is_writable()) return -1;
      sent = ::send(socket_, from, size, MSG_NOSIGNAL);
    } while (sent < 0 && (errno == EAGAIN || errno == EINTR));
    return sent;
  }
  using httplib::Stream::write;

  // Of what is asked of a connection nothing depends on who asks.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  static milliseconds until(Clock::time_point end) {
    return std::chrono::duration_cast<milliseconds>(end - Clock::now());
  }
  /// Requests have no bodies that anybody reads, so that all of one is its head.
  bool count(char byte) {
    ++head_;
    if (in_request_line_ && ++line_ > kMostRequestLine) refusal_ = "414 URI Too Long";
    if (byte == '\n') in_request_line_ = false;
    if (refusal_ == nullptr && head_ > kMostHead) refusal_ = "431 Request Header Fields Too Large";
    return refusal_ == nullptr;
  }

  socket_t socket_;
  const std::atomic<Clock::time_point>& answers_until_;
  std::array<char, 4096> bytes_{};  // received and not read yet: from next_ to end_
  std::size_t next_ = 0;
  std::size_t end_ = 0;
  Clock::time_point ended_by_;
  std::size_t head_ = 0;  // bytes of the request so far
  std::size_t line_ = 0;  // bytes of its first line
  bool in_request_line_ = true;
  bool head_is_read_ = false;
  const char* refusal_ = nullptr;
  bool answers_refusal_ = false;
};

/// httplib for what a connection says, without its listener: that one ends when the system is out of memory.
class BoundedServer : public httplib::Server {
 public:
  /// Connections end after what they are at, of which the rest must be taken soon.
  void end() {
    answers_until_ = Clock::now() + kLastAnswers;
    ends_ = true;
  }

  void serve(socket_t socket) {
    BoundedStream stream(socket, answers_until_);
    for (int left = kMostRequests; left > 0 && !ends_; --left) {
      if (!stream.has_more() && !next_request_comes(socket)) break;
      stream.begin_request();
      bool closed = false;
      bool body = false;
      const bool served = process_request(stream, left == 1, closed, [&](httplib::Request& request) {
        stream.head_is_read();
        // Ranges are answered with the whole: httplib would repeat it for every one of thousands.
        request.headers.erase("Range");
        request.ranges.clear();
        // Nobody reads it, so that nobody knows where the next request begins.
        body = request.has_header("Transfer-Encoding") || request.has_header("Content-Length");
        if (!body) return;
        request.headers.erase("Connection");
        request.headers.emplace("Connection", "close");
      });
      if (stream.refusal() != nullptr) stream.answer_refusal();
      if (stream.refusal() != nullptr || body) stream.let_answer_out();
      if (!served || closed || body || stream.refusal() != nullptr) break;
    }
    ::shutdown(socket, SHUT_RDWR);
  }

 private:
  /// In small steps, so that an idle connection does not hold up the end of the server.
  [[nodiscard]] bool next_request_comes(socket_t socket) const {
    for (const Clock::time_point end = Clock::now() + kIdle; Clock::now() < end && !ends_;) {
      if (wait_for(socket, POLLIN, milliseconds(50))) return true;
    }
    return false;
  }

  std::atomic<bool> ends_ = false;
  std::atomic<Clock::time_point> answers_until_{Clock::time_point::max()};
};

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(HttpHandler handler) : handler_(std::move(handler)) {
    server_.set_default_headers(httplib::Headers(kHeaders.begin(), kHeaders.end()));
    // What its Keep-Alive header announces; BoundedServer is who keeps to it.
    server_.set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(kIdle).count());
    server_.set_keep_alive_max_count(kMostRequests);
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
  }
  ~Impl() {
    acceptor_.reset();
    server_.end();
  }

  Result<void> start(const std::string& address, Acceptor::Warn warn) {
    CUZK_TRY_ASSIGN(Listener listener, Listener::bind(address, "daemon.status_listen"));
    listener_.emplace(std::move(listener));
    CUZK_TRY(listener_->listen());
    const auto take = [this](Descriptor connection) {
      // Shared, as what is queued has to be copied.
      auto shared = std::make_shared<Descriptor>(std::move(connection));
      threads_.enqueue([this, shared] { server_.serve(shared->get()); });
    };
    CUZK_TRY_ASSIGN(
        acceptor_,
        Acceptor::start(
            {{.listener = &*listener_, .has_room = [this] { return threads_.has_room(); }, .take = take}},
            std::move(warn)));
    return {};
  }
  [[nodiscard]] int port() const { return listener_->port(); }

 private:
  void answer(const httplib::Request& request, httplib::Response& response) {
    if (request.method != "GET" && request.method != "HEAD") {
      response.status = 405;
      response.set_header("Allow", "GET, HEAD");
      response.set_content("only GET and HEAD\n", "text/plain");
      return;
    }
    std::optional<HttpAnswer> answer =
        handler_(request.path, [&](const char* name) -> std::optional<std::string> {
          if (!request.has_param(name)) return std::nullopt;
          return request.get_param_value(name);
        });
    if (!answer) answer = HttpAnswer{.status = 404, .body = "not found\n"};
    response.status = answer->status;
    response.set_content(std::move(answer->body), answer->content_type);
    // It lives as long as the response, which is written when this has returned.
    if (answer->held)
      response.content_provider_resource_releaser_ = [held = std::move(answer->held)](bool) {};
  }

  HttpHandler handler_;
  BoundedServer server_;
  ConnectionThreads threads_{static_cast<std::size_t>(connection_bounds().side_port)};
  std::optional<Listener> listener_;
  std::unique_ptr<Acceptor> acceptor_;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& address, HttpHandler handler,
                                                      Acceptor::Warn warn) {
  auto impl = std::make_unique<Impl>(std::move(handler));
  CUZK_TRY(impl->start(address, std::move(warn)));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}
HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const {
  return impl_->port();
}

}  // namespace cuzk::server
