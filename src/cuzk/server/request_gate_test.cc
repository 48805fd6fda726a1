#include "cuzk/server/request_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/server/work_pool.h"

namespace cuzk::server {
namespace {

constexpr std::chrono::milliseconds kNever{3'600'000};

/// What one call at the gate was told.
struct Told {
  std::atomic<int> room{0};
  std::atomic<int> no_room{0};
  std::atomic<int> give_way{0};
};

class Gate : public ::testing::Test {
 protected:
  void make(RequestGate::Limits limits) { gate_ = std::make_unique<RequestGate>(limits); }
  RequestGate::Id enter(Told& told) {
    const RequestGate::Id id = gate_->make_id();
    gate_->enter(
        id, [&told](bool room) { ++(room ? told.room : told.no_room); }, [&told] { ++told.give_way; });
    return id;
  }
  Told told_[6];
  std::unique_ptr<RequestGate> gate_;  // ends before what its callbacks write to
};

TEST_F(Gate, LetsInSoManyAndTheOthersInTheirOrder) {
  make({.rooms = 2, .waiting = 3, .wait = kNever, .receive_in_a_crowd = kNever});
  RequestGate::Id ids[6];
  for (int i = 0; i < 5; ++i) ids[i] = enter(told_[i]);
  EXPECT_EQ(told_[0].room + told_[1].room, 2);
  EXPECT_EQ(told_[2].room + told_[3].room + told_[4].room, 0);
  EXPECT_EQ(gate_->count().inside, 2U);
  EXPECT_EQ(gate_->count().waiting, 3U);
  enter(told_[5]);
  EXPECT_EQ(told_[5].no_room, 1) << "too many wait";

  gate_->received(ids[1]);
  gate_->leave(ids[1]);
  gate_->leave(ids[1]);
  EXPECT_EQ(told_[2].room, 1);
  EXPECT_EQ(told_[3].room, 0);
  gate_->leave(ids[3]);  // hung up while it waited
  gate_->leave(ids[0]);
  EXPECT_EQ(told_[3].room, 0);
  EXPECT_EQ(told_[4].room, 1);
  gate_->leave(ids[2]);
  gate_->leave(ids[4]);
  EXPECT_EQ(gate_->count().inside + gate_->count().waiting, 0U);
  for (const Told& told : told_) EXPECT_EQ(told.give_way, 0);
}

TEST_F(Gate, WhoWaitsTooLongIsRefused) {
  make({.rooms = 1, .wait = std::chrono::milliseconds(1), .receive_in_a_crowd = kNever});
  const RequestGate::Id first = enter(told_[0]);
  enter(told_[1]);
  while (told_[1].no_room == 0) std::this_thread::yield();
  gate_->leave(first);
  EXPECT_EQ(told_[1].room, 0);
  EXPECT_EQ(gate_->count().inside + gate_->count().waiting, 0U);
}

TEST_F(Gate, ASlowOneGivesWayOnceSomebodyWaits) {
  make({.rooms = 2, .wait = kNever, .receive_in_a_crowd = std::chrono::milliseconds(1)});
  const RequestGate::Id received = enter(told_[0]);
  gate_->received(received);
  const RequestGate::Id slow = enter(told_[1]);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(told_[1].give_way, 0) << "nobody waits";
  enter(told_[2]);
  while (told_[1].give_way == 0) std::this_thread::yield();
  EXPECT_EQ(told_[2].room, 0) << "not before the room is free";
  gate_->leave(slow);
  EXPECT_EQ(told_[2].room, 1);
  EXPECT_EQ(told_[0].give_way, 0) << "its request is here";
}

/// The timer sleeps on what it knew of when the slow one still waited.
TEST_F(Gate, ASlowOneThatCameInWhenAnotherLeftGivesWay) {
  make({.rooms = 1, .wait = std::chrono::seconds(10), .receive_in_a_crowd = std::chrono::milliseconds(1)});
  const RequestGate::Id received = enter(told_[0]);
  gate_->received(received);
  const RequestGate::Id slow = enter(told_[1]);
  enter(told_[2]);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate_->leave(received);
  while (told_[1].give_way == 0 && told_[2].no_room == 0) std::this_thread::yield();
  EXPECT_EQ(told_[2].no_room, 0) << "it waited in vain behind one that did not give way";
  gate_->leave(slow);
  EXPECT_EQ(told_[2].room, 1);
}

TEST(WorkPoolTest, TheMostUrgentGoesFirstAndTheCriticalAtOnce) {
  using engine::Priority;
  // They outlive the pool, whose threads set them.
  std::promise<void> busy;
  std::promise<void> go_on;
  std::promise<void> critical;
  std::vector<int> order;
  {
    WorkPool pool(1);
    pool.post(Priority::kNormal, [&busy, go = go_on.get_future().share()] {
      busy.set_value();
      go.wait();
    });
    busy.get_future().wait();
    // The only thread for all is busy.
    pool.post(Priority::kCritical, [&] { critical.set_value(); });
    critical.get_future().wait();
    const auto add = [&](Priority priority, int what) {
      pool.post(priority, [&order, what] { order.push_back(what); });
    };
    add(Priority::kLow, 1);
    add(Priority::kNormal, 2);
    add(Priority::kNormal, 3);
    add(Priority::kHigh, 4);
    go_on.set_value();
  }
  EXPECT_EQ(order, (std::vector<int>{4, 2, 3, 1}));
}

}  // namespace
}  // namespace cuzk::server
