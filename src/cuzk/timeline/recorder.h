#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <vector>

#include "cuzk/timeline/event.h"

namespace cuzk::timeline {

/// Where the engine's threads leave their events: a ring in memory that keeps the latest `capacity` of them.
/// Readers follow it with a cursor, each at its own pace; one that falls behind is told how many it missed.
/// Every call is thread-safe. Recording takes a mutex for the time of a move and never waits for a reader.
class Recorder {
 public:
  /// Room for `capacity` events, about 200 bytes each, taken as they come. 0: off for good, record does
  /// nothing.
  explicit Recorder(std::size_t capacity) : capacity_(capacity) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// For callers that would have to make an event first.
  [[nodiscard]] bool on() const { return capacity_ != 0; }

  /// Job and detail are cut to kMaxTextBytes, so that the ring stays bounded whatever a job is called.
  void record(Event event) {
    if (on()) append(std::move(event));
  }
  static constexpr std::size_t kMaxTextBytes = 512;

  struct Tail {
    std::vector<Event> events;  ///< in the order of record
    std::uint64_t next = 0;     ///< the cursor for the next call
    std::uint64_t lost = 0;     ///< events between the given cursor and the first one here, overwritten since
  };

  /// The events from `cursor` on, at most `limit`. A cursor is the number of events recorded before; 0 is the
  /// first ever. A cursor of the future (of another run, say) gives nothing and stays where it is.
  [[nodiscard]] Tail since(std::uint64_t cursor, std::size_t limit = SIZE_MAX) const;

  /// Blocks until there is an event at or after `cursor` (true), or until `timeout` passes or a stop is asked
  /// for (false).
  bool wait(std::uint64_t cursor, std::chrono::milliseconds timeout, std::stop_token stop = {}) const;

  /// Events recorded so far, those that were overwritten included.
  [[nodiscard]] std::uint64_t recorded() const;
  /// Events that no reader can have any more.
  [[nodiscard]] std::uint64_t dropped() const;

 private:
  void append(Event event);
  [[nodiscard]] std::uint64_t oldest() const { return next_ - ring_.size(); }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any arrived_;
  mutable std::size_t waiting_ = 0;  // guarded by mutex_: without a waiter nobody is notified
  std::uint64_t next_ = 0;           // guarded by mutex_: number of the next event
  std::vector<Event> ring_;          // guarded by mutex_: event n is at n mod capacity_
};

}  // namespace cuzk::timeline
