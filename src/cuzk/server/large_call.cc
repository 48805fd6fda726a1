#include "cuzk/server/large_call.h"

#include <utility>

namespace cuzk::server {
namespace {

using grpc::Status;
using grpc::StatusCode;

Status no_room() {
  return {StatusCode::RESOURCE_EXHAUSTED,
          "RESOURCE: too many requests are being received and read at this moment; try again"};
}

}  // namespace

/// The library's side: lives until the call is done, and has what must live so long.
class LargeCall::Reactor : public grpc::ServerGenericBidiReactor {
 public:
  explicit Reactor(std::shared_ptr<LargeCall> call) : call_(std::move(call)) {}
  void read() { StartRead(&message); }
  void OnReadDone(bool ok) override { call_->received(ok); }
  void OnCancel() override { call_->cancelled(); }
  void OnDone() override { delete this; }

  grpc::ByteBuffer message;
  grpc::ByteBuffer response;

 private:
  std::shared_ptr<LargeCall> call_;
};

grpc::ServerGenericBidiReactor* LargeCall::begin(RequestGate& gate, WorkPool& pool,
                                                 grpc::CallbackServerContext& context, Urgency urgency,
                                                 Work work) {
  const std::shared_ptr<LargeCall> call(
      new LargeCall(gate, pool, context, std::move(urgency), std::move(work)));
  auto* reactor = new Reactor(call);
  call->reactor_ = reactor;
  call->room_ = gate.make_id();
  call->enter();
  return reactor;
}

grpc::ServerGenericBidiReactor* LargeCall::refuse(const Status& status) {
  class Refused : public grpc::ServerGenericBidiReactor {
   public:
    explicit Refused(const Status& status) { Finish(status); }
    void OnDone() override { delete this; }
  };
  return new Refused(status);
}

void LargeCall::enter() {
  const auto self = shared_from_this();
  gate_.enter(
      room_,
      [self](bool room) {
        if (!room) {
          self->add_trailing_metadata("retry-after", "10");
          return self->finish(no_room());
        }
        const std::lock_guard guard(self->mutex_);
        // Under the mutex: nothing may be read of a call that was ended.
        if (self->reactor_ != nullptr) self->reactor_->read();
      },
      [self] {
        self->finish_unless_at_work(
            {StatusCode::RESOURCE_EXHAUSTED,
             "RESOURCE: the request took too long to arrive while others waited; try again"});
      });
}

void LargeCall::received(bool whole) {
  if (!whole)  // also when the library itself has refused a message that is too large
    return finish({StatusCode::INVALID_ARGUMENT, "INVALID_INPUT: the call has no whole message"});
  grpc::ByteBuffer message;
  {
    const std::lock_guard guard(mutex_);
    if (reactor_ == nullptr) return;
    at_work_ = true;
    message.Swap(&reactor_->message);
    gate_.received(room_);
  }
  const engine::Priority priority = urgency_(message);
  pool_.post(priority,
             [self = shared_from_this(), message = std::make_shared<grpc::ByteBuffer>(std::move(message))] {
               self->work_(self, *message);
               message->Clear();
               self->free_room();
             });
}

void LargeCall::cancelled() {
  std::function<void()> tell;
  {
    const std::lock_guard guard(mutex_);
    hung_up_ = true;
    if (at_work_) {
      if (on_hang_up_ == nullptr) return;  // `work` will see it
      tell = std::exchange(on_hang_up_, nullptr);
    }
  }
  if (tell != nullptr)
    tell();
  else
    finish_unless_at_work({StatusCode::CANCELLED, "the client hung up"});
}

LargeCall::Reactor* LargeCall::take_reactor(bool unless_at_work) {
  const std::lock_guard guard(mutex_);
  if (unless_at_work && at_work_) return nullptr;
  on_hang_up_ = nullptr;
  return std::exchange(reactor_, nullptr);
}

void LargeCall::finish(const Status& status) {
  end(take_reactor(), status);
}

void LargeCall::finish_unless_at_work(const Status& status) {
  end(take_reactor(true), status);
}

void LargeCall::end(Reactor* reactor, const Status& status) {
  if (reactor == nullptr) return;
  free_room();
  reactor->Finish(status);
}

void LargeCall::finish_with(grpc::ByteBuffer response) {
  Reactor* reactor = take_reactor();
  if (reactor == nullptr) return;
  free_room();
  reactor->response.Swap(&response);
  reactor->StartWriteAndFinish(&reactor->response, grpc::WriteOptions(), Status::OK);
}

void LargeCall::add_trailing_metadata(const std::string& key, const std::string& value) {
  const std::lock_guard guard(mutex_);
  if (reactor_ != nullptr) context_.AddTrailingMetadata(key, value);
}

std::string LargeCall::peer() {
  const std::lock_guard guard(mutex_);
  return reactor_ == nullptr ? std::string() : context_.peer();
}

bool LargeCall::hung_up() const {
  const std::lock_guard guard(mutex_);
  return hung_up_;
}

void LargeCall::on_hang_up(std::function<void()> tell) {
  {
    const std::lock_guard guard(mutex_);
    if (!hung_up_) {
      if (reactor_ != nullptr) on_hang_up_ = std::move(tell);
      return;
    }
  }
  tell();
}

void LargeCall::free_room() {
  const RequestGate::Id room = [&] {
    const std::lock_guard guard(mutex_);
    return std::exchange(room_, 0);
  }();
  if (room != 0) gate_.leave(room);
}

}  // namespace cuzk::server
