#include "cuzk/timeline/gantt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace cuzk::timeline {
namespace {

using testing::HasSubstr;
using testing::Not;

Log log_of(std::string_view text) {
  Result<Log> log = parse_log(text);
  EXPECT_TRUE(log);
  return std::move(log).value();
}

Log fixture(const std::string& name) {
  std::ostringstream text;
  text << std::ifstream(std::string(CUZK_TEST_DATA) + "/timeline/" + name).rdbuf();
  return log_of(text.str());
}

std::string svg_of(const Log& log) {
  return to_svg(log, analyse(log));
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(Gantt, RowsBarsAndFigures) {
  const Log log = fixture("interlock.log");
  const std::string svg = svg_of(log);
  for (const char* row : {"device 0 worker 0", "device 0 worker 1", "device 0 lock"})
    EXPECT_THAT(svg, HasSubstr(row));
  EXPECT_THAT(svg, HasSubstr("efficiency: lock 100.00 %, job 100.00 %, kernel not in this log"));
  // 30 partitions: each held the lock once, drawn in its own lane and in the worker's.
  EXPECT_EQ(count(svg, "<title>lock held: "), 60u);
  EXPECT_EQ(count(svg, "<title>worker: "), 30u);
  EXPECT_THAT(
      svg, HasSubstr("<title>lock held: porep-1000-1, partition 0, 2100 ms, from 1300 to 3400 ms</title>"));
  EXPECT_EQ(count(svg, "<title>idle "), 0u);
}

TEST(Gantt, BarsAreWhereTheirTimesSay) {
  const std::string svg = svg_of(log_of(R"(TIMELINE,1000,LOCK_ACQUIRED,j,partition=0,worker=0,device=0
TIMELINE,1250,LOCK_RELEASED,j,partition=0,worker=0,device=0
TIMELINE,1750,LOCK_ACQUIRED,j,partition=1,worker=0,device=0
TIMELINE,2000,LOCK_RELEASED,j,partition=1,worker=0,device=0
)"));
  // A second is 1400 pixels, from 230 on.
  EXPECT_THAT(svg, HasSubstr("x=\"230.00\" y=\"56.00\" width=\"350.00\""));
  EXPECT_THAT(svg, HasSubstr("x=\"1280.00\" y=\"56.00\" width=\"350.00\""));
  EXPECT_THAT(svg,
              HasSubstr("x=\"580.00\" y=\"53.00\" width=\"700.00\" height=\"22.00\"><title>idle 500 ms"));
  EXPECT_THAT(svg, HasSubstr("50.00 %"));
}

TEST(Gantt, NamesOfJobsAreText) {
  const std::string svg =
      svg_of(log_of("TIMELINE,0,LOCK_ACQUIRED,<script>&\"\xff,partition=0\n"
                    "TIMELINE,5,LOCK_RELEASED,<script>&\"\xff,partition=0\n"));
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;?"));
  EXPECT_THAT(svg, Not(HasSubstr("<script>")));
}

TEST(Gantt, SizeIsBoundedByTheWidthNotByTheLog) {
  Log log;
  for (std::uint32_t k = 0; k < 20'000; ++k) {
    log.events.push_back({k * 2000, EventKind::kLockAcquired, "j", k, 0, 0, {}});
    log.events.push_back({k * 2000 + 1000, EventKind::kLockReleased, "j", k, 0, 0, {}});
  }
  // At most five bars a pixel in each of three classes.
  const std::size_t drawn = count(svg_of(log), "<rect");
  EXPECT_LT(drawn, 1400u * 5 * 3);
  EXPECT_GT(drawn, 1000u);
}

TEST(Gantt, SizeIsBoundedByTheNumberOfRows) {
  Log log;
  for (std::uint32_t k = 0; k < 600; ++k) {
    log.events.push_back({0, EventKind::kSynthStart, "j", k, {}, k, {}});
    log.events.push_back({1000, EventKind::kSynthEnd, "j", k, {}, k, {}});
  }
  const std::string svg = svg_of(log);
  EXPECT_EQ(count(svg, "<rect"), kMaxRows);
  EXPECT_THAT(svg, HasSubstr("344 more rows are not drawn"));
}

TEST(Gantt, NothingToDraw) {
  EXPECT_THAT(svg_of(Log{}), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace cuzk::timeline
