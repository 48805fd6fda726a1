#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace cuzk::server {

/// Who may have a request in memory that is not accepted yet. How large a request is shows only when it is
/// there, so each counts as one of the largest: so many have room at a time, from before their first byte is
/// received until they are read and checked; the others wait for their turn, first come first served, and
/// meanwhile the flow control of the connection holds their bytes back. Thread-safe.
class RequestGate {
 public:
  struct Limits {
    std::size_t rooms = 8;
    std::size_t waiting = 1000;                           ///< one that comes beyond is refused at once
    std::chrono::milliseconds wait{30'000};               ///< after so long without room it is refused
    std::chrono::milliseconds receive_in_a_crowd{8'000};  ///< one that takes longer gives way to who waits
  };
  /// Of a call that is at the gate.
  using Id = std::uint64_t;

  explicit RequestGate(Limits limits);
  ~RequestGate();
  RequestGate(const RequestGate&) = delete;
  RequestGate& operator=(const RequestGate&) = delete;

  /// A number for one call.
  Id make_id();
  /// Calls `room` once, with true when there is room (maybe before this returns), with false when it was
  /// waited for in vain; and then `give_way` at most once, when the request has not been received while
  /// others waited. Either may come late, after leave, and is called without a lock.
  void enter(Id id, std::function<void(bool)> room, std::function<void()> give_way);
  /// The request is here: it is not asked to give way any more.
  void received(Id id);
  /// The room is free again, or is not waited for any more. Nothing for a call that is not at the gate.
  void leave(Id id);

  struct Count {
    std::size_t inside = 0;
    std::size_t waiting = 0;
  };
  [[nodiscard]] Count count() const;

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Call {
    std::function<void(bool)> room;
    std::function<void()> give_way;  ///< empty: never, or no more
    Time since;                      ///< it waits, or has room
  };
  /// Calls to make without the lock.
  using Calls = std::vector<std::function<void()>>;

  void keep_time();
  void let_in(Calls& calls, Time now);

  const Limits limits_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::map<Id, Call> inside_;   // guarded by mutex_
  std::map<Id, Call> waiting_;  // guarded by mutex_
  Id next_ = 1;                 // guarded by mutex_
  bool stop_ = false;           // guarded by mutex_
  std::thread timer_;
};

}  // namespace cuzk::server
