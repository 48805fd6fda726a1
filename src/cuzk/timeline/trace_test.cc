#include "cuzk/timeline/trace.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cuzk/timeline/rows.h"

namespace cuzk::timeline {
namespace {

using Json = nlohmann::json;

constexpr const char* kLog = R"(TIMELINE,0,SYNTH_START,j,partition=0,worker=3
TIMELINE,10,SYNTH_END,j,partition=0,worker=3
TIMELINE,10,GPU_QUEUE,j,partition=0
TIMELINE,11,GPU_PICKUP,j,partition=0,worker=1,device=2
TIMELINE,11,GPU_START,j,partition=0,worker=1,device=2
TIMELINE,13,LOCK_WAIT,j,partition=0,worker=1,device=2
TIMELINE,13.5,LOCK_ACQUIRED,j,partition=0,worker=1,device=2
TIMELINE,14,KERNEL_START,j,partition=0,worker=1,device=2,stage=msm
TIMELINE,15,KERNEL_START,j,partition=0,worker=1,device=2,stage=ntt
TIMELINE,16,KERNEL_END,j,partition=0,worker=1,device=2,stage=msm
TIMELINE,17,KERNEL_END,j,partition=0,worker=1,device=2,stage=ntt
TIMELINE,18,LOCK_RELEASED,j,partition=0,worker=1,device=2
TIMELINE,19.000001,EPILOGUE_END,j,partition=0,worker=1,device=2
TIMELINE,19.000001,GPU_END,j,partition=0,worker=1,device=2
TIMELINE,21,VERIFY_END,j,partition=0
TIMELINE,22,JOB_DONE,j,state=completed
)";

TEST(Trace, EverySpanOnItsLane) {
  const auto log = parse_log(kLog);
  ASSERT_TRUE(log);
  const Json trace = Json::parse(to_trace(*log));
  EXPECT_EQ(trace.at("displayTimeUnit"), "ms");
  std::map<std::pair<int, std::int64_t>, std::string> threads;
  std::map<int, std::string> processes;
  for (const Json& event : trace.at("traceEvents")) {
    if (event["ph"] != "M") continue;
    if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
    if (event["name"] == "thread_name") threads[{event["pid"], event["tid"]}] = event["args"]["name"];
  }
  std::vector<std::string> spans;
  int flows = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "s" || event["ph"] == "f") ++flows;
    if (event["ph"] != "X") continue;
    std::ostringstream out;
    out << processes.at(event["pid"]) << "/" << threads.at({event["pid"], event["tid"]}) << ": "
        << event["name"].get<std::string>() << " " << event["ts"].get<double>() << "+"
        << event["dur"].get<double>();
    spans.push_back(out.str());
    EXPECT_EQ(event["args"]["job"], "j");
    EXPECT_EQ(event["args"]["partition"], 0);
  }
  const std::vector<std::string> expected = {
      "synthesis/row 0: j #0 0+10000",         "device 2/worker 1: j #0 11000+8000",
      "device 2/worker 1: prepare 11000+2000", "device 2/worker 1: lock wait 13000+500",
      "device 2/worker 1: lock 13500+4500",    "device 2/worker 1: epilogue 18000+1000",
      "device 2/lock: j #0 13500+4500",        "device 2/kernels 0: msm 14000+2000",
      "device 2/kernels 1: ntt 15000+2000",    "verification/row 0: j #0 19000+2000"};
  EXPECT_EQ(spans, expected);
  EXPECT_EQ(flows, 2);
}

TEST(Trace, SpansOfOneThreadNestOrFollow) {
  std::ostringstream text;
  text << std::ifstream(std::string(CUZK_TEST_DATA) + "/timeline/interlock.log").rdbuf();
  const auto log = parse_log(text.str());
  ASSERT_TRUE(log);
  std::map<std::pair<int, std::int64_t>, std::vector<std::pair<double, double>>> threads;
  const Json trace = Json::parse(to_trace(*log));
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "X")
      threads[{event["pid"], event["tid"]}].emplace_back(
          event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
  EXPECT_EQ(threads.size(), 3u);  // two workers and the lock
  for (const auto& [thread, spans] : threads)
    for (const auto& a : spans)
      for (const auto& b : spans)
        EXPECT_FALSE(a.first < b.first && b.first < a.second && a.second < b.second)
            << a.first << " " << a.second << " " << b.first << " " << b.second;
}

TEST(Rows, TheLowestThatIsFree) {
  EXPECT_EQ(assign_rows({{0, 10}, {0, 5}, {5, 8}, {7, 9}, {10, 12}}),
            (std::vector<std::size_t>{0, 1, 1, 2, 0}));
  EXPECT_TRUE(assign_rows({}).empty());
}

}  // namespace
}  // namespace cuzk::timeline
