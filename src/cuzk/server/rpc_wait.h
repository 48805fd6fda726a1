#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cuzk/engine/engine.h"

namespace cuzk::server {

/// A call that waits for a job. Whoever comes first ends it, once: the engine's answer, a client that hangs
/// up, or a refusal. Thread-safe.
class Wait : public std::enable_shared_from_this<Wait> {
 public:
  using Answer = std::function<void(const std::string& job_id, const engine::Awaited&)>;
  using Refuse = std::function<void(const grpc::Status&)>;
  /// One of the two ends the call. The engine must outlive the wait.
  Wait(engine::Engine& engine, Answer answer, Refuse refuse)
      : engine_(engine), answer_(std::move(answer)), refuse_(std::move(refuse)) {}

  /// Has the engine answer this call.
  void begin(const std::string& job_id, std::optional<engine::Duration> timeout);
  /// The client has gone, or its deadline has passed.
  void hang_up();

 private:
  /// True for the first who asks.
  bool end();
  void give_up(engine::WaiterId waiter);

  engine::Engine& engine_;
  const Answer answer_;
  const Refuse refuse_;
  std::mutex mutex_;
  bool over_ = false;            // guarded by mutex_
  bool hung_up_ = false;         // guarded by mutex_
  engine::WaiterId waiter_ = 0;  // guarded by mutex_
};

}  // namespace cuzk::server
