#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "cuzk/cpu/clock.h"

namespace cuzk::engine {

/// A clock whose time passes only when nobody has anything to do: real threads, locks and queues run under
/// it, and the times that come out are exact, however busy the machine.
///
/// Threads count when they were started through the clock or hold a Participant. While any of them runs, time
/// stands still; when all of them sleep or wait, it jumps to the earliest deadline, and those due then run.
/// A notification makes the waiters count as running at once, before they wake: time cannot slip past them.
/// Other threads may use the clock and its conditions; they do not hold time up.
///
/// When every participant waits without a deadline, time stands still until somebody outside notifies.
class VirtualClock : public Clock {
 public:
  VirtualClock() = default;
  /// No thread may use it any more, nor a condition of it.
  ~VirtualClock() override = default;

  [[nodiscard]] TimePoint now() const override;
  void sleep_until(TimePoint deadline) override;
  [[nodiscard]] std::unique_ptr<Condition> make_condition() override;
  [[nodiscard]] std::thread start_thread(std::function<void()> body) override;
  /// The joining thread counts as waiting meanwhile.
  void join(std::thread& thread) override;

  /// Makes the thread that holds it a participant: a test that submits and asks while time must not pass.
  class Participant {
   public:
    explicit Participant(VirtualClock& clock);
    ~Participant();
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;

   private:
    VirtualClock& clock_;
  };

 private:
  class VirtualCondition;
  friend class VirtualCondition;
  struct Waiter;

  [[nodiscard]] bool participates() const { return participants_.contains(std::this_thread::get_id()); }
  void enter();
  void leave();
  /// Waits until woken, through `condition` (may be null: a sleep) or at `deadline`. With the mutex held.
  void wait(std::unique_lock<std::mutex>& lock, const VirtualCondition* condition,
            std::optional<TimePoint> deadline, std::unique_lock<std::mutex>* user_lock);
  void wake(Waiter& waiter);
  void let_time_pass();

  mutable std::mutex mutex_;
  // Everything below is guarded by mutex_.
  TimePoint now_{};
  std::set<std::thread::id> participants_;
  std::size_t running_ = 0;    // participants that neither wait nor sleep
  std::set<Waiter*> waiters_;  // that are not woken yet
};

}  // namespace cuzk::engine
