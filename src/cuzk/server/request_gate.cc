#include "cuzk/server/request_gate.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace cuzk::server {

RequestGate::RequestGate(Limits limits) : limits_(limits), timer_([this] { keep_time(); }) {}

RequestGate::~RequestGate() {
  {
    const std::lock_guard guard(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  timer_.join();
}

RequestGate::Id RequestGate::make_id() {
  const std::lock_guard guard(mutex_);
  return next_++;
}

void RequestGate::enter(Id id, std::function<void(bool)> room, std::function<void()> give_way) {
  Calls calls;
  {
    const std::lock_guard guard(mutex_);
    const Time now = std::chrono::steady_clock::now();
    if (inside_.size() >= limits_.rooms && waiting_.size() >= limits_.waiting) {
      calls.push_back([room = std::move(room)] { room(false); });
    } else {
      waiting_.emplace(id, Call{std::move(room), std::move(give_way), now});
      let_in(calls, now);
    }
  }
  for (const auto& call : calls) call();
  wake_.notify_one();
}

void RequestGate::received(Id id) {
  const std::lock_guard guard(mutex_);
  const auto at = inside_.find(id);
  if (at != inside_.end()) at->second.give_way = nullptr;
}

void RequestGate::leave(Id id) {
  Calls calls;
  {
    const std::lock_guard guard(mutex_);
    waiting_.erase(id);
    if (inside_.erase(id) != 0) let_in(calls, std::chrono::steady_clock::now());
  }
  for (const auto& call : calls) call();
  // For who came in now, and may have to give way before anything that the timer knew of.
  wake_.notify_one();
}

RequestGate::Count RequestGate::count() const {
  const std::lock_guard guard(mutex_);
  return {inside_.size(), waiting_.size()};
}

void RequestGate::let_in(Calls& calls, Time now) {
  while (!waiting_.empty() && inside_.size() < limits_.rooms) {
    auto node = waiting_.extract(waiting_.begin());
    node.mapped().since = now;
    calls.push_back([room = std::exchange(node.mapped().room, nullptr)] { room(true); });
    inside_.insert(std::move(node));
  }
}

void RequestGate::keep_time() {
  std::unique_lock guard(mutex_);
  while (!stop_) {
    const Time now = std::chrono::steady_clock::now();
    Calls calls;
    std::optional<Time> next;
    const auto due = [&](Time at) {
      if (at <= now) return true;
      next = std::min(next.value_or(at), at);
      return false;
    };
    // Both have the oldest first.
    while (!waiting_.empty() && due(waiting_.begin()->second.since + limits_.wait)) {
      auto node = waiting_.extract(waiting_.begin());
      calls.push_back([room = std::move(node.mapped().room)] { room(false); });
    }
    // One for each that waits; the room is free when leave says so.
    std::size_t wanted = waiting_.size();
    for (auto& [id, call] : inside_) {
      if (wanted == 0) break;
      if (call.give_way == nullptr || !due(call.since + limits_.receive_in_a_crowd)) continue;
      calls.push_back(std::exchange(call.give_way, nullptr));
      --wanted;
    }
    if (!calls.empty()) {
      guard.unlock();
      for (const auto& call : calls) call();
      guard.lock();
    } else if (next) {
      wake_.wait_until(guard, *next);
    } else {
      wake_.wait(guard);
    }
  }
}

}  // namespace cuzk::server
