#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuzk/base/result.h"
#include "cuzk/server/acceptor.h"

namespace cuzk::server {

/// One answer of the side port.
struct HttpAnswer {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::shared_ptr<void> held = {};  ///< goes when the answer is out or its connection has ended
};

/// What a path answers. `parameter` gives the value of a query parameter, if it is there.
using HttpParameter = std::function<std::optional<std::string>(const char* name)>;
/// Nothing for a path that does not exist. Called from any number of threads at a time.
using HttpHandler =
    std::function<std::optional<HttpAnswer>(std::string_view path, const HttpParameter& parameter)>;

/// The HTTP side port: GET and HEAD of what a handler answers, everything else 405, with the headers of
/// docs/http.md. A connection gets a thread for as long as it is used; slow and idle ones are cut off. A
/// request line of over 8 KiB is 414, one with its headers of over 32 KiB 431, one that cannot be read 400;
/// each of them ends the connection. port is thread-safe.
class HttpServer {
 public:
  /// Listens on `address` ("host:port"; port 0: any). kIo when that cannot be. `warn`: when connections wait.
  static Result<std::unique_ptr<HttpServer>> start(const std::string& address, HttpHandler handler,
                                                   Acceptor::Warn warn = {});
  /// Ends the connections and waits for their threads.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  [[nodiscard]] int port() const;

 private:
  class Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cuzk::server
