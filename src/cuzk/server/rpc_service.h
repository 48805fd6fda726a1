#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include <cuzk/v1/proving.grpc.pb.h>
#include "cuzk/engine/engine.h"
#include "cuzk/server/large_call.h"
#include "cuzk/server/log.h"
#include "cuzk/server/request_gate.h"
#include "cuzk/server/work_pool.h"

namespace cuzk::server {

/// What the service stands on. Everything that is referred to must outlive it.
struct ServiceParts {
  engine::Engine& engine;
  WorkPool& work;  ///< where requests are read and checked
  Log& log;
  std::function<engine::Status()> status;  ///< the engine's, as /readyz takes it
  std::function<std::string()> metrics_text;
  engine::Duration disconnect_grace{};
  std::string token;              ///< what TCP clients must show; empty: nothing
  RequestGate::Limits gate = {};  ///< who may have a request in memory that is not accepted yet
};

/// The methods of one request and one response that the library handles; the other two are LargeCalls. It
/// gives us bytes, as it would answer a message that it cannot decode with UNIMPLEMENTED.
using SmallMethods = v1::ProvingEngine::WithRawCallbackMethod_AwaitProof<
    v1::ProvingEngine::WithRawCallbackMethod_CancelProof<v1::ProvingEngine::WithRawCallbackMethod_GetStatus<
        v1::ProvingEngine::WithRawCallbackMethod_GetMetrics<
            v1::ProvingEngine::WithRawCallbackMethod_PreloadSRS<
                v1::ProvingEngine::WithRawCallbackMethod_EvictSRS<v1::ProvingEngine::Service>>>>>>;
using AllMethods = v1::ProvingEngine::WithGenericMethod_SubmitProof<
    v1::ProvingEngine::WithGenericMethod_Prove<SmallMethods>>;

/// The eight calls. A call that waits costs no thread: its reactor is finished from the engine's callback.
/// A server needs both: the service, and large_methods() as its generic service. Thread-safe: the library
/// calls it from its threads.
class ProvingService : public AllMethods {
 public:
  explicit ProvingService(ServiceParts parts);
  ~ProvingService() override;

  /// SubmitProof and Prove, whose requests are received when there is room for them.
  [[nodiscard]] grpc::CallbackGenericService& large_methods() { return large_; }

  grpc::ServerUnaryReactor* AwaitProof(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* CancelProof(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                        grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                      grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* GetMetrics(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* PreloadSRS(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                       grpc::ByteBuffer* response) override;
  grpc::ServerUnaryReactor* EvictSRS(grpc::CallbackServerContext* context, const grpc::ByteBuffer* request,
                                     grpc::ByteBuffer* response) override;

 private:
  /// Whether the caller may call at all.
  [[nodiscard]] grpc::Status admit(const grpc::CallbackServerContext& context) const;
  /// The same, and the message of a small method.
  [[nodiscard]] grpc::Status admit(const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes,
                                   google::protobuf::Message& request) const;
  void submit_proof(LargeCall& call, grpc::ByteBuffer& bytes);
  void prove(const std::shared_ptr<LargeCall>& call, grpc::ByteBuffer& bytes);
  /// Reads the request out of `message` and submits it.
  engine::Submission submit(v1::SubmitProofRequest& message, std::optional<engine::Duration> abandon_grace,
                            const std::string& peer);

  class LargeMethods : public grpc::CallbackGenericService {
   public:
    explicit LargeMethods(ProvingService& service) : service_(service) {}
    grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override;

   private:
    ProvingService& service_;
  };

  ServiceParts parts_;
  RequestGate gate_;
  LargeMethods large_;
};

/// Whether `shown` is `expected`, in a time that depends on their lengths only. Thread-safe.
bool same_secret(std::string_view shown, std::string_view expected);

}  // namespace cuzk::server
