#include "cuzk/timeline/recorder.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <thread>

namespace cuzk::timeline {
namespace {

Event numbered(std::uint32_t n) {
  return {.time_ns = n, .kind = EventKind::kGpuStart, .job = "j", .partition = n};
}

TEST(Event, NamesAreThoseOfTheEngineDesign) {
  // Written out: scripts of operators look for these words.
  const std::vector<std::string> names = {"SYNTH_START",   "SYNTH_END",    "GPU_QUEUE",  "GPU_PICKUP",
                                          "GPU_START",     "GPU_END",      "LOCK_WAIT",  "LOCK_ACQUIRED",
                                          "LOCK_RELEASED", "KERNEL_START", "KERNEL_END", "EPILOGUE_END",
                                          "VERIFY_END",    "JOB_DONE",     "KEY_START",  "KEY_END"};
  ASSERT_EQ(names.size(), kEventKinds);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_EQ(name_of(kind), names[i]);
    EXPECT_EQ(kind_named(names[i]), kind);
  }
  EXPECT_FALSE(kind_named("gpu_start"));
  EXPECT_FALSE(kind_named("GPU_STARTED"));
  EXPECT_FALSE(kind_named(""));
}

TEST(Event, MillisecondsAreExact) {
  EXPECT_EQ(format_ms(0), "0");
  EXPECT_EQ(format_ms(1'300'000'000), "1300");
  EXPECT_EQ(format_ms(250'000), "0.25");
  EXPECT_EQ(format_ms(1), "0.000001");
  EXPECT_EQ(format_ms(-1'500'000), "-1.5");
  EXPECT_EQ(format_ms(std::numeric_limits<std::int64_t>::max()), "9223372036854.775807");
  EXPECT_EQ(format_ms(std::numeric_limits<std::int64_t>::min()), "-9223372036854.775808");
}

TEST(Event, DetailKeepsOnePairPerKeyValue) {
  Event event;
  add_detail(event, "stage", "msm_h");
  add_detail_ms(event, "gpu_ms", 2'100'500'000);
  add_detail(event, "note", "a,b\nc");
  add_detail(event, "attempt", 2);
  EXPECT_EQ(event.detail, "stage=msm_h,gpu_ms=2100.5,note=a_b_c,attempt=2");
  EXPECT_EQ(detail_of(event, "stage"), "msm_h");
  EXPECT_EQ(detail_of(event, "gpu_ms"), "2100.5");
  EXPECT_EQ(detail_of(event, "attempt"), "2");
  EXPECT_FALSE(detail_of(event, "ms"));
  EXPECT_FALSE(detail_of(event, "gpu"));
  event.detail = "stage,=x,stage=y";
  EXPECT_EQ(detail_of(event, "stage"), "y");
}

TEST(Recorder, OffRecordsNothing) {
  Recorder recorder(0);
  EXPECT_FALSE(recorder.on());
  recorder.record(numbered(1));
  EXPECT_EQ(recorder.recorded(), 0u);
  EXPECT_TRUE(recorder.since(0).events.empty());
}

TEST(Recorder, CursorsFollowAndLearnWhatTheyMissed) {
  Recorder recorder(4);
  for (std::uint32_t n = 0; n < 3; ++n) recorder.record(numbered(n));
  Recorder::Tail tail = recorder.since(0, 2);
  ASSERT_EQ(tail.events.size(), 2u);
  EXPECT_EQ(tail.events[1], numbered(1));
  EXPECT_EQ(tail.next, 2u);
  EXPECT_EQ(tail.lost, 0u);

  for (std::uint32_t n = 3; n < 9; ++n) recorder.record(numbered(n));  // keeps 5, 6, 7, 8
  tail = recorder.since(tail.next);
  EXPECT_EQ(tail.lost, 3u);
  ASSERT_EQ(tail.events.size(), 4u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(tail.events[i], numbered(5 + i));
  EXPECT_EQ(tail.next, 9u);
  EXPECT_EQ(recorder.recorded(), 9u);
  EXPECT_EQ(recorder.dropped(), 5u);

  EXPECT_TRUE(recorder.since(9).events.empty());
  EXPECT_EQ(recorder.since(9).next, 9u);
  EXPECT_EQ(recorder.since(1000).next, 1000u);
}

TEST(Recorder, WhoReadsHoldsUpNobodyAndKeepsWhatItSees) {
  constexpr std::uint32_t kCapacity = 1000;
  Recorder recorder(kCapacity);
  for (std::uint32_t n = 0; n < 3 * kCapacity; ++n) recorder.record(numbered(n));
  for (const std::uint32_t first : {2000u, 2047u, 2048u, 2999u}) {
    std::uint32_t n = first;
    recorder.view(first).for_each([&](const Event& event) { EXPECT_EQ(event, numbered(n++)); });
    EXPECT_EQ(n, 3000u);
  }

  // Everything is overwritten from within the reader, which would never end if it held the lock.
  const Recorder::View view = recorder.view(0, 700);
  EXPECT_EQ(view.lost, 2000u);
  EXPECT_EQ(view.next, 2700u);
  EXPECT_EQ(view.size(), 700u);
  std::uint32_t seen = 2000;
  view.for_each([&](const Event& event) {
    recorder.record(numbered(seen));
    recorder.record(numbered(seen));
    EXPECT_EQ(event, numbered(seen++));
  });
  EXPECT_EQ(seen, 2700u);
  EXPECT_EQ(recorder.recorded(), 4400u);
  EXPECT_EQ(recorder.since(0).lost, 3400u);
  EXPECT_EQ(recorder.since(0).events.size(), kCapacity);
}

TEST(Recorder, LongTextsAreCut) {
  Recorder recorder(1);
  Event event = numbered(0);
  event.job.assign(100'000, 'j');
  event.detail.assign(100'000, 'd');
  recorder.record(event);
  const Recorder::Tail tail = recorder.since(0);
  EXPECT_EQ(tail.events.at(0).job.size(), Recorder::kMaxTextBytes);
  EXPECT_EQ(tail.events.at(0).detail.size(), Recorder::kMaxTextBytes);
}

TEST(Recorder, WaitEndsWithAnEventOrAStop) {
  Recorder recorder(8);
  EXPECT_FALSE(recorder.wait(0, std::chrono::milliseconds(0)));
  recorder.record(numbered(0));
  EXPECT_TRUE(recorder.wait(0, std::chrono::milliseconds(0)));

  std::jthread writer([&] { recorder.record(numbered(1)); });
  EXPECT_TRUE(recorder.wait(1, std::chrono::minutes(1)));
  writer.join();

  std::stop_source stop;
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(recorder.wait(2, std::chrono::minutes(1), stop.get_token()));
}

TEST(Recorder, EveryEventOfEveryThreadOnceAndInItsThreadsOrder) {
  constexpr std::uint32_t kThreads = 4;
  constexpr std::uint32_t kEach = 2000;
  Recorder recorder(kThreads * kEach);
  std::vector<Event> seen;
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t t = 0; t < kThreads; ++t)
      threads.emplace_back([&, t] {
        for (std::uint32_t n = 0; n < kEach; ++n) {
          Event event = numbered(n);
          event.worker = t;
          recorder.record(std::move(event));
        }
      });
    for (std::uint64_t cursor = 0; seen.size() < kThreads * kEach;) {
      ASSERT_TRUE(recorder.wait(cursor, std::chrono::minutes(1)));
      Recorder::Tail tail = recorder.since(cursor, 100);
      EXPECT_EQ(tail.lost, 0u);
      cursor = tail.next;
      for (Event& event : tail.events) seen.push_back(std::move(event));
    }
  }
  std::map<std::uint32_t, std::uint32_t> expected;
  for (const Event& event : seen) EXPECT_EQ(event.partition, expected[event.worker.value()]++);
  for (std::uint32_t t = 0; t < kThreads; ++t) EXPECT_EQ(expected[t], kEach);
}

}  // namespace
}  // namespace cuzk::timeline
