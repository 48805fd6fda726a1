#include "cuzk/server/log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cuzk::server {
namespace {

using std::chrono::microseconds;
using std::chrono::system_clock;

const system_clock::time_point kTime = system_clock::time_point(microseconds(1'764'439'426'000'042));

TEST(Log, TextQuotesWhatNeedsIt) {
  EXPECT_EQ(format_log_line(LogFormat::kText, kTime, LogLevel::kInfo, "job accepted",
                            {{"job", "01AB"}, {"ms", 12}, {"ok", true}, {"empty", ""}}),
            "2025-11-29T18:03:46.000042Z INFO job accepted job=01AB ms=12 ok=true empty=\"\"");
  EXPECT_EQ(
      format_log_line(LogFormat::kText, kTime, LogLevel::kWarn, "x", {{"request", "wdpost-1-[0 1] \"q\""}}),
      "2025-11-29T18:03:46.000042Z WARN x request=\"wdpost-1-[0 1] \\\"q\\\"\"");
}

TEST(Log, NoRequestIdForgesALine) {
  const std::string id = "a\n2025-11-29T18:03:46.000042Z ERROR forged\r\x1b[31m";
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string line = format_log_line(format, kTime, LogLevel::kInfo, "m\nn", {{"request", id}});
    for (const char c : line) EXPECT_GE(static_cast<unsigned char>(c), ' ') << line;
  }
}

TEST(Log, JsonReadsBack) {
  const std::string line =
      format_log_line(LogFormat::kJson, kTime, LogLevel::kError, "it \"broke\"\n",
                      {{"file", "a\\b\t\xff"}, {"n", -3}, {"big", ~0ULL}, {"flag", false}});
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["ts"], "2025-11-29T18:03:46.000042Z");
  EXPECT_EQ(json["level"], "error");
  EXPECT_EQ(json["msg"], "it \"broke\"\n");
  EXPECT_EQ(json["file"], "a\\b\t\xef\xbf\xbd");
  EXPECT_EQ(json["n"], -3);
  EXPECT_EQ(json["big"], ~0ULL);
  EXPECT_EQ(json["flag"], false);
}

TEST(Log, LinesOfPeersAreLimitedAndCounted) {
  using std::chrono::milliseconds;
  LineLimit limit(2);
  const LineLimit::Time begin{std::chrono::hours(1)};
  EXPECT_TRUE(limit.take(begin));
  EXPECT_TRUE(limit.take(begin + milliseconds(900)));
  EXPECT_EQ(limit.left_out(begin + milliseconds(2000)), 0U);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(limit.take(begin + milliseconds(999)));
  EXPECT_EQ(limit.left_out(begin + milliseconds(999)), 0U) << "there may be more";
  EXPECT_EQ(limit.left_out(begin + milliseconds(1000)), 3U);
  EXPECT_EQ(limit.left_out(begin + milliseconds(1001)), 0U) << "said once";
  EXPECT_TRUE(limit.take(begin + milliseconds(1000)));
  EXPECT_TRUE(limit.take(begin + milliseconds(1000)));
  EXPECT_FALSE(limit.take(begin + milliseconds(1999)));
}

}  // namespace
}  // namespace cuzk::server
