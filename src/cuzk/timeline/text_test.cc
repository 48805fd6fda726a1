#include "cuzk/timeline/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "cuzk/timeline/json.h"

namespace cuzk::timeline {
namespace {

using testing::HasSubstr;

std::string error_of(std::string_view text) {
  const Result<Log> log = parse_log(std::string(text) + "\n");
  EXPECT_FALSE(log) << text;
  if (log) return {};
  EXPECT_EQ(log.error().code, ErrorCode::kBadInput);
  return log.error().message;
}

TEST(Lines, TheFieldsOfALine) {
  const auto event =
      parse_line("TIMELINE,4050.25,GPU_END,porep-1000-1,partition=3,gpu_ms=2100.5,worker=1,device=7");
  ASSERT_TRUE(event);
  EXPECT_EQ(event->time_ns, 4'050'250'000);
  EXPECT_EQ(event->kind, EventKind::kGpuEnd);
  EXPECT_EQ(event->job, "porep-1000-1");
  EXPECT_EQ(event->partition, 3u);
  EXPECT_EQ(event->worker, 1u);
  EXPECT_EQ(event->device, 7u);
  EXPECT_EQ(event->detail, "gpu_ms=2100.5");
}

TEST(Lines, DetailMayBeEmptyOrMissing) {
  for (const char* line : {"TIMELINE,5,JOB_DONE,j,", "TIMELINE,5,JOB_DONE,j"}) {
    const auto event = parse_line(line);
    ASSERT_TRUE(event) << line;
    EXPECT_EQ(event->detail, "");
    EXPECT_FALSE(event->partition);
  }
}

TEST(Lines, TimesAreExactToTheNanosecond) {
  const auto time = [](const std::string& text) {
    const auto event = parse_line("TIMELINE," + text + ",JOB_DONE,j,");
    return event ? event->time_ns : -1;
  };
  EXPECT_EQ(time("0"), 0);
  EXPECT_EQ(time("0.000001"), 1);
  EXPECT_EQ(time("1.5"), 1'500'000);
  EXPECT_EQ(time("1.0000019"), 1'000'001);  // past the nanosecond: cut
  EXPECT_EQ(time("-0.5"), -500'000);
  EXPECT_EQ(time("1700000000000.123456"), 1'700'000'000'000'123'456);  // the wall clock fits as well
  EXPECT_EQ(time("3999999999999.999999"), 3'999'999'999'999'999'999);
}

TEST(Lines, WrittenAndReadBackIsTheSame) {
  Event event{.time_ns = 93'120'500'001,
              .kind = EventKind::kKernelStart,
              .job = "01HXYZ",
              .partition = 15,
              .device = 2,
              .worker = 1,
              .detail = "stage=msm_h,bytes=123"};
  for (int i = 0; i < 4; ++i) {
    const std::string line = format_line(event);
    const auto again = parse_line(line);
    ASSERT_TRUE(again) << line;
    EXPECT_EQ(*again, event) << line;
    if (i == 0) event.detail.clear();
    if (i == 1) event.partition.reset();
    if (i == 2) event.device.reset(), event.worker.reset();
  }
  EXPECT_EQ(format_line(event), "TIMELINE,93120.500001,KERNEL_START,01HXYZ,");
}

TEST(Lines, NamesOfJobsCannotBreakALine) {
  Event event{.kind = EventKind::kJobDone, .job = "a,b\nTIMELINE", .detail = "note=x\ry"};
  EXPECT_EQ(format_line(event), "TIMELINE,0,JOB_DONE,a_b_TIMELINE,note=x_y");
  event.job.clear();
  EXPECT_EQ(format_line(event), "TIMELINE,0,JOB_DONE,-,note=x_y");
}

TEST(Lines, WhatIsWrongIsNamedWithItsLine) {
  const std::string good = "TIMELINE,1,GPU_START,j,partition=0\n";
  EXPECT_THAT(error_of(good + "\n# comment\nTIMELNE,1,GPU_END,j,\n"),
              HasSubstr("line 4: does not begin with"));
  EXPECT_THAT(error_of("hello"), HasSubstr("line 1: does not begin with 'TIMELINE,': 'hello'"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END"), HasSubstr("fewer fields"));
  EXPECT_THAT(error_of("TIMELINE,1"), HasSubstr("fewer fields"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,,"), HasSubstr("job: is empty"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_STRAT,j,"), HasSubstr("event: no event is called 'GPU_STRAT'"));
  for (const char* time : {"", "x", "1.", ".5", "1e3", "+1", "--1", "0x1", "1.2.3", " 1", "1 "})
    EXPECT_THAT(error_of("TIMELINE," + std::string(time) + ",GPU_END,j,"), HasSubstr("time: "));
  for (const char* time : {"4000000000000", "99999999999999999999", "-4000000000000"})
    EXPECT_THAT(error_of("TIMELINE," + std::string(time) + ",GPU_END,j,"), HasSubstr("out of range"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,partition"), HasSubstr("detail: 'partition' is not key=value"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,=3"), HasSubstr("is not key=value"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,a=1,,b=2"), HasSubstr("is not key=value"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,a=1,"), HasSubstr("ends with a comma"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,device=-1"), HasSubstr("'device=-1' is no number of 32 bits"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,worker=4294967296"), HasSubstr("no number of 32 bits"));
  EXPECT_THAT(error_of("TIMELINE,1,GPU_END,j,partition=1,partition=1"), HasSubstr("'partition' comes twice"));
  // A message quotes a hostile line without its control characters and not at full length.
  const std::string message = error_of("\x1b[31m" + std::string(1000, 'x'));
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(message.size(), 200u);
}

TEST(Lines, CommentsEmptyLinesAndLineEnds) {
  const auto log =
      parse_log("# a comment\r\n\r\nTIMELINE,1,GPU_START,j,partition=0\r\n# lost 12\n# lost x\n# lost 3\n");
  ASSERT_TRUE(log);
  ASSERT_EQ(log->events.size(), 1u);
  EXPECT_EQ(log->events[0].partition, 0u);
  EXPECT_EQ(log->lost, 15u);
  EXPECT_TRUE(parse_log("")->events.empty());
  // However the last line was cut: one event less, and said to be lost.
  const std::string whole = "TIMELINE,1,GPU_START,j,partition=0\n";
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const auto log_of_killed = parse_log(whole + whole.substr(0, cut));
    ASSERT_TRUE(log_of_killed) << cut;
    EXPECT_EQ(log_of_killed->events.size(), 1u);
    EXPECT_EQ(log_of_killed->lost, 1u);
  }
  EXPECT_FALSE(parse_log("no timeline at all"));
  EXPECT_EQ(parse_log(format_lost(UINT64_MAX) + "\n" + format_lost(2))->lost, UINT64_MAX);
}

TEST(Json, StringsOfAnyBytes) {
  const auto json = [](std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
  };
  EXPECT_EQ(json("plain"), "\"plain\"");
  EXPECT_EQ(json("a\"b\\c\n\x7f"), "\"a\\\"b\\\\c\\u000a\\u007f\"");
  EXPECT_EQ(json("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"), "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"");
  EXPECT_EQ(json("\xff"), "\"\\ufffd\"");
  EXPECT_EQ(json("\xc3"), "\"\\ufffd\"");                                     // cut short
  EXPECT_EQ(json("\xc0\x80"), "\"\\ufffd\\ufffd\"");                          // longer than needed
  EXPECT_EQ(json("\xed\xa0\x80"), "\"\\ufffd\\ufffd\\ufffd\"");               // a surrogate
  EXPECT_EQ(json("\xf4\x90\x80\x80x"), "\"\\ufffd\\ufffd\\ufffd\\ufffdx\"");  // past the last code point
}

TEST(Json, TheEventFeed) {
  Recorder recorder(2);
  recorder.record({.time_ns = 1, .kind = EventKind::kGpuQueue, .job = "old"});
  recorder.record({.time_ns = 93'120'500'000,
                   .kind = EventKind::kGpuStart,
                   .job = "j\"1",
                   .partition = 3,
                   .device = 0,
                   .worker = 1,
                   .detail = "gpu_ms=2.5"});
  recorder.record({.time_ns = -1, .kind = EventKind::kJobDone, .job = "j\"1", .detail = "state=completed"});
  const std::string text = events_json("01HX", 93'127'250'000, 0, recorder.since(0), recorder.recorded());
  const auto expected =
      nlohmann::json::parse(R"({"instance": "01HX", "now_ms": 93127.25, "since": 0, "next": 3,
    "lost": 1, "recorded": 3, "events": [[93120.5, "GPU_START", "j\"1", 3, 0, 1, "gpu_ms=2.5"],
    [-0.000001, "JOB_DONE", "j\"1", null, null, null, "state=completed"]]})");
  EXPECT_EQ(nlohmann::json::parse(text), expected);
  const auto empty = nlohmann::json::parse(events_json("", 0, 3, recorder.since(3), 3));
  EXPECT_EQ(empty["events"], nlohmann::json::array());
}

}  // namespace
}  // namespace cuzk::timeline
