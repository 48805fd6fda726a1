#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <string>

#include <cuzk/v1/proving.grpc.pb.h>
#include "cuzk/engine/engine.h"
#include "cuzk/server/log.h"
#include "cuzk/server/own_messages.h"
#include "cuzk/server/work_pool.h"

namespace cuzk::server {

/// What the service stands on. Everything that is referred to must outlive it.
struct ServiceParts {
  engine::Engine& engine;
  WorkPool& work;  ///< where requests are read and checked
  Log& log;
  std::function<std::string()> metrics_text;
  engine::Duration disconnect_grace{};
  std::string token;  ///< what TCP clients must show; empty: nothing
  /// Payload bytes of requests that are being read; one that comes beyond is RESOURCE_EXHAUSTED.
  std::uint64_t max_bytes_in_flight = std::uint64_t{4} << 30;
};

/// The eight calls. A call that waits costs no thread: its reactor is finished from the engine's callback.
class ProvingService : public v1::ProvingEngine::CallbackService {
 public:
  explicit ProvingService(ServiceParts parts);
  ~ProvingService() override;

  grpc::ServerUnaryReactor* SubmitProof(grpc::CallbackServerContext* context,
                                        const v1::SubmitProofRequest* request,
                                        v1::SubmitProofResponse* response) override;
  grpc::ServerUnaryReactor* AwaitProof(grpc::CallbackServerContext* context,
                                       const v1::AwaitProofRequest* request,
                                       v1::AwaitProofResponse* response) override;
  grpc::ServerUnaryReactor* Prove(grpc::CallbackServerContext* context, const v1::ProveRequest* request,
                                  v1::ProveResponse* response) override;
  grpc::ServerUnaryReactor* CancelProof(grpc::CallbackServerContext* context,
                                        const v1::CancelProofRequest* request,
                                        v1::CancelProofResponse* response) override;
  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context,
                                      const v1::GetStatusRequest* request,
                                      v1::GetStatusResponse* response) override;
  grpc::ServerUnaryReactor* GetMetrics(grpc::CallbackServerContext* context,
                                       const v1::GetMetricsRequest* request,
                                       v1::GetMetricsResponse* response) override;
  grpc::ServerUnaryReactor* PreloadSRS(grpc::CallbackServerContext* context,
                                       const v1::PreloadSrsRequest* request,
                                       v1::PreloadSrsResponse* response) override;
  grpc::ServerUnaryReactor* EvictSRS(grpc::CallbackServerContext* context, const v1::EvictSrsRequest* request,
                                     v1::EvictSrsResponse* response) override;

 private:
  /// Whether the caller may call at all.
  [[nodiscard]] grpc::Status admit(const grpc::CallbackServerContext& context) const;
  /// Runs `work` on a thread of the pool, counting `bytes` for as long; when they are too many it is told so,
  /// before this returns.
  void in_flight(std::uint64_t bytes, std::function<void(const grpc::Status& room)> work);
  /// Reads the request out of `message` and submits it.
  engine::Submission submit(v1::SubmitProofRequest& message, std::optional<engine::Duration> abandon_grace,
                            const std::string& peer);

  ServiceParts parts_;
  OwnMessages<v1::SubmitProofRequest, v1::SubmitProofResponse> submit_messages_;
  OwnMessages<v1::ProveRequest, v1::ProveResponse> prove_messages_;
  std::atomic<std::uint64_t> bytes_in_flight_ = 0;
};

/// Whether `shown` is `expected`, in a time that depends on their lengths only.
bool same_secret(std::string_view shown, std::string_view expected);

}  // namespace cuzk::server
