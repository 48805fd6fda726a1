#include "cuzk/server/rpc_service.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cuzk/proving/circuit.h"
#include "cuzk/server/rpc_convert.h"

namespace cuzk::server {
namespace {

using grpc::Status;
using grpc::StatusCode;

grpc::ServerUnaryReactor* finish(grpc::CallbackServerContext* context, const Status& status) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

Status not_found(const std::string& job_id) {
  return {StatusCode::NOT_FOUND, "job_id: there is no job '" + job_id + "'"};
}

/// A call that waits for a job. Whoever comes first finishes it: the engine's callback, a client that hangs
/// up, or a refusal. `reactor` is null from then on, as it may be deleted.
class Wait : public std::enable_shared_from_this<Wait> {
 public:
  /// `fill` puts the answer into the call's response; it runs before finish, and only then.
  Wait(engine::Engine& engine, grpc::ServerUnaryReactor* reactor,
       std::function<void(const std::string& job_id, const engine::Awaited&)> fill)
      : engine_(engine), reactor_(reactor), fill_(std::move(fill)) {}

  /// Has the engine answer this call.
  void begin(const std::string& job_id, std::optional<engine::Duration> timeout) {
    const Result<engine::WaiterId> waiter =
        engine_.await(job_id, timeout, [self = shared_from_this(), job_id](const engine::Awaited& awaited) {
          self->finish(Status::OK, [&] { self->fill_(job_id, awaited); });
        });
    if (!waiter) {
      finish(not_found(job_id));
      return;
    }
    const bool hung_up = [&] {
      const std::lock_guard guard(mutex_);
      waiter_ = *waiter;
      return hung_up_;
    }();
    // The hang-up came before there was anything to forget.
    if (hung_up) give_up(*waiter);
  }

  /// The client has gone, or its deadline has passed.
  void hang_up() {
    const engine::WaiterId waiter = [&] {
      const std::lock_guard guard(mutex_);
      hung_up_ = true;
      return waiter_;
    }();
    if (waiter != 0) give_up(waiter);
  }
  [[nodiscard]] bool hung_up() const {
    const std::lock_guard guard(mutex_);
    return hung_up_;
  }

  void finish(
      const Status& status, const std::function<void()>& before = [] {}) {
    grpc::ServerUnaryReactor* reactor = [&] {
      const std::lock_guard guard(mutex_);
      return std::exchange(reactor_, nullptr);
    }();
    if (reactor == nullptr) return;
    before();
    reactor->Finish(status);
  }

 private:
  void give_up(engine::WaiterId waiter) {
    // Not forgotten: the callback was called or is about to finish the call.
    if (engine_.forget(waiter)) finish({StatusCode::CANCELLED, "the client hung up"});
  }

  engine::Engine& engine_;
  mutable std::mutex mutex_;
  grpc::ServerUnaryReactor* reactor_;  // guarded by mutex_
  engine::WaiterId waiter_ = 0;        // guarded by mutex_
  bool hung_up_ = false;               // guarded by mutex_
  std::function<void(const std::string&, const engine::Awaited&)> fill_;
};

class WaitReactor : public grpc::ServerUnaryReactor {
 public:
  WaitReactor(engine::Engine& engine, std::function<void(const std::string&, const engine::Awaited&)> fill)
      : wait_(std::make_shared<Wait>(engine, this, std::move(fill))) {}
  [[nodiscard]] const std::shared_ptr<Wait>& wait() const { return wait_; }
  void OnCancel() override { wait_->hang_up(); }
  void OnDone() override { delete this; }

