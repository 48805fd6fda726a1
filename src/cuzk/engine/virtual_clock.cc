#include "cuzk/engine/virtual_clock.h"

#include <algorithm>
#include <condition_variable>

#include "cuzk/base/result.h"

namespace cuzk::engine {

struct VirtualClock::Waiter {
  const VirtualCondition* condition;  // null: sleeps
  std::optional<TimePoint> deadline;
  bool participant;
  bool woken = false;
  std::condition_variable wakes{};
};

class VirtualClock::VirtualCondition : public Condition {
 public:
  explicit VirtualCondition(VirtualClock& clock) : clock_(clock) {}

  void wait(std::unique_lock<std::mutex>& lock) override { wait_for(lock, {}); }
  void wait_until(std::unique_lock<std::mutex>& lock, TimePoint deadline) override {
    wait_for(lock, deadline);
  }
  void notify_all() override {
    const std::lock_guard lock(clock_.mutex_);
    for (auto at = clock_.waiters_.begin(); at != clock_.waiters_.end();) {
      Waiter& waiter = **at++;
      if (waiter.condition == this) clock_.wake(waiter);
    }
  }

 private:
  void wait_for(std::unique_lock<std::mutex>& user_lock, std::optional<TimePoint> deadline) {
    // The clock's mutex is taken before the user's is given back: a notification in between is not lost.
    std::unique_lock lock(clock_.mutex_);
    if (deadline && *deadline <= clock_.now_) return;
    clock_.wait(lock, this, deadline, &user_lock);
    lock.unlock();
    user_lock.lock();
  }

  VirtualClock& clock_;
};

void VirtualClock::wake(Waiter& waiter) {
  waiters_.erase(&waiter);
  waiter.woken = true;
  if (waiter.participant) ++running_;
  waiter.wakes.notify_one();
}

/// With the mutex held: when no participant runs, to the earliest deadline of anybody.
void VirtualClock::let_time_pass() {
  if (running_ > 0) return;
  std::optional<TimePoint> next;
  for (const Waiter* waiter : waiters_)
    if (waiter->deadline) next = std::min(next.value_or(*waiter->deadline), *waiter->deadline);
  if (!next) return;
  now_ = std::max(now_, *next);
  for (auto at = waiters_.begin(); at != waiters_.end();) {
    Waiter& waiter = **at++;
    if (waiter.deadline && *waiter.deadline <= now_) wake(waiter);
  }
}

void VirtualClock::wait(std::unique_lock<std::mutex>& lock, const VirtualCondition* condition,
                        std::optional<TimePoint> deadline, std::unique_lock<std::mutex>* user_lock) {
  Waiter waiter{condition, deadline, participates()};
  waiters_.insert(&waiter);
  if (waiter.participant) --running_;
  if (user_lock != nullptr) user_lock->unlock();
  let_time_pass();
  while (!waiter.woken) waiter.wakes.wait(lock);
}

Clock::TimePoint VirtualClock::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void VirtualClock::sleep_until(TimePoint deadline) {
  std::unique_lock lock(mutex_);
  if (deadline > now_) wait(lock, nullptr, deadline, nullptr);
}

std::unique_ptr<Condition> VirtualClock::make_condition() {
  return std::make_unique<VirtualCondition>(*this);
}

void VirtualClock::enter() {
  const std::lock_guard lock(mutex_);
  CUZK_CHECK(participants_.insert(std::this_thread::get_id()).second);
}

void VirtualClock::leave() {
  const std::lock_guard lock(mutex_);
  participants_.erase(std::this_thread::get_id());
  --running_;
  let_time_pass();
}

std::thread VirtualClock::start_thread(std::function<void()> body) {
  {
    // Counted before it exists: time must not pass between its creation and its first step.
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  try {
    return std::thread([this, body = std::move(body)] {
      enter();
      body();
      leave();
    });
  } catch (...) {
    const std::lock_guard lock(mutex_);
    --running_;
    let_time_pass();
    throw;
  }
}

void VirtualClock::join(std::thread& thread) {
  bool participant = false;
  {
    const std::lock_guard lock(mutex_);
    participant = participates();
    if (participant) {
      --running_;
      let_time_pass();
    }
  }
  thread.join();
  if (participant) {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
}

VirtualClock::Participant::Participant(VirtualClock& clock) : clock_(clock) {
  const std::lock_guard lock(clock_.mutex_);
  CUZK_CHECK(clock_.participants_.insert(std::this_thread::get_id()).second);
  ++clock_.running_;
}

VirtualClock::Participant::~Participant() {
  clock_.leave();
}

}  // namespace cuzk::engine
