#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include <cuzk/v1/proving.grpc.pb.h>
#include "cuzk/base/result.h"
#include "daemon_commands.h"

namespace cuzk::app {

/// A connection to a daemon: the API's calls, blocking, with their failures as errors. Thread-safe.
class RpcClient {
 public:
  /// Does not connect yet. kUsage for files that cannot be read.
  static Result<RpcClient> open(const ConnectOptions& options);

  Result<v1::SubmitProofResponse> submit(const v1::SubmitProofRequest& request) const;
  Result<v1::AwaitProofResponse> await(const std::string& job_id, std::uint64_t timeout_ms) const;
  Result<v1::AwaitProofResponse> prove(const v1::SubmitProofRequest& request) const;
  Result<v1::CancelProofResponse> cancel(const std::string& job_id) const;
  Result<v1::GetStatusResponse> status() const;
  Result<std::string> metrics() const;
  Result<v1::PreloadSrsResponse> preload(const std::string& circuit_id) const;
  Result<v1::EvictSrsResponse> evict(const std::string& circuit_id) const;

 private:
  RpcClient() = default;
  template <class Request, class Response>
  Result<Response> call(grpc::Status (v1::ProvingEngine::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                        Response*),
                        const Request& request, std::optional<std::chrono::seconds> deadline = {}) const;

  std::string address_;
  std::string token_;
  std::shared_ptr<v1::ProvingEngine::Stub> stub_;
};

/// What a result that is no proof amounts to: by the class of the failure, kBadInput for INVALID_INPUT.
Result<void> outcome_of(const v1::AwaitProofResponse& result);

/// The API's request from the command line's flags. kUsage for flags that do not go together, kIo for files.
/// `files` gets the paths of what was read.
Result<v1::SubmitProofRequest> read_payload(const PayloadOptions& options, std::vector<std::string>& files);

}  // namespace cuzk::app