 private:
  std::shared_ptr<Wait> wait_;
};

std::uint64_t payload_bytes(const v1::SubmitProofRequest& message) {
  std::uint64_t bytes = message.vanilla_proof().size();
  for (const std::string& proof : message.vanilla_proofs()) bytes += proof.size();
  return bytes;
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

ProvingService::ProvingService(ServiceParts parts) : parts_(std::move(parts)) {
  SetMessageAllocatorFor_SubmitProof(&submit_messages_);
  SetMessageAllocatorFor_Prove(&prove_messages_);
}

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
    parts_.log.warn(
        "request refused",
        {{"request", request_id}, {"kind", to_string(kind)}, {"peer", peer}, {"reason", submission.message}});
  return submission;
}

grpc::ServerUnaryReactor* ProvingService::SubmitProof(grpc::CallbackServerContext* context,
                                                      const v1::SubmitProofRequest*,
                                                      v1::SubmitProofResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  v1::SubmitProofRequest& message = submit_messages_.request_of(*context);
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  in_flight(payload_bytes(message), [this, context, &message, response, reactor](const Status& room) {
    if (!room.ok()) return reactor->Finish(room);
    const engine::Submission submission = submit(message, std::nullopt, context->peer());
    response->set_job_id(submission.job_id);
    response->set_queue_position(submission.queue_position);
    if (submission.outcome == engine::Submission::Outcome::kQueueFull)
      context->AddTrailingMetadata("retry-after", "10");
    reactor->Finish(to_grpc_status(submission));
  });
  return reactor;
}

grpc::ServerUnaryReactor* ProvingService::AwaitProof(grpc::CallbackServerContext* context,
                                                     const v1::AwaitProofRequest* request,
                                                     v1::AwaitProofResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  auto* reactor =
      new WaitReactor(parts_.engine, [response](const std::string& job_id, const engine::Awaited& awaited) {
        fill_response(job_id, awaited, *response);
      });
  // Beyond a year a limit is none, and nanoseconds would overflow.
  constexpr std::uint64_t kYear = std::uint64_t{365} * 24 * 3'600'000;
  std::optional<engine::Duration> timeout;
  if (request->timeout_ms() != 0 && request->timeout_ms() < kYear)
    timeout = std::chrono::milliseconds(request->timeout_ms());
  // A call may be done before this returns; then only gRPC knows the reactor.
  const std::shared_ptr<Wait> wait = reactor->wait();
  wait->begin(request->job_id(), timeout);
  return reactor;
}

grpc::ServerUnaryReactor* ProvingService::Prove(grpc::CallbackServerContext* context, const v1::ProveRequest*,
                                                v1::ProveResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  v1::ProveRequest& message = prove_messages_.request_of(*context);
  if (!message.has_submit())
    return finish(context, {StatusCode::INVALID_ARGUMENT, "INVALID_INPUT: submit: is missing"});
  auto* reactor =
      new WaitReactor(parts_.engine, [response](const std::string& job_id, const engine::Awaited& awaited) {
        fill_response(job_id, awaited, *response->mutable_result());
      });
  in_flight(payload_bytes(message.submit()),
            [this, context, &message, wait = reactor->wait()](const Status& room) {
              if (!room.ok()) return wait->finish(room);
              // Nothing was promised yet to a client that is gone already.
              if (wait->hung_up()) return wait->finish({StatusCode::CANCELLED, "the client hung up"});
              const engine::Submission submission =
                  submit(*message.mutable_submit(), parts_.disconnect_grace, context->peer());
              if (submission.accepted()) return wait->begin(submission.job_id, std::nullopt);
              if (submission.outcome == engine::Submission::Outcome::kQueueFull)
                context->AddTrailingMetadata("retry-after", "10");
              wait->finish(to_grpc_status(submission));
            });
  return reactor;
}

void ProvingService::in_flight(std::uint64_t bytes, std::function<void(const Status& room)> work) {
  const std::uint64_t before = bytes_in_flight_.fetch_add(bytes);
  if (before != 0 && before + bytes > parts_.max_bytes_in_flight) {
    bytes_in_flight_.fetch_sub(bytes);
    // At once, so that its bytes go: the readers are busy.
    return work({StatusCode::RESOURCE_EXHAUSTED,
                 "RESOURCE: too many requests are being read at this moment; try again"});
  }
  parts_.work.post([this, bytes, work = std::move(work)] {
    work(Status::OK);
    bytes_in_flight_.fetch_sub(bytes);
  });
}

grpc::ServerUnaryReactor* ProvingService::CancelProof(grpc::CallbackServerContext* context,
                                                      const v1::CancelProofRequest* request,
                                                      v1::CancelProofResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  const Result<engine::JobStatus> job = parts_.engine.job(request->job_id());
  const bool finished = job && engine::is_final(job->state);
  const Result<engine::Cancelled> cancelled = parts_.engine.cancel(request->job_id());
  if (!cancelled) return finish(context, not_found(request->job_id()));
  response->set_was_running(cancelled->was_running);
  response->set_was_finished(finished);
  if (!finished)
    parts_.log.info("job cancelled by a client",
                    {{"job", request->job_id()}, {"was_running", cancelled->was_running}});
  return finish(context, Status::OK);
}

grpc::ServerUnaryReactor* ProvingService::GetStatus(grpc::CallbackServerContext* context,
                                                    const v1::GetStatusRequest*,
                                                    v1::GetStatusResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  fill_response(parts_.engine.status(), *response);
  return finish(context, Status::OK);
}

grpc::ServerUnaryReactor* ProvingService::GetMetrics(grpc::CallbackServerContext* context,
                                                     const v1::GetMetricsRequest*,
                                                     v1::GetMetricsResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  response->set_prometheus_text(parts_.metrics_text());
  return finish(context, Status::OK);
}

grpc::ServerUnaryReactor* ProvingService::PreloadSRS(grpc::CallbackServerContext* context,
                                                     const v1::PreloadSrsRequest* request,
                                                     v1::PreloadSrsResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  const Result<Circuit> circuit = find_circuit(request->circuit_id());
  if (!circuit) return finish(context, {StatusCode::NOT_FOUND, "circuit_id: " + circuit.error().message});
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  parts_.engine.preload(circuit->id, [response, reactor](const Result<engine::Preloaded>& loaded) {
    if (!loaded) {
      const bool params = loaded.error().code == ErrorCode::kParams;
      reactor->Finish({params ? StatusCode::FAILED_PRECONDITION : StatusCode::RESOURCE_EXHAUSTED,
                       loaded.error().message});
      return;
    }
    response->set_already_loaded(loaded->already_loaded);
    response->set_load_time_ms(static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(loaded->load_time).count()));
    reactor->Finish(Status::OK);
  });
  return reactor;
}

grpc::ServerUnaryReactor* ProvingService::EvictSRS(grpc::CallbackServerContext* context,
                                                   const v1::EvictSrsRequest* request,
                                                   v1::EvictSrsResponse* response) {
  if (const Status status = admit(*context); !status.ok()) return finish(context, status);
  const Result<Circuit> circuit = find_circuit(request->circuit_id());
  if (!circuit) return finish(context, {StatusCode::NOT_FOUND, "circuit_id: " + circuit.error().message});
  const Result<engine::Evicted> evicted = parts_.engine.evict(circuit->id);
  if (!evicted) return finish(context, {StatusCode::FAILED_PRECONDITION, evicted.error().message});
  response->set_was_loaded(evicted->was_loaded);
  response->set_freed_bytes(evicted->freed_bytes);
  return finish(context, Status::OK);
}

}  // namespace cuzk::server
