#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/impl/codegen/proto_utils.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <mutex>

#include "cuzk/server/request_gate.h"
#include "cuzk/server/work_pool.h"

namespace cuzk::server {

/// A call with one request, which may be large, and one response. Unlike a unary call of the library, whose
/// request is in memory before anybody is asked, it takes nothing before the gate has room for it.
/// Thread-safe.
class LargeCall : public std::enable_shared_from_this<LargeCall> {
 public:
  /// How urgent a message is; on a thread of the library, so in a moment.
  using Urgency = std::function<engine::Priority(grpc::ByteBuffer& message)>;
  /// What the method does, on a thread of the pool. It ends the call, now or later.
  using Work = std::function<void(const std::shared_ptr<LargeCall>& call, grpc::ByteBuffer& message)>;

  /// The reactor of a call that waits for room, receives its message and has `work` done, the most urgent of
  /// several first. Gate and pool must outlive it.
  static grpc::ServerGenericBidiReactor* begin(RequestGate& gate, WorkPool& pool,
                                               grpc::CallbackServerContext& context, Urgency urgency,
                                               Work work);
  /// The reactor of a call that ends at once.
  static grpc::ServerGenericBidiReactor* refuse(const grpc::Status& status);

  /// Ends the call. The first end counts.
  void finish(const grpc::Status& status);
  void finish_with(grpc::ByteBuffer response);
  /// As the two above, with what a message says.
  template <class Response>
  void answer(const Response& response) {
    grpc::ByteBuffer bytes;
    bool own = false;
    const grpc::Status status = grpc::SerializationTraits<Response>::Serialize(response, &bytes, &own);
    if (status.ok())
      finish_with(std::move(bytes));
    else
      finish(status);
  }

  /// Of a call that is not ended: before its first end.
  void add_trailing_metadata(const std::string& key, const std::string& value);
  [[nodiscard]] std::string peer();

  /// The client has gone, or its deadline has passed. Such a call must be ended, too.
  [[nodiscard]] bool hung_up() const;
  /// To be called once that happens: at once if it has.
  void on_hang_up(std::function<void()> tell);

  /// The request is not in memory any more; comes by itself when the work is done or the call ends.
  void free_room();

 private:
  class Reactor;
  LargeCall(RequestGate& gate, WorkPool& pool, grpc::CallbackServerContext& context, Urgency urgency,
            Work work)
      : gate_(gate), pool_(pool), context_(context), urgency_(std::move(urgency)), work_(std::move(work)) {}

  void enter();
  void received(bool whole);
  void cancelled();
  /// Ends the call, but not one whose message is here: that is for `work`.
  void finish_unless_at_work(const grpc::Status& status);
  Reactor* take_reactor(bool unless_at_work = false);
  void end(Reactor* reactor, const grpc::Status& status);

  RequestGate& gate_;
  WorkPool& pool_;
  grpc::CallbackServerContext& context_;  // while reactor_ is not null
  const Urgency urgency_;
  const Work work_;
  mutable std::mutex mutex_;
  Reactor* reactor_ = nullptr;        // null once the call is ended; guarded by mutex_
  bool at_work_ = false;              // `work` ends the call; guarded by mutex_
  bool hung_up_ = false;              // guarded by mutex_
  std::function<void()> on_hang_up_;  // guarded by mutex_
  RequestGate::Id room_ = 0;          // guarded by mutex_
};

}  // namespace cuzk::server
