#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "cuzk/timeline/event.h"

namespace cuzk::timeline {

/// Where the engine's threads leave their events: the latest `capacity` of them are kept, in memory. Readers
/// follow with a cursor, each at its own pace; one that falls behind is told how many it missed. Every call
/// is thread-safe. Recording takes a mutex for the time of a move, and no reader holds that mutex for longer
/// than it takes to note where the events lie: it reads and copies them without it.
class Recorder {
 public:
  /// Room for `capacity` events, about 200 bytes each, taken as they come. 0: off for good, record does
  /// nothing.
  explicit Recorder(std::size_t capacity) : capacity_(capacity) {}
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// For callers that would have to make an event first.
  [[nodiscard]] bool on() const { return capacity_ != 0; }

  /// Job and detail are cut to kMaxTextBytes, so that memory stays bounded whatever a job is called.
  void record(Event event) {
    if (on()) append(std::move(event));
  }
  static constexpr std::size_t kMaxTextBytes = 512;

 private:
  /// Events one after the other. One that is there never changes; the next ones come behind it.
  static constexpr std::size_t kSegment = 256;
  using Segment = std::array<Event, kSegment>;

 public:
  /// Events where they lie. They stay as long as it does, whatever is recorded meanwhile.
  class View {
   public:
    std::uint64_t next = 0;  ///< the cursor for the next call
    std::uint64_t lost = 0;  ///< events between the given cursor and the first one here, overwritten since

    [[nodiscard]] std::size_t size() const { return size_; }
    /// Calls `work(event)` for each, in the order of record.
    template <class Work>
    void for_each(Work&& work) const {
      std::size_t at = offset_;
      std::size_t left = size_;
      for (const std::shared_ptr<const Segment>& segment : segments_) {
        const std::size_t end = std::min(kSegment, at + left);
        left -= end - at;
        for (; at < end; ++at) work((*segment)[at]);
        at = 0;
      }
    }

   private:
    friend class Recorder;
    std::vector<std::shared_ptr<const Segment>> segments_;
    std::size_t offset_ = 0;  // of the first event in the first segment
    std::size_t size_ = 0;
  };

  /// The events from `cursor` on, at most `limit`. A cursor is the number of events recorded before; 0 is the
  /// first ever. A cursor of the future (of another run, say) gives nothing and stays where it is.
  [[nodiscard]] View view(std::uint64_t cursor, std::size_t limit = SIZE_MAX) const;

  struct Tail {
    std::vector<Event> events;  ///< in the order of record
    std::uint64_t next = 0;     ///< as in View
    std::uint64_t lost = 0;
  };
  /// The same as copies.
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
  [[nodiscard]] std::uint64_t oldest() const { return next_ - std::min<std::uint64_t>(next_, capacity_); }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any arrived_;
  mutable std::size_t waiting_ = 0;  // guarded by mutex_: without a waiter nobody is notified
  std::uint64_t next_ = 0;           // guarded by mutex_: number of the next event
  // Guarded by mutex_: event n lies in the segment with number n / kSegment; the first one here is first_.
  std::deque<std::shared_ptr<Segment>> segments_;
  std::uint64_t first_ = 0;
};

}  // namespace cuzk::timeline
