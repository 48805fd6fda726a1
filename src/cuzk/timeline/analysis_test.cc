#include "cuzk/timeline/analysis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace cuzk::timeline {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMs = 1'000'000;

std::string read_data(const std::string& name) {
  std::ostringstream out;
  out << std::ifstream(std::string(CUZK_TEST_DATA) + "/timeline/" + name).rdbuf();
  return out.str();
}

Log log_of(std::string_view text) {
  Result<Log> log = parse_log(text);
  EXPECT_TRUE(log) << log.error().message;
  return std::move(log).value();
}

/// Short lines for hand-made logs: "ms EVENT job partition worker device [rest]", "-" for none.
Log log_from(std::string_view table) {
  std::string text;
  std::istringstream lines{std::string(table)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string ms, name, job, partition, worker, device, rest;
    if (!(words >> ms >> name >> job >> partition >> worker >> device)) continue;
    words >> rest;
    text += "TIMELINE," + ms + "," + name + "," + job + ",x=1";
    if (partition != "-") text += ",partition=" + partition;
    if (worker != "-") text += ",worker=" + worker;
    if (device != "-") text += ",device=" + device;
    if (!rest.empty()) text += "," + rest;
    text += "\n";
  }
  return log_of(text);
}

/// `workers` workers of one device that all find a task whenever they want one: prepare, lock, epilogue of
/// the given milliseconds, the lock in the order of the requests. What an engine does, written down as a sum.
Log interlock(unsigned workers, unsigned tasks, std::int64_t prepare, std::int64_t kernels,
              std::int64_t epilogue) {
  Log log;
  std::vector<std::int64_t> free(workers, 0);
  std::int64_t lock_free = 0;
  for (std::uint32_t k = 0; k < tasks; ++k) {
    const auto worker = static_cast<std::uint32_t>(std::min_element(free.begin(), free.end()) - free.begin());
    const std::int64_t start = free[worker];
    const std::int64_t wait = start + prepare;
    const std::int64_t acquired = std::max(wait, lock_free);
    const std::int64_t released = acquired + kernels;
    lock_free = released;
    free[worker] = released + epilogue;
    const auto put = [&](std::int64_t ms, EventKind kind, std::string detail = {}) {
      log.events.push_back({ms * kMs, kind, std::string("j").append(std::to_string(k / 10)), k % 10, 0,
                            worker, std::move(detail)});
    };
    put(0, EventKind::kGpuQueue);
    put(start, EventKind::kGpuPickup);
    put(start, EventKind::kGpuStart);
    put(wait, EventKind::kLockWait);
    put(acquired, EventKind::kLockAcquired);
    put(acquired, EventKind::kKernelStart, "stage=all");
    put(released, EventKind::kKernelEnd, "stage=all");
    put(released, EventKind::kLockReleased);
    put(free[worker], EventKind::kEpilogueEnd);
    put(free[worker], EventKind::kGpuEnd);
  }
  return log;
}

const StageTime* stage(const Analysis& analysis, std::string_view name) {
  for (const StageTime& s : analysis.stages)
    if (s.stage == name) return &s;
  return nullptr;
}

// ---- the fixtures ----

TEST(Fixture, EveryFigureOfExpectedJson) {
  const Json expected = Json::parse(read_data("expected.json"));
  int compared = 0;
  for (const char* file : {"ancestor.log", "interlock.log"}) {
    const Json got = Json::parse(to_json(analyse(log_of(read_data(file)))));
    for (const auto& [lane, members] : expected.at(file).items())
      for (const auto& [name, value] : members.items()) {
        EXPECT_EQ(got.at(lane).at(name), value) << file << " " << lane << " " << name;
        ++compared;
      }
  }
  EXPECT_EQ(compared, 33);
}

TEST(Fixture, TheReportSaysWhatAnOperatorLooksFor) {
  const Analysis analysis = analyse(log_of(read_data("ancestor.log")));
  const std::string text = to_text(analysis);
  EXPECT_THAT(text, testing::HasSubstr("job      efficiency:  64.29 %"));
  EXPECT_THAT(text, testing::HasSubstr("lock     efficiency: not in this log"));
  EXPECT_THAT(text, testing::HasSubstr("kernel   efficiency: not in this log"));
  EXPECT_THAT(text, testing::HasSubstr("below 50 ms: 87,"));
  EXPECT_THAT(text, testing::HasSubstr("50 to 500 ms: 14,"));
  EXPECT_THAT(text, testing::HasSubstr("above 500 ms: 8,"));
  EXPECT_THAT(text,
              testing::HasSubstr("125.98 s at 32058 ms: after porep-1000-1 partition 9 (worker 0), until "
                                 "porep-1000-2 partition 0 (worker 0)"));
  EXPECT_THAT(text, testing::HasSubstr("waiting for a task included: no GPU_QUEUE events"));
  // It has no events of synthesis, so it cannot name that stage, and says so.
  EXPECT_EQ(analysis.starved_by.at(0).stage, "untraced");
}

