#include "cuzk/server/rpc_server.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <sys/socket.h>

#include <atomic>
#include <string_view>
#include <thread>
#include <utility>

namespace cuzk::server {
namespace {

/// Until a connection has shown that it speaks the protocol; over TLS, that of TLS too.
constexpr int kHandshakeMs = 20'000;

void enter(grpc::experimental::ExternalConnectionAcceptor& entrance, int listening, Descriptor connection) {
  // The library has no connection without a peer, and a line of the log for each that is gone already.
  sockaddr_storage peer{};
  socklen_t size = sizeof peer;
  if (::getpeername(connection.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) return;
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listening;
  parameters.fd = connection.release();
  entrance.HandleNewConnection(&parameters);
}

// Of the one LibraryLog.
std::atomic<Log*> library_log = nullptr;
std::atomic<int> library_writers = 0;
google::protobuf::LogHandler* protobuf_handler = nullptr;  // its own

void write_for_library(LogLevel level, const std::string& message, std::string_view file, int line) {
  ++library_writers;
  if (Log* const log = library_log; log != nullptr) {
    file.remove_prefix(file.rfind('/') + 1);
    if (level == LogLevel::kWarn)
      log->warn_of_peer(PeerLines::kLibrary, message, {{"file", file}, {"line", line}});
    else
      log->write(level, message, {{"file", file}, {"line", line}});
  }
  --library_writers;
}

void write_for_grpc(gpr_log_func_args* args) {
  write_for_library(args->severity == GPR_LOG_SEVERITY_ERROR  ? LogLevel::kWarn
                    : args->severity == GPR_LOG_SEVERITY_INFO ? LogLevel::kInfo
                                                              : LogLevel::kDebug,
                    std::string("gRPC: ") + args->message, args->file, args->line);
}

void write_for_protobuf(google::protobuf::LogLevel level, const char* file, int line,
                        const std::string& message) {
  write_for_library(level == google::protobuf::LOGLEVEL_INFO ? LogLevel::kInfo : LogLevel::kWarn,
                    "protobuf: " + message, file, line);
}

}  // namespace

LibraryLog::LibraryLog(Log& log) {
  Log* none = nullptr;
  CUZK_CHECK(library_log.compare_exchange_strong(none, &log));
  gpr_set_log_function(write_for_grpc);
  protobuf_handler = google::protobuf::SetLogHandler(write_for_protobuf);
}

LibraryLog::~LibraryLog() {
  // Their own, on stderr.
  gpr_set_log_function(nullptr);
  google::protobuf::SetLogHandler(protobuf_handler);
  library_log = nullptr;
  while (library_writers != 0) std::this_thread::yield();
}

Result<std::vector<Listener>> RpcServer::reserve(const std::vector<std::string>& listen) {
  std::vector<Listener> out;
  for (const std::string& address : listen) {
    CUZK_TRY_ASSIGN(Listener listener, Listener::bind(address, "daemon.listen"));
    out.push_back(std::move(listener));
  }
  return out;
}

Result<std::unique_ptr<RpcServer>> RpcServer::start(RpcServerOptions options, grpc::Service& service,
                                                    grpc::CallbackGenericService& generic) {
  // Both are switches of the library for servers that are built after them.
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto out = std::unique_ptr<RpcServer>(new RpcServer);
  out->listeners_ = std::move(options.listeners);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetMaxSendMessageSize(kMaxMessageBytes);
  // The library refuses a message that is too large when it has all of it, up to 4 GiB; what bounds that is
  // this: beyond it the library ends a call. Messages of the proper size have room twice.
  grpc::ResourceQuota memory("cuzk");
  memory.Resize(options.messages * 2 * std::size_t{kMaxMessageBytes});
  builder.SetResourceQuota(memory);
  // The library inflates a message before it looks at its size, and before anybody looks at a token.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshakeMs);
  // Clients that went without a word are noticed within 80 s; those that ask often are let be.
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10'000);
  // A stream may send so much before anybody reads it; the library would raise that to what the line carries
  // in a round trip, megabytes for each stream that waits.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  builder.RegisterService(&service);
  builder.RegisterCallbackGenericService(&generic);

  using Builder = grpc::ServerBuilder::experimental_type;
  const auto entrance = [&builder](std::shared_ptr<grpc::ServerCredentials> credentials) {
    return builder.experimental().AddExternalConnectionAcceptor(Builder::ExternalConnectionType::FROM_FD,
                                                                std::move(credentials));
  };
  out->unix_entrance_ = entrance(grpc::InsecureServerCredentials());
  out->tcp_entrance_ = entrance(options.tcp_credentials);
  out->server_ = builder.BuildAndStart();
  if (out->server_ == nullptr) return io_error("the gRPC server cannot be started");

  const ConnectionBounds bounds = connection_bounds();
  std::vector<Acceptor::Source> sources;
  for (Listener& listener : out->listeners_) {
    CUZK_TRY(listener.listen());
    out->addresses_.push_back(listener.address());
    const int bound = listener.is_unix() ? bounds.local : bounds.remote;
    Entrance& entered = listener.is_unix() ? *out->unix_entrance_ : *out->tcp_entrance_;
    sources.push_back(
        {.listener = &listener,
         .has_room = [bound] { return has_descriptor_below(bound); },
         .take = [&entered, socket = listener.sockets().front().get()](
                     Descriptor connection) { enter(entered, socket, std::move(connection)); }});
  }
  CUZK_TRY_ASSIGN(out->acceptor_, Acceptor::start(std::move(sources), std::move(options.warn)));
  return out;
}

RpcServer::~RpcServer() {
  stop(std::chrono::milliseconds(0));
}

void RpcServer::set_serving(bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  health->SetServingStatus(serving);
  health->SetServingStatus("cuzk.v1.ProvingEngine", serving);
}

void RpcServer::stop(std::chrono::milliseconds patience) {
  acceptor_.reset();  // a connection that is handed to a server that ends would be left open
  listeners_.clear();
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + patience);
  server_->Wait();
  server_.reset();
}

}  // namespace cuzk::server
