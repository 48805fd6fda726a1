#include "cuzk/server/http_server.h"

#include <httplib.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace cuzk::server {
namespace {

/// httplib gives a connection to a thread until it is closed. Threads come as connections do and go when
/// there is nothing for them, so that a crowd of idle connections does not keep a scrape waiting.
class ConnectionThreads : public httplib::TaskQueue {
 public:
  static constexpr std::size_t kMost = 256;

  void enqueue(std::function<void()> work) override {
    const std::lock_guard guard(mutex_);
    work_.push_back(std::move(work));
    if (idle_ >= work_.size() || threads_ == kMost) {
      wake_.notify_one();
      return;
    }
    try {
      std::thread([this] { run(); }).detach();
      ++threads_;
    } catch (const std::system_error&) {
      // A thread that is there will come to it; without any the connection waits for the next one.
    }
  }

  void shutdown() override {
    std::unique_lock guard(mutex_);
    stop_ = true;
    wake_.notify_all();
    ended_.wait(guard, [this] { return threads_ == 0; });
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

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable ended_;
  std::deque<std::function<void()>> work_;  // guarded by mutex_
  std::size_t threads_ = 0;                 // guarded by mutex_
  std::size_t idle_ = 0;                    // guarded by mutex_
  bool stop_ = false;                       // guarded by mutex_
};

/// "host:port" or "[v6]:port"; checked by the configuration already.
std::pair<std::string, int> split(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 1 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  int port = 0;
  if (colon != std::string::npos)
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  return {host, port};
}

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(HttpHandler handler) : handler_(std::move(handler)) {
    server_.new_task_queue = [] { return new ConnectionThreads; };
    server_.set_keep_alive_timeout(2);
    server_.set_read_timeout(5);
    server_.set_write_timeout(10);
    server_.set_payload_max_length(8192);
    // httplib would share the port with whoever has it.
    server_.set_socket_options([](socket_t socket) {
      const int on = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    server_.set_default_headers({{"Cache-Control", "no-store"},
                                 {"X-Content-Type-Options", "nosniff"},
                                 {"Content-Security-Policy", "default-src 'self'"}});
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;
    });
  }
  ~Impl() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Result<void> start(const std::string& address) {
    const auto [host, port] = split(address);
    port_ = port;
    const bool bound =
        port == 0 ? (port_ = server_.bind_to_any_port(host)) > 0 : server_.bind_to_port(host, port);
    if (!bound)
      return io_error("daemon.status_listen: cannot listen on '" + address + "'; is the port taken?");
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      over_ = true;
    });
    // httplib's stop does nothing before that, and its thread would then accept for ever.
    while (!server_.is_running() && !over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  }
  [[nodiscard]] int port() const { return port_; }

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
  }

  HttpHandler handler_;
  httplib::Server server_;
  std::thread thread_;
  std::atomic<bool> over_ = false;  // the thread listens no more
  int port_ = 0;
};

Result<std::unique_ptr<HttpServer>> HttpServer::start(const std::string& address, HttpHandler handler) {
  auto impl = std::make_unique<Impl>(std::move(handler));
  CUZK_TRY(impl->start(address));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}
HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;
int HttpServer::port() const {
  return impl_->port();
}

}  // namespace cuzk::server