// ---- the interlock's arithmetic ----

TEST(Interlock, OneWorkerWaitsForItsOwnCpuWork) {
  const Analysis a = analyse(interlock(1, 20, 1300, 2100, 0));
  EXPECT_EQ(a.lock->busy_ns, 20 * 2100 * kMs);
  EXPECT_EQ(a.lock->span_ns, (20 * 3400 - 1300) * kMs);
  EXPECT_EQ(a.lock->gaps.count, 19u);
  EXPECT_EQ(a.lock->gaps.total_ns, 19 * 1300 * kMs);
  EXPECT_EQ(a.lock->cross_job.count, 1u);
  EXPECT_EQ(a.lock->cross_partition.count, 18u);
  EXPECT_EQ(a.job->efficiency(), 1.0) << "a worker is always busy: this is what the older figure hides";
  ASSERT_EQ(a.starved_by.size(), 1u);
  EXPECT_EQ(a.starved_by[0].stage, "prepare");
  EXPECT_EQ(a.starved_by[0].idle_ns, 19 * 1300 * kMs);
  // Between two acquires the cycle is 3.4 s, of which the device works 2.1: 61.8 % in steady state.
  const Gap& gap = a.devices[0].lock->gap_list[5];
  EXPECT_EQ(gap.time.length(), 1300 * kMs);
  EXPECT_NEAR(2100.0 / static_cast<double>(2100 + gap.time.length() / kMs), 0.618, 0.0005);
}

TEST(Interlock, TwoWorkersKeepTheDeviceBusy) {
  const Analysis a = analyse(interlock(2, 20, 1300, 2100, 0));
  EXPECT_EQ(a.lock->efficiency(), 1.0);
  EXPECT_EQ(a.kernel->efficiency(), 1.0);
  EXPECT_EQ(a.lock->merged, 1u);
  EXPECT_TRUE(a.starved_by.empty());
  EXPECT_THAT(to_text(a), testing::HasSubstr("no stage starves the device"));
}

TEST(Interlock, TwoWorkersAndTooMuchCpuWorkNamesTheStage) {
  const Analysis before = analyse(interlock(2, 40, 4500, 2100, 0));
  ASSERT_EQ(before.starved_by.size(), 1u);
  EXPECT_EQ(before.starved_by[0].stage, "prepare");
  // Two partitions a cycle of 6.6 s: every second hand-over waits 2.4 s.
  EXPECT_EQ(before.lock->gaps.count, 19u);
  EXPECT_EQ(before.lock->gaps.total_ns, 19 * 2400 * kMs);

  const Analysis after = analyse(interlock(2, 40, 500, 2100, 4000));
  ASSERT_EQ(after.starved_by.size(), 2u);
  EXPECT_EQ(after.starved_by[0].stage, "epilogue");
  EXPECT_EQ(after.starved_by[0].idle_ns, 19 * 1900 * kMs);
  EXPECT_EQ(after.starved_by[1].stage, "prepare");
  EXPECT_EQ(after.starved_by[1].idle_ns, 19 * 500 * kMs);
}

// ---- lanes ----

