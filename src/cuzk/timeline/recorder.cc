#include "cuzk/timeline/recorder.h"

namespace cuzk::timeline {

void Recorder::append(Event event) {
  if (event.job.size() > kMaxTextBytes) event.job.resize(kMaxTextBytes);
  if (event.detail.size() > kMaxTextBytes) event.detail.resize(kMaxTextBytes);
  std::shared_ptr<const Segment> outdated;  // freed after the lock
  bool notify = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t at = next_ % kSegment;
    if (at == 0) segments_.push_back(std::make_shared<Segment>());
    // A reader may look at the segment now, but at none of its places from here on.
    (*segments_.back())[at] = std::move(event);
    ++next_;
    if (oldest() / kSegment > first_) {
      outdated = std::move(segments_.front());
      segments_.pop_front();
      ++first_;
    }
    notify = waiting_ != 0;
  }
  if (notify) arrived_.notify_all();
}

Recorder::View Recorder::view(std::uint64_t cursor, std::size_t limit) const {
  View view;
  const std::lock_guard lock(mutex_);
  if (cursor >= next_) {
    view.next = cursor;
    return view;
  }
  const std::uint64_t first = std::max(cursor, oldest());
  view.lost = first - cursor;
  view.size_ = std::min<std::uint64_t>(next_ - first, limit);
  view.next = first + view.size_;
  view.offset_ = first % kSegment;
  const auto begin = segments_.begin() + static_cast<std::ptrdiff_t>(first / kSegment - first_);
  view.segments_.assign(
      begin, begin + static_cast<std::ptrdiff_t>((view.offset_ + view.size_ + kSegment - 1) / kSegment));
  return view;
}

Recorder::Tail Recorder::since(std::uint64_t cursor, std::size_t limit) const {
  const View view = this->view(cursor, limit);
  Tail tail{{}, view.next, view.lost};
  tail.events.reserve(view.size());
  view.for_each([&](const Event& event) { tail.events.push_back(event); });
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
