#include "cuzk/server/rpc_service.h"

#include <memory>
#include <optional>
#include <utility>

#include "cuzk/proving/circuit.h"
#include "cuzk/server/rpc_convert.h"
#include "cuzk/server/rpc_wait.h"

namespace cuzk::server {
namespace {

using grpc::Status;
using grpc::StatusCode;

/// Puts what a message says into a response; how the call ends.
template <class Response>
Status put(const Response& response, grpc::ByteBuffer* out) {
  bool own = false;
  return grpc::SerializationTraits<Response>::Serialize(response, out, &own);
}

grpc::ServerUnaryReactor* finish(grpc::CallbackServerContext* context, const Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

/// A unary call that waits for a job.
class WaitReactor : public grpc::ServerUnaryReactor {
 public:
  /// `answer` fills the response and says how the call ends.
  WaitReactor(engine::Engine& engine,
              std::function<Status(const std::string& job_id, const engine::Awaited&)> answer)
      : wait_(std::make_shared<Wait>(
            engine,
            [this, answer = std::move(answer)](const std::string& job_id, const engine::Awaited& awaited) {
              Finish(answer(job_id, awaited));
            },
            [this](const Status& status) { Finish(status); })) {}
  [[nodiscard]] const std::shared_ptr<Wait>& wait() const { return wait_; }
  void OnCancel() override { wait_->hang_up(); }
  void OnDone() override { delete this; }

 private:
  std::shared_ptr<Wait> wait_;
};

/// A call that brings a payload: its message, or the end of the call.
template <class Request>
std::optional<Request> message_of(LargeCall& call, grpc::ByteBuffer& bytes) {
  std::optional<Request> message(std::in_place);
  const Status read = read_message(bytes, *message);
  if (read.ok()) return message;
  call.finish(read);
  return std::nullopt;
}

void refuse(LargeCall& call, const engine::Submission& submission) {
  if (submission.outcome == engine::Submission::Outcome::kQueueFull)
    call.add_trailing_metadata("retry-after", "10");
  call.finish(to_grpc_status(submission));
}

bool from_unix_socket(const grpc::CallbackServerContext& context) {
  return context.peer().starts_with("unix:");
}

}  // namespace

bool same_secret(std::string_view shown, std::string_view expected) {
  if (shown.size() != expected.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < shown.size(); ++i)
    difference |=
        static_cast<unsigned>(static_cast<unsigned char>(shown[i]) ^ static_cast<unsigned char>(expected[i]));
  return difference == 0;
}

ProvingService::ProvingService(ServiceParts parts)
    : parts_(std::move(parts)), gate_(parts_.gate), large_(*this) {}

ProvingService::~ProvingService() = default;

Status ProvingService::admit(const grpc::CallbackServerContext& context) const {
  // The socket's mode is what protects it; clients that know nothing of tokens use it.
  if (parts_.token.empty() || from_unix_socket(context)) return Status::OK;
  const auto [begin, end] = context.client_metadata().equal_range("authorization");
  for (auto it = begin; it != end; ++it) {
    if (same_secret({it->second.data(), it->second.size()}, "Bearer " + parts_.token)) return Status::OK;
  }
  return {StatusCode::UNAUTHENTICATED, "authorization: the token is missing or wrong"};
}

Status ProvingService::admit(const grpc::CallbackServerContext& context, const grpc::ByteBuffer& bytes,
                             google::protobuf::Message& request) const {
  if (const Status status = admit(context); !status.ok()) return status;
  grpc::ByteBuffer own(bytes);
  return read_message(own, request);
}

engine::Submission ProvingService::submit(v1::SubmitProofRequest& message,
                                          std::optional<engine::Duration> abandon_grace,
                                          const std::string& peer) {
  Result<engine::JobRequest> request = to_job_request(message, abandon_grace);
  if (!request) return {.outcome = engine::Submission::Outcome::kInvalid, .message = request.error().message};
  const std::string request_id = request->request_id;
  const ProofKind kind = request->proof.kind;
  engine::Submission submission = parts_.engine.submit(*std::move(request));
  if (submission.accepted())
    parts_.log.info(
        submission.outcome == engine::Submission::Outcome::kAccepted   ? "job accepted"
        : submission.outcome == engine::Submission::Outcome::kAttached ? "request attached to its job"
                                                                       : "request answered from its result",
        {{"job", submission.job_id}, {"request", request_id}, {"kind", to_string(kind)}, {"peer", peer}});
  else
    parts_.log.warn_of_peer(
        PeerLines::kRefused, "request refused",
        {{"request", request_id}, {"kind", to_string(kind)}, {"peer", peer}, {"reason", submission.message}});
  return submission;
}

grpc::ServerGenericBidiReactor* ProvingService::LargeMethods::CreateReactor(
    grpc::GenericCallbackServerContext* context) {
  const std::string& method = context->method();
  const bool prove = method == "/cuzk.v1.ProvingEngine/Prove";
  if (!prove && method != "/cuzk.v1.ProvingEngine/SubmitProof")
    return LargeCall::refuse({StatusCode::UNIMPLEMENTED, "there is no method '" + repeated(method) + "'"});
  if (const Status status = service_.admit(*context); !status.ok()) return LargeCall::refuse(status);
  return LargeCall::begin(
      service_.gate_, service_.parts_.work, *context,
      [prove](grpc::ByteBuffer& message) { return priority_of(message, prove); },
      [this, prove](const std::shared_ptr<LargeCall>& call, grpc::ByteBuffer& message) {
        prove ? service_.prove(call, message) : service_.submit_proof(*call, message);
      });
}

void ProvingService::submit_proof(LargeCall& call, grpc::ByteBuffer& bytes) {
  std::optional<v1::SubmitProofRequest> message = message_of<v1::SubmitProofRequest>(call, bytes);
  if (!message) return;
  const engine::Submission submission = submit(*message, std::nullopt, call.peer());
  if (!submission.accepted()) return refuse(call, submission);
  v1::SubmitProofResponse response;
  response.set_job_id(submission.job_id);
  response.set_queue_position(submission.queue_position);
  call.answer(response);
}

void ProvingService::prove(const std::shared_ptr<LargeCall>& call, grpc::ByteBuffer& bytes) {
  std::optional<v1::ProveRequest> message = message_of<v1::ProveRequest>(*call, bytes);
  if (!message) return;
  if (!message->has_submit())
    return call->finish({StatusCode::INVALID_ARGUMENT, "INVALID_INPUT: submit: is missing"});
  // Nothing was promised yet to a client that is gone already.
  if (call->hung_up()) return call->finish({StatusCode::CANCELLED, "the client hung up"});
  const engine::Submission submission =
      submit(*message->mutable_submit(), parts_.disconnect_grace, call->peer());
  message.reset();
  if (!submission.accepted()) return refuse(*call, submission);
  const auto wait = std::make_shared<Wait>(
      parts_.engine,
      [call](const std::string& job_id, const engine::Awaited& awaited) {
        v1::ProveResponse response;
        fill_response(job_id, awaited, *response.mutable_result());
        call->answer(response);
      },
      [call](const Status& status) { call->finish(status); });
  wait->begin(submission.job_id, std::nullopt);
  call->on_hang_up([wait] { wait->hang_up(); });
}

grpc::ServerUnaryReactor* ProvingService::AwaitProof(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* bytes, grpc::ByteBuffer* out) {
  v1::AwaitProofRequest request;
  if (const Status status = admit(*context, *bytes, request); !status.ok()) return finish(context, status);
  auto* reactor =
      new WaitReactor(parts_.engine, [out](const std::string& job_id, const engine::Awaited& awaited) {
        v1::AwaitProofResponse response;
        fill_response(job_id, awaited, response);
        return put(response, out);
      });
  // Beyond a year a limit is none, and nanoseconds would overflow.
  constexpr std::uint64_t kYear = std::uint64_t{365} * 24 * 3'600'000;
  std::optional<engine::Duration> timeout;
  if (request.timeout_ms() != 0 && request.timeout_ms() < kYear)
    timeout = std::chrono::milliseconds(request.timeout_ms());
  // A call may be done before this returns; then only gRPC knows the reactor.
  const std::shared_ptr<Wait> wait = reactor->wait();
  wait->begin(request.job_id(), timeout);
  return reactor;
}

grpc::ServerUnaryReactor* ProvingService::CancelProof(grpc::CallbackServerContext* context,
                                                      const grpc::ByteBuffer* bytes, grpc::ByteBuffer* out) {
  v1::CancelProofRequest request;
  if (const Status status = admit(*context, *bytes, request); !status.ok()) return finish(context, status);
  const std::string& job_id = request.job_id();
  const Result<engine::Cancelled> cancelled = parts_.engine.cancel(job_id);
  if (!cancelled)
    return finish(context, {StatusCode::NOT_FOUND, "job_id: there is no job '" + repeated(job_id) + "'"});
  v1::CancelProofResponse response;
  response.set_was_running(cancelled->was_running);
  response.set_was_finished(cancelled->was_settled);
  if (!cancelled->was_settled)
    parts_.log.info("job cancelled by a client", {{"job", job_id}, {"was_running", cancelled->was_running}});
  // The answer comes when the outcome is in the journal: a crash after it must not bring the job back.
  auto* reactor = new WaitReactor(
      parts_.engine, [response, out](const std::string& id, const engine::Awaited& awaited) -> Status {
        const bool back_after_a_crash = awaited.result != nullptr && !awaited.stored &&
                                        awaited.result->state == engine::JobState::kCancelled;
        if (!back_after_a_crash) return put(response, out);
        return {StatusCode::RESOURCE_EXHAUSTED,
                "RESOURCE: job '" + id +
                    "' is cancelled, but the journal cannot keep that yet, not even beside the request: a "
                    "crash now would bring it back"};
      });
  const std::shared_ptr<Wait> wait = reactor->wait();
  wait->begin(job_id, std::nullopt);
  return reactor;
}

grpc::ServerUnaryReactor* ProvingService::GetStatus(grpc::CallbackServerContext* context,
                                                    const grpc::ByteBuffer* bytes, grpc::ByteBuffer* out) {
  v1::GetStatusRequest request;
  if (const Status status = admit(*context, *bytes, request); !status.ok()) return finish(context, status);
  v1::GetStatusResponse response;
  fill_response(parts_.status(), response);
  return finish(context, put(response, out));
}

grpc::ServerUnaryReactor* ProvingService::GetMetrics(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* bytes, grpc::ByteBuffer* out) {
  v1::GetMetricsRequest request;
  if (const Status status = admit(*context, *bytes, request); !status.ok()) return finish(context, status);
  v1::GetMetricsResponse response;
  response.set_prometheus_text(parts_.metrics_text());
  return finish(context, put(response, out));
}

grpc::ServerUnaryReactor* ProvingService::PreloadSRS(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* bytes, grpc::ByteBuffer* out) {
  v1::PreloadSrsRequest request;
  if (const Status status = admit(*context, *bytes, request); !status.ok()) return finish(context, status);
  const Result<Circuit> circuit = find_circuit(repeated(request.circuit_id()));
  if (!circuit) return finish(context, {StatusCode::NOT_FOUND, "circuit_id: " + circuit.error().message});
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  parts_.engine.preload(circuit->id, [out, reactor](const Result<engine::Preloaded>& loaded) {
    if (!loaded) {
      const ErrorCode code = loaded.error().code;
      reactor->Finish({code == ErrorCode::kParams    ? StatusCode::FAILED_PRECONDITION
                       : code == ErrorCode::kStopped ? StatusCode::UNAVAILABLE
                                                     : StatusCode::RESOURCE_EXHAUSTED,
                       loaded.error().message});
      return;
    }
    v1::PreloadSrsResponse response;
    response.set_already_loaded(loaded->already_loaded);
    response.set_load_time_ms(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(loaded->load_time).count()));
    reactor->Finish(put(response, out));
  });
  return reactor;
}

grpc::ServerUnaryReactor* ProvingService::EvictSRS(grpc::CallbackServerContext* context,
                                                   const grpc::ByteBuffer* bytes, grpc::ByteBuffer* out) {
  v1::EvictSrsRequest request;
  if (const Status status = admit(*context, *bytes, request); !status.ok()) return finish(context, status);
  const Result<Circuit> circuit = find_circuit(repeated(request.circuit_id()));
  if (!circuit) return finish(context, {StatusCode::NOT_FOUND, "circuit_id: " + circuit.error().message});
  const Result<engine::Evicted> evicted = parts_.engine.evict(circuit->id);
  if (!evicted) return finish(context, {StatusCode::FAILED_PRECONDITION, evicted.error().message});
  v1::EvictSrsResponse response;
  response.set_was_loaded(evicted->was_loaded);
  response.set_freed_bytes(evicted->freed_bytes);
  return finish(context, put(response, out));
}

}  // namespace cuzk::server