TEST(Lane, LockJobAndKernelAreThreeFigures) {
  // Times out of order, as kernels are known only after their launch.
  const Analysis a = analyse(log_from(R"(
    0    GPU_START     j 0 0 0
    100  LOCK_WAIT     j 0 0 0
    100  LOCK_ACQUIRED j 0 0 0
    300  LOCK_RELEASED j 0 0 0
    400  GPU_END       j 0 0 0
    120  KERNEL_START  j 0 0 0 stage=ntt
    150  KERNEL_END    j 0 0 0 stage=ntt
    140  KERNEL_START  j 0 0 0 stage=msm
    220  KERNEL_END    j 0 0 0 stage=msm)"));
  EXPECT_EQ(a.lock->busy_ns, 200 * kMs);
  EXPECT_EQ(a.lock->span_ns, 200 * kMs);
  EXPECT_EQ(a.job->busy_ns, 400 * kMs);
  EXPECT_EQ(a.kernel->intervals, 2u);
  EXPECT_EQ(a.kernel->merged, 1u);
  EXPECT_EQ(a.kernel->busy_ns, 100 * kMs);
  EXPECT_EQ(a.kernel->span_ns, 200 * kMs) << "the span of the lock";
  EXPECT_EQ(a.kernel->efficiency(), 0.5);
  EXPECT_EQ(stage(a, "kernels")->mean_ms(), 100);
  EXPECT_EQ(stage(a, "kernel:ntt")->mean_ms(), 30);
  EXPECT_EQ(stage(a, "kernel:msm")->mean_ms(), 80);
}

TEST(Lane, GapClassesAtTheirBounds) {
  std::int64_t at = 0;
  // In nanoseconds, so that the bounds are hit exactly.
  const std::vector<std::int64_t> lengths = {49'999'999, 50'000'000, 500'000'000, 500'000'001, 0};
  Log log;
  for (std::uint32_t k = 0; k <= lengths.size(); ++k) {
    log.events.push_back({at, EventKind::kLockAcquired, "j", k, 0, 0, {}});
    at += 10;
    log.events.push_back({at, EventKind::kLockReleased, "j", k, 0, 0, {}});
    if (k < lengths.size()) at += lengths[k];
  }
  const Analysis a = analyse(log);
  EXPECT_EQ(a.lock->gaps.count, 4u) << "intervals that touch have no gap";
  EXPECT_EQ(a.lock->below_50_ms.count, 1u);
  EXPECT_EQ(a.lock->from_50_to_500_ms.count, 2u);
  EXPECT_EQ(a.lock->from_50_to_500_ms.total_ns, 550'000'000);
  EXPECT_EQ(a.lock->above_500_ms.count, 1u);
  EXPECT_EQ(a.lock->largest_gap_ns, 500'000'001);
}

TEST(Lane, GapsNameWhatEndedLastAndWhatBeganFirst) {
  const Analysis a = analyse(log_from(R"(
    0    GPU_START a 0 0 0
    500  GPU_END   a 0 0 0
    100  GPU_START a 1 1 0
    300  GPU_END   a 1 1 0
    700  GPU_START b 0 1 0
    650  GPU_START a 2 0 0
    800  GPU_END   a 2 0 0
    900  GPU_END   b 0 1 0
    1000 GPU_START c 0 0 0
    1100 GPU_END   c 0 0 0)"));
  const auto& gaps = a.devices.at(0).job->gap_list;
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].time, (Interval{500 * kMs, 650 * kMs}));
  EXPECT_EQ(gaps[0].kind, Gap::Kind::kCrossPartition);
  EXPECT_EQ(gaps[0].ended.partition, 0u);
  EXPECT_EQ(gaps[0].began.partition, 2u);
  EXPECT_EQ(gaps[1].time, (Interval{900 * kMs, 1000 * kMs}));
  EXPECT_EQ(gaps[1].kind, Gap::Kind::kCrossJob);
  EXPECT_EQ(gaps[1].ended.job, "b");
  EXPECT_EQ(gaps[1].ended.worker, 1u);
  EXPECT_EQ(gaps[1].began.job, "c");
}

