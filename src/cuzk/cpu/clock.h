#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace cuzk {

/// What a thread waits on while it holds no mutex: std::condition_variable as a seam, so that waiting can
/// follow a clock that is not the wall's (engine/virtual_clock.h). Wake-ups may be spurious: wait in a loop.
/// Made by a Clock, which must outlive it.
class Condition {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  virtual ~Condition() = default;

  virtual void wait(std::unique_lock<std::mutex>& lock) = 0;
  /// Returns at `deadline` at the latest, by the clock that made the condition.
  virtual void wait_until(std::unique_lock<std::mutex>& lock, TimePoint deadline) = 0;
  virtual void notify_all() = 0;
};

/// Time, and everything that makes it pass for a thread: sleeping, waiting, starting and joining threads.
/// Code that is to run on a virtual clock does these through here and nothing else. Thread-safe.
class Clock {
 public:
  using TimePoint = Condition::TimePoint;
  using Duration = std::chrono::nanoseconds;

  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;

  [[nodiscard]] virtual TimePoint now() const = 0;
  virtual void sleep_until(TimePoint deadline) = 0;
  void sleep_for(Duration duration) { sleep_until(now() + duration); }
  [[nodiscard]] virtual std::unique_ptr<Condition> make_condition() = 0;

  /// Throws std::system_error, like std::thread, when the operating system refuses.
  [[nodiscard]] virtual std::thread start_thread(std::function<void()> body) = 0;
  virtual void join(std::thread& thread) = 0;
};

/// The monotonic clock of the operating system (std::chrono::steady_clock). Holds no state.
Clock& real_clock();

}  // namespace cuzk
