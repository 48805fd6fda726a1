#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "cuzk/cpu/clock.h"

namespace cuzk::groth16 {

/// Exclusive use of one physical device. A value that names the lock: copies name the same one, and the state
/// lives as long as any copy or any Hold does, so the lock outlives every worker that uses it. Thread-safe.
///
/// When several wait, the most urgent one (largest `urgency`) gets it next; equals go in order of arrival.
class DeviceLock {
  struct State;

 public:
  /// Makes a lock of its own; every copy of it is the same lock. Waiting for it passes by `clock`, which must
  /// outlive every copy and Hold.
  explicit DeviceLock(Clock& clock = real_clock());

  /// What happens to one acquisition: it begins, it has the lock, it is about to give it back.
  enum class Step : std::uint8_t { kWaiting, kAcquired, kReleasing };
  /// Told of every step, on the thread that takes it. Must return at once, not throw, and not use the lock.
  /// Of two acquisitions one is told kReleasing before the other is told kAcquired.
  using Watcher = std::function<void(Step)>;

  /// The lock, held. Move-only, and free to move to another thread: it is not bound to the thread that
  /// acquired it.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&&) noexcept = default;
    Hold& operator=(Hold&& other) noexcept {
      release();
      state_ = std::move(other.state_);
      watcher_ = std::move(other.watcher_);
      return *this;
    }
    ~Hold() { release(); }

    /// Gives the lock back now; later calls do nothing.
    void release();
    explicit operator bool() const { return state_ != nullptr; }

   private:
    friend class DeviceLock;
    Hold(std::shared_ptr<State> state, std::shared_ptr<const Watcher> watcher)
        : state_(std::move(state)), watcher_(std::move(watcher)) {}
    std::shared_ptr<State> state_;
    std::shared_ptr<const Watcher> watcher_;  // may be null
  };

  /// Blocks until the lock is free and no waiter is more urgent.
  [[nodiscard]] Hold acquire(std::uint64_t urgency = 0) const;

  /// The same lock; what is acquired through this value and its copies is told to `watcher`, and nothing else
  /// is.
  [[nodiscard]] DeviceLock watched_by(Watcher watcher) const;

  /// Whether somebody has it now; for status displays.
  [[nodiscard]] bool held() const;
  /// Threads that wait in acquire now; for status displays.
  [[nodiscard]] std::size_t waiting() const;

  /// True when both name the same lock.
  friend bool operator==(const DeviceLock& a, const DeviceLock& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<State> state_;
  std::shared_ptr<const Watcher> watcher_;  // may be null
};

}  // namespace cuzk::groth16