TEST(Lane, SeveralDevicesCountTheIdleOne) {
  const Analysis a = analyse(log_from(R"(
    0    LOCK_ACQUIRED j 0 0 0
    1000 LOCK_RELEASED j 0 0 0
    0    LOCK_ACQUIRED j 1 0 3
    250  LOCK_RELEASED j 1 0 3)"));
  ASSERT_EQ(a.devices.size(), 2u);
  EXPECT_EQ(a.devices[1].ordinal, 3u);
  EXPECT_EQ(a.devices[1].lock->efficiency(), 1.0) << "over its own span";
  EXPECT_EQ(a.lock->devices, 2u);
  EXPECT_EQ(a.lock->span_ns, 2000 * kMs);
  EXPECT_EQ(a.lock->efficiency(), 0.625);
  EXPECT_EQ(a.lock->gaps.count, 0u);
}

TEST(Lane, WorkThatTheLogCutsOffIsLeftOutAndCounted) {
  const Analysis a = analyse(log_from(R"(
    5    LOCK_RELEASED j 0 0 0
    10   LOCK_ACQUIRED j 1 0 0
    20   LOCK_RELEASED j 1 0 0
    30   LOCK_ACQUIRED j 2 0 0
    7    KERNEL_END    j 0 0 0 stage=x
    31   KERNEL_START  j 2 0 0 stage=x)"));
  EXPECT_EQ(a.unpaired, 4u);
  EXPECT_EQ(a.lock->intervals, 1u);
  EXPECT_FALSE(a.kernel);
  EXPECT_THAT(to_text(a), testing::HasSubstr("4 events without counterpart"));
}

TEST(Lane, AnEndBeforeItsBeginIsNoInterval) {
  const Analysis a = analyse(log_from("10 LOCK_ACQUIRED j 0 0 0\n5 LOCK_RELEASED j 0 0 0"));
  EXPECT_EQ(a.unpaired, 2u);
  EXPECT_FALSE(a.lock);
}

TEST(Lane, NoEventsAndLostEvents) {
  Analysis a = analyse(Log{});
  EXPECT_FALSE(a.lock || a.job || a.kernel);
  EXPECT_TRUE(a.devices.empty());
  EXPECT_EQ(Json::parse(to_json(a))["lock"], nullptr);
  EXPECT_THAT(to_text(a), testing::HasSubstr("0 events, 0 jobs"));
  a = analyse(log_of("# lost 7\nTIMELINE,1,GPU_START,j,partition=0\nTIMELINE,1,GPU_END,j,partition=0\n"));
  EXPECT_EQ(a.lost, 7u);
  EXPECT_THAT(to_text(a), testing::HasSubstr("INCOMPLETE: the log says that 7 events are missing"));
  EXPECT_EQ(a.job->span_ns, 0);
  EXPECT_EQ(a.job->efficiency(), 1.0);
}

TEST(Lane, TimesAtBothEndsOfTheRangeDoNotOverflow) {
  const Analysis a = analyse(log_from(R"(
    -3999999999999 LOCK_ACQUIRED j 0 0 0
    3999999999999  LOCK_RELEASED j 0 0 0
    -3999999999999 LOCK_ACQUIRED j 1 0 1
    3999999999999  LOCK_RELEASED j 1 0 1)"));
  EXPECT_EQ(a.devices[0].lock->busy_ns, 2 * std::int64_t{3'999'999'999'999} * kMs);
  EXPECT_EQ(a.lock->busy_ns, INT64_MAX) << "a sum that stops at its end";
}

// ---- tasks ----

TEST(Task, ASecondTryIsAnotherTask) {
  const Analysis a = analyse(log_from(R"(
    0   SYNTH_START   j 0 5 -
    10  SYNTH_END     j 0 5 -
    10  GPU_QUEUE     j 0 - -
    12  GPU_PICKUP    j 0 0 0
    12  GPU_START     j 0 0 0
    20  GPU_END       j 0 0 0
    25  VERIFY_END    j 0 - -
    25  GPU_QUEUE     j 0 - -
    30  GPU_PICKUP    j 0 1 1
    30  GPU_START     j 0 1 1
    50  GPU_END       j 0 1 1
    60  VERIFY_END    j 0 - -
    61  JOB_DONE      j - - - state=completed)"));
  EXPECT_EQ(a.tasks, 2u);
  EXPECT_EQ(a.retries, 1u);
  EXPECT_EQ(a.jobs, 1u);
  EXPECT_EQ(a.unpaired, 0u);
  ASSERT_EQ(a.devices.size(), 2u);
  EXPECT_EQ(stage(a, "queue")->count, 2u);
  EXPECT_EQ(stage(a, "queue")->mean_ms(), 3.5);
  EXPECT_EQ(stage(a, "gpu")->mean_ms(), 14);
  EXPECT_EQ(stage(a, "verify")->max_ms, 10);
  EXPECT_EQ(stage(a, "job")->mean_ms(), 61);
}

TEST(Task, StagesInTheOrderOfTheWay) {
  const Analysis a = analyse(log_from(R"(
    0  SYNTH_START   j 0 2 -
    10 SYNTH_END     j 0 2 -
    11 GPU_QUEUE     j 0 - -
    13 GPU_PICKUP    j 0 0 0
    14 GPU_START     j 0 0 0
    17 LOCK_WAIT     j 0 0 0
    21 LOCK_ACQUIRED j 0 0 0
    26 LOCK_RELEASED j 0 0 0
    32 EPILOGUE_END  j 0 0 0
    32 GPU_END       j 0 0 0
    39 VERIFY_END    j 0 - -
    40 JOB_DONE      j - - -)"));
  const std::vector<std::pair<std::string, double>> expected = {
      {"synthesis", 10}, {"accept", 1},   {"queue", 2}, {"prepare", 3}, {"lock_wait", 4},
      {"lock_held", 5},  {"epilogue", 6}, {"gpu", 18},  {"verify", 7},  {"job", 40}};
  ASSERT_EQ(a.stages.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(a.stages[i].stage, expected[i].first);
    EXPECT_EQ(a.stages[i].mean_ms(), expected[i].second) << expected[i].first;
  }
}

TEST(Task, WithoutPartitionsWorkersTellLaunchesApart) {
  const Analysis a = analyse(log_from(R"(
    0  LOCK_ACQUIRED j - 0 0
    5  LOCK_ACQUIRED j - 1 1
    10 LOCK_RELEASED j - 0 0
    20 LOCK_RELEASED j - 1 1
    30 LOCK_ACQUIRED j - 0 0
    40 LOCK_RELEASED j - 0 0)"));
  EXPECT_EQ(a.lock->intervals, 3u);
  EXPECT_EQ(a.devices.at(0).lock->busy_ns, 20 * kMs);
  EXPECT_EQ(a.devices.at(1).lock->busy_ns, 15 * kMs);
}

TEST(Task, TurnaroundIsTheWorkersTimeAndWaitingIsNot) {
  const Analysis a = analyse(log_from(R"(
    0   GPU_QUEUE  j 0 - -
    0   GPU_PICKUP j 0 0 0
    10  GPU_END    j 0 0 0
    5   GPU_QUEUE  j 1 - -
    13  GPU_PICKUP j 1 0 0
    20  GPU_END    j 1 0 0
    120 GPU_QUEUE  j 2 - -
    121 GPU_PICKUP j 2 0 0
    130 GPU_END    j 2 0 0
    0   GPU_START  j 0 0 0
    13  GPU_START  j 1 0 0
    121 GPU_START  j 2 0 0)"));
  const Turnaround& t = a.devices.at(0).workers.at(0);
  EXPECT_EQ(t.count, 2u);
  EXPECT_EQ(t.total_ns, 4 * kMs);
  EXPECT_EQ(t.largest_ns, 3 * kMs);
  EXPECT_EQ(t.waiting_ns, 100 * kMs);
}

// ---- what starves the device ----

TEST(Starved, EveryStageOfTheWayThatAGapSpans) {
  const Analysis a = analyse(log_from(R"(
    0    GPU_PICKUP    j 0 0 0
    0    GPU_START     j 0 0 0
    0    LOCK_WAIT     j 0 0 0
    0    LOCK_ACQUIRED j 0 0 0
    1000 LOCK_RELEASED j 0 0 0
    1300 GPU_END       j 0 0 0
    1010 SYNTH_START   j 1 4 -
    1030 SYNTH_END     j 1 4 -
    1060 GPU_QUEUE     j 1 - -
    1350 GPU_PICKUP    j 1 0 0
    1356 GPU_START     j 1 0 0
    1463 LOCK_WAIT     j 1 0 0
    1471 LOCK_ACQUIRED j 1 0 0
    1500 LOCK_RELEASED j 1 0 0
    1500 GPU_END       j 1 0 0)"));
  std::map<std::string, std::int64_t> idle;
  std::int64_t total = 0;
  for (const Blame& b : a.starved_by) {
    idle[b.stage] = b.idle_ns / kMs;
    total += b.idle_ns;
  }
  EXPECT_EQ(idle, (std::map<std::string, std::int64_t>{{"admission", 10},
                                                       {"synthesis", 20},
                                                       {"accept", 30},
                                                       {"epilogue", 240},
                                                       {"pickup", 56},
                                                       {"prepare", 107},
                                                       {"handover", 8}}));
  EXPECT_EQ(total, a.lock->gaps.total_ns);
  EXPECT_EQ(a.starved_by.front().stage, "epilogue");
}

TEST(Starved, SlowSynthesisIsNamed) {
  std::string table;
  for (int k = 0; k < 6; ++k) {
    const int at = 3000 * k;
    std::string tail = " j ";
    tail += std::to_string(k);
    table += std::to_string(at) + " SYNTH_START" + tail + " 0 -\n" + std::to_string(at + 3000) +
             " SYNTH_END" + tail + " 0 -\n" + std::to_string(at + 3000) + " GPU_QUEUE" + tail + " - -\n" +
             std::to_string(at + 3000) + " GPU_PICKUP" + tail + " 0 0\n" + std::to_string(at + 3000) +
             " GPU_START" + tail + " 0 0\n" + std::to_string(at + 3100) + " LOCK_ACQUIRED" + tail + " 0 0\n" +
             std::to_string(at + 4000) + " LOCK_RELEASED" + tail + " 0 0\n" + std::to_string(at + 4000) +
             " GPU_END" + tail + " 0 0\n";
  }
  const Analysis a = analyse(log_from(table));
  EXPECT_EQ(a.starved_by.front().stage, "synthesis");
  EXPECT_THAT(to_text(a), testing::HasSubstr("starved by: synthesis"));
  EXPECT_EQ(Json::parse(to_json(a))["starved_by"][0]["stage"], "synthesis");
}

TEST(Starved, KeysHoldUpWhateverWouldHaveRun) {
  const Analysis a = analyse(log_from(R"(
    0    LOCK_ACQUIRED j 0 0 0
    100  LOCK_RELEASED j 0 0 0
    110  KEY_START - - - 0 circuit=c,what=copy
    120  LOCK_WAIT j 1 0 0
    190  KEY_END - - - 0 circuit=c,what=copy
    200  LOCK_ACQUIRED j 1 0 0
    300  LOCK_RELEASED j 1 0 0
    310  KEY_START - - - 1 circuit=c,what=copy
    340  KEY_END - - - 1 circuit=c,what=copy
    350  LOCK_WAIT j 2 0 0
    350  LOCK_ACQUIRED j 2 0 0
    400  LOCK_RELEASED j 2 0 0
    410  KEY_START - - - 0 circuit=c,what=drop)"));
  // Of the first gap 80 ms are the key's; the second one is of another device than that key.
  std::map<std::string, std::int64_t> idle;
  for (const Blame& b : a.starved_by) idle[b.stage] = b.idle_ns / kMs;
  EXPECT_EQ(idle, (std::map<std::string, std::int64_t>{{"key", 80}, {"prepare", 60}, {"handover", 10}}));
  EXPECT_EQ(a.lock->gaps.total_ns, 150 * kMs);
  EXPECT_EQ(a.lock->busy_ns, 250 * kMs);
  EXPECT_EQ(stage(a, "key:copy")->count, 2U);
  EXPECT_EQ(stage(a, "key:copy")->max_ms, 80);
  EXPECT_EQ(stage(a, "key:drop"), nullptr);
  EXPECT_EQ(a.unpaired, 1U);
}

TEST(Starved, EveryIdleNanosecondHasAName) {
  for (const char* file : {"ancestor.log", "interlock.log"}) {
    const Analysis a = analyse(log_of(read_data(file)));
    std::int64_t total = 0;
    for (const Blame& b : a.starved_by) total += b.idle_ns;
    EXPECT_EQ(total, (a.lock ? a.lock : a.job)->gaps.total_ns) << file;
  }
}

// ---- the JSON form ----

TEST(AnalysisJson, EveryGapWithBothNeighbours) {
  const Json json = Json::parse(to_json(analyse(log_of(read_data("ancestor.log")))));
  const Json& gaps = json.at("devices").at(0).at("job").at("gap_list");
  ASSERT_EQ(gaps.size(), 109u);
  std::map<std::string, int> classes, kinds;
  for (const Json& gap : gaps) {
    ++classes[gap.at("class")];
    ++kinds[gap.at("kind")];
    EXPECT_EQ(gap.at("ended").at("job") == gap.at("began").at("job"), gap.at("kind") != "cross_job");
  }
  EXPECT_EQ(classes,
            (std::map<std::string, int>{{"below_50_ms", 87}, {"50_to_500_ms", 14}, {"above_500_ms", 8}}));
  EXPECT_EQ(kinds, (std::map<std::string, int>{{"cross_job", 10}, {"cross_partition", 99}}));
  EXPECT_EQ(json.at("job").at("cross_job").at("count"), 10);
  EXPECT_EQ(json.at("job").at("cross_partition").at("count"), 99);
}

TEST(Intervals, MergeAndCovered) {
  const std::vector<Interval> merged = merge({{10, 20}, {0, 5}, {20, 30}, {12, 13}, {40, 40}});
  EXPECT_EQ(merged, (std::vector<Interval>{{0, 5}, {10, 30}, {40, 40}}));
  EXPECT_EQ(covered(merged, {0, 40}), 25);
  EXPECT_EQ(covered(merged, {3, 12}), 4);
  EXPECT_EQ(covered(merged, {5, 10}), 0);
  EXPECT_EQ(covered({}, {0, 10}), 0);
}

}  // namespace
}  // namespace cuzk::timeline
