#pragma once

#include <cstddef>
#include <cstdint>
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

  /// The lock, held. Move-only, and free to move to another thread: it is not bound to the thread that
  /// acquired it.
  class Hold {
   public:
    Hold() = default;
    Hold(Hold&&) noexcept = default;
    Hold& operator=(Hold&& other) noexcept {
      release();
      state_ = std::move(other.state_);
      return *this;
    }
    ~Hold() { release(); }

    /// Gives the lock back now; later calls do nothing.
    void release();
    explicit operator bool() const { return state_ != nullptr; }

   private:
    friend class DeviceLock;
    explicit Hold(std::shared_ptr<State> state) : state_(std::move(state)) {}
    std::shared_ptr<State> state_;
  };

  /// Blocks until the lock is free and no waiter is more urgent.
  [[nodiscard]] Hold acquire(std::uint64_t urgency = 0) const;

  /// Threads that wait in acquire now; for status displays.
  [[nodiscard]] std::size_t waiting() const;

  /// True when both name the same lock.
  friend bool operator==(const DeviceLock& a, const DeviceLock& b) { return a.state_ == b.state_; }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace cuzk::groth16
