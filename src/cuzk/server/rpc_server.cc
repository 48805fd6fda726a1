#include "cuzk/server/rpc_server.h"

#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server_builder.h>
#include <sys/stat.h>

#include <utility>

namespace cuzk::server {
namespace {

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

}  // namespace

Result<std::vector<SocketGuard>> RpcServer::reserve(const std::vector<std::string>& listen) {
  std::vector<SocketGuard> guards;
  for (const std::string& address : listen) {
    const std::string path = unix_path(address);
    if (path.empty()) {
      CUZK_TRY(can_listen(address));
      continue;
    }
    CUZK_TRY_ASSIGN(SocketGuard guard, SocketGuard::take(path));
    guards.push_back(std::move(guard));
  }
  return guards;
}

Result<std::unique_ptr<RpcServer>> RpcServer::start(RpcServerOptions options, grpc::Service& service,
                                                    grpc::CallbackGenericService& generic) {
  // Both are switches of the library for servers that are built after them.
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  auto out = std::unique_ptr<RpcServer>(new RpcServer);
  out->guards_ = std::move(options.guards);
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
  // Two daemons on one port would each get a part of the clients.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
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

  std::vector<int> ports(options.listen.size(), 0);
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    const std::string& address = options.listen[i];
    builder.AddListeningPort(
        address, unix_path(address).empty() ? options.tcp_credentials : grpc::InsecureServerCredentials(),
        &ports[i]);
  }
  {
    const SocketMask mask;
    out->server_ = builder.BuildAndStart();
  }
  for (std::size_t i = 0; i < options.listen.size(); ++i) {
    const std::string& address = options.listen[i];
    if (out->server_ == nullptr || ports[i] == 0)
      return io_error("daemon.listen: cannot listen on '" + address +
                      "'; is the address of this machine, and free?");
    const bool chosen = unix_path(address).empty() && address.ends_with(":0");
    out->addresses_.push_back(chosen ? address.substr(0, address.size() - 1) + std::to_string(ports[i])
                                     : address);
  }
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
  if (server_ == nullptr) return;
  server_->Shutdown(std::chrono::system_clock::now() + patience);
  server_->Wait();
  server_.reset();
}

}  // namespace cuzk::server
