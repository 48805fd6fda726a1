#include "cuzk/server/rpc_wait.h"

#include <utility>

#include "cuzk/server/rpc_convert.h"

namespace cuzk::server {

void Wait::begin(const std::string& job_id, std::optional<engine::Duration> timeout) {
  const Result<engine::WaiterId> waiter =
      engine_.await(job_id, timeout, [self = shared_from_this(), job_id](const engine::Awaited& awaited) {
        if (!self->end()) return;
        if (awaited.kept)
          self->refuse_(
              {grpc::StatusCode::UNAVAILABLE,
               "DEVICE: no device proves any more in this process; the job is in the journal and the "
               "daemon goes on with it when it is started again"});
        else
          self->answer_(job_id, awaited);
      });
  if (!waiter) {
    if (end()) refuse_({grpc::StatusCode::NOT_FOUND, "job_id: there is no job '" + repeated(job_id) + "'"});
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

void Wait::hang_up() {
  const engine::WaiterId waiter = [&] {
    const std::lock_guard guard(mutex_);
    hung_up_ = true;
    return waiter_;
  }();
  if (waiter != 0) give_up(waiter);
}

bool Wait::end() {
  const std::lock_guard guard(mutex_);
  return !std::exchange(over_, true);
}

void Wait::give_up(engine::WaiterId waiter) {
  // Not forgotten: the callback was called or is about to end the call.
  if (engine_.forget(waiter) && end()) refuse_({grpc::StatusCode::CANCELLED, "the client hung up"});
}

}  // namespace cuzk::server
