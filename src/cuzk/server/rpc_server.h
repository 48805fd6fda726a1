#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "cuzk/base/result.h"
#include "cuzk/server/acceptor.h"
#include "cuzk/server/listener.h"
#include "cuzk/server/log.h"

namespace cuzk::server {

/// Messages may have up to so many bytes, either way.
inline constexpr int kMaxMessageBytes = 256 << 20;

struct RpcServerOptions {
  std::vector<Listener> listeners;  ///< of reserve
  std::shared_ptr<grpc::ServerCredentials> tcp_credentials;
  std::size_t messages = 16;  ///< of the largest that the library may hold at a time
  Acceptor::Warn warn = {};   ///< when connections wait
};

/// While it lives, what gRPC and protobuf say is in `log`: their errors, which are mostly what some peer did,
/// as warnings, some a second; the rest as it is called. How much gRPC says is up to GRPC_VERBOSITY, without
/// which it is errors. One at a time in a process, as each library has one log function, without an argument
/// of ours; made before and ended after all that calls them, as protobuf's is set without a lock.
class LibraryLog {
 public:
  explicit LibraryLog(Log& log);
  /// Returns when nobody is writing any more.
  ~LibraryLog();
  LibraryLog(const LibraryLog&) = delete;
  LibraryLog& operator=(const LibraryLog&) = delete;
};

/// The gRPC server: one service, health and reflection, on all addresses. Not thread-safe, apart from what
/// its services are asked.
class RpcServer {
 public:
  /// Takes the addresses of daemon.listen, before anything is begun that another daemon of this machine might
  /// have in hand. kIo naming the address that cannot be had.
  static Result<std::vector<Listener>> reserve(const std::vector<std::string>& listen);
  /// Listens when it returns. The services must outlive it; `generic` gets the calls of methods that
  /// `service` leaves to it, and of unknown ones. kIo naming the address that cannot be had after all.
  static Result<std::unique_ptr<RpcServer>> start(RpcServerOptions options, grpc::Service& service,
                                                  grpc::CallbackGenericService& generic);
  /// stop without patience.
  ~RpcServer();
  RpcServer(const RpcServer&) = delete;
  RpcServer& operator=(const RpcServer&) = delete;

  /// The addresses, with the ports that the system chose.
  [[nodiscard]] const std::vector<std::string>& addresses() const { return addresses_; }

  /// What the health service answers, for the whole server and for the service.
  void set_serving(bool serving);

  /// Takes no more calls, waits for those that run, `patience` at most, then cancels them.
  void stop(std::chrono::milliseconds patience);

 private:
  RpcServer() = default;

  using Entrance = grpc::experimental::ExternalConnectionAcceptor;

  std::vector<Listener> listeners_;
  std::vector<std::string> addresses_;
  // The library's own listener ends for ever when it is out of descriptors once.
  std::unique_ptr<Entrance> unix_entrance_;
  std::unique_ptr<Entrance> tcp_entrance_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace cuzk::server
