#include "cuzk/timeline/recorder.h"

#include <algorithm>

namespace cuzk::timeline {

void Recorder::append(Event event) {
  if (event.job.size() > kMaxTextBytes) event.job.resize(kMaxTextBytes);
  if (event.detail.size() > kMaxTextBytes) event.detail.resize(kMaxTextBytes);
  bool notify = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t slot = next_ % capacity_;
    if (slot == ring_.size()) {
      ring_.push_back(std::move(event));
    } else {
      // Swapped, not moved: the overwritten strings are freed by the caller's copy, after the lock.
      std::swap(ring_[slot], event);
    }
    ++next_;
    notify = waiting_ != 0;
  }
  if (notify) arrived_.notify_all();
}

Recorder::Tail Recorder::since(std::uint64_t cursor, std::size_t limit) const {
  Tail tail;
  const std::lock_guard lock(mutex_);
  if (cursor >= next_) {
    tail.next = cursor;
    return tail;
  }
  const std::uint64_t first = std::max(cursor, oldest());
  tail.lost = first - cursor;
  const std::uint64_t count = std::min<std::uint64_t>(next_ - first, limit);
  tail.events.reserve(count);
  for (std::uint64_t n = first; n < first + count; ++n) tail.events.push_back(ring_[n % capacity_]);
  tail.next = first + count;
  return tail;
}

bool Recorder::wait(std::uint64_t cursor, std::chrono::milliseconds timeout, std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  ++waiting_;
  const bool arrived = arrived_.wait_for(lock, stop, timeout, [&] { return next_ > cursor; });
  --waiting_;
  return arrived;
}

std::uint64_t Recorder::recorded() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

std::uint64_t Recorder::dropped() const {
  const std::lock_guard lock(mutex_);
  return oldest();
}

}  // namespace cuzk::timeline
