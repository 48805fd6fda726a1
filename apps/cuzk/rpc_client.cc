#include "rpc_client.h"

#include <fmt/format.h>
#include <grpcpp/create_channel.h>

#include <utility>

#include "cuzk/engine/failure_error.h"
#include "cuzk/server/credentials.h"
#include "cuzk/server/rpc_server.h"

namespace cuzk::app {
namespace {

Error error_of(const grpc::Status& status, const std::string& address) {
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
      return bad_input(status.error_message());
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::ALREADY_EXISTS:
      return usage_error(status.error_message());
    case grpc::StatusCode::FAILED_PRECONDITION:
      return bad_params(status.error_message());
    default:
      return io_error(fmt::format("the daemon at {}: {}", address, status.error_message()));
  }
}

}  // namespace

Result<RpcClient> RpcClient::open(const ConnectOptions& options) {
  RpcClient out;
  out.address_ = options.addr;
  if (!options.token_file.empty()) {
    Result<std::string> token = server::read_token(options.token_file);
    if (!token) return token.error().within("--token-file");
    out.token_ = *std::move(token);
  }
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (!options.tls_ca.empty()) {
    CUZK_TRY_ASSIGN(server::TlsFiles files,
                    server::read_client_files(
                        {.cert = options.tls_cert, .key = options.tls_key, .client_ca = options.tls_ca}));
    credentials =
        grpc::SslCredentials({std::move(files.client_ca), std::move(files.key), std::move(files.cert)});
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(server::kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(server::kMaxMessageBytes);
  out.stub_ = v1::ProvingEngine::NewStub(grpc::CreateCustomChannel(options.addr, credentials, arguments));
  return out;
}

template <class Request, class Response>
Result<Response> RpcClient::call(grpc::Status (v1::ProvingEngine::Stub::*method)(grpc::ClientContext*,
                                                                                 const Request&, Response*),
                                 const Request& request, std::optional<std::chrono::seconds> deadline) const {
  grpc::ClientContext context;
  if (!token_.empty()) context.AddMetadata("authorization", "Bearer " + token_);
  if (deadline) context.set_deadline(std::chrono::system_clock::now() + *deadline);
  Response response;
  if (const grpc::Status status = ((*stub_).*method)(&context, request, &response); !status.ok())
    return error_of(status, address_);
  return response;
}

Result<v1::SubmitProofResponse> RpcClient::submit(const v1::SubmitProofRequest& request) const {
  return call(&v1::ProvingEngine::Stub::SubmitProof, request);
}

Result<v1::AwaitProofResponse> RpcClient::await(const std::string& job_id, std::uint64_t timeout_ms) const {
  v1::AwaitProofRequest request;
  request.set_job_id(job_id);
  request.set_timeout_ms(timeout_ms);
  return call(&v1::ProvingEngine::Stub::AwaitProof, request);
}

Result<v1::AwaitProofResponse> RpcClient::prove(const v1::SubmitProofRequest& request) const {
  v1::ProveRequest wrapped;
  *wrapped.mutable_submit() = request;
  CUZK_TRY_ASSIGN(v1::ProveResponse response, call(&v1::ProvingEngine::Stub::Prove, wrapped));
  return std::move(*response.mutable_result());
}

Result<v1::CancelProofResponse> RpcClient::cancel(const std::string& job_id) const {
  v1::CancelProofRequest request;
  request.set_job_id(job_id);
  return call(&v1::ProvingEngine::Stub::CancelProof, request, std::chrono::seconds(30));
}

Result<v1::GetStatusResponse> RpcClient::status() const {
  return call(&v1::ProvingEngine::Stub::GetStatus, v1::GetStatusRequest(), std::chrono::seconds(10));
}

Result<std::string> RpcClient::metrics() const {
  CUZK_TRY_ASSIGN(v1::GetMetricsResponse response, call(&v1::ProvingEngine::Stub::GetMetrics,
                                                        v1::GetMetricsRequest(), std::chrono::seconds(10)));
  return std::move(*response.mutable_prometheus_text());
}

Result<v1::PreloadSrsResponse> RpcClient::preload(const std::string& circuit_id) const {
  v1::PreloadSrsRequest request;
  request.set_circuit_id(circuit_id);
  return call(&v1::ProvingEngine::Stub::PreloadSRS, request);
}

Result<v1::EvictSrsResponse> RpcClient::evict(const std::string& circuit_id) const {
  v1::EvictSrsRequest request;
  request.set_circuit_id(circuit_id);
  return call(&v1::ProvingEngine::Stub::EvictSRS, request, std::chrono::seconds(60));
}

Result<void> outcome_of(const v1::AwaitProofResponse& result) {
  const std::string& message = result.error_message();
  switch (result.status()) {
    case v1::AwaitProofResponse::COMPLETED:
      return {};
    case v1::AwaitProofResponse::FAILED:
      return engine::failure_error(message);
    case v1::AwaitProofResponse::CANCELLED:
      return io_error("the job was cancelled");
    case v1::AwaitProofResponse::TIMEOUT:
      return io_error("the time is over; the job goes on");
    default:
      return Error{ErrorCode::kInternal, fmt::format("status {} is not known", result.status())};
  }
}

}  // namespace cuzk::app
