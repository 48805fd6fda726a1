#include "cuzk/groth16/device_lock.h"

#include <mutex>
#include <set>

namespace cuzk::groth16 {

struct DeviceLock::State {
  /// Set order is service order: larger urgency first, then smaller ticket.
  struct Waiter {
    std::uint64_t urgency;
    std::uint64_t ticket;
    friend bool operator<(const Waiter& a, const Waiter& b) {
      return a.urgency != b.urgency ? a.urgency > b.urgency : a.ticket < b.ticket;
    }
  };

  explicit State(Clock& clock) : changed(clock.make_condition()) {}

  std::mutex mutex;
  std::unique_ptr<Condition> changed;
  bool held = false;              // guarded by mutex
  std::uint64_t next_ticket = 0;  // guarded by mutex
  std::set<Waiter> waiters;       // guarded by mutex
};

DeviceLock::DeviceLock(Clock& clock) : state_(std::make_shared<State>(clock)) {}

DeviceLock DeviceLock::watched_by(Watcher watcher) const {
  DeviceLock out(*this);
  out.watcher_ = std::make_shared<const Watcher>(std::move(watcher));
  return out;
}

DeviceLock::Hold DeviceLock::acquire(std::uint64_t urgency) const {
  State& s = *state_;
  if (watcher_) (*watcher_)(Step::kWaiting);
  {
    std::unique_lock lock(s.mutex);
    const auto me = s.waiters.insert({urgency, s.next_ticket++}).first;
    while (s.held || s.waiters.begin() != me) s.changed->wait(lock);
    s.waiters.erase(me);
    s.held = true;
  }
  if (watcher_) (*watcher_)(Step::kAcquired);
  return Hold(state_, watcher_);
}

bool DeviceLock::held() const {
  const std::lock_guard lock(state_->mutex);
  return state_->held;
}

std::size_t DeviceLock::waiting() const {
  const std::lock_guard lock(state_->mutex);
  return state_->waiters.size();
}

void DeviceLock::Hold::release() {
  if (!state_) return;
  if (watcher_) (*watcher_)(Step::kReleasing);
  {
    const std::lock_guard lock(state_->mutex);
    state_->held = false;
  }
  // Everybody wakes and the first in service order goes on: waiters are device workers, a handful.
  state_->changed->notify_all();
  state_.reset();
  watcher_.reset();
}

}  // namespace cuzk::groth16
