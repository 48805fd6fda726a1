#include "cuzk/server/log.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

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

/// A pipe, or a pair of sockets.
class Ends {
 public:
  explicit Ends(bool sockets) {
    const int made =
        sockets ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds_.data()) : ::pipe(fds_.data());
    EXPECT_EQ(made, 0);
  }
  ~Ends() {
    ::close(fds_[0]);
    close_writer();
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;
  [[nodiscard]] int writer() const { return fds_[1]; }
  void close_writer() {
    if (fds_[1] >= 0) ::close(std::exchange(fds_[1], -1));
  }
  /// Until the writer is closed.
  [[nodiscard]] std::string read() const {
    std::string out;
    std::array<char, 65536> some{};
    for (;;) {
      const ssize_t n = ::read(fds_[0], some.data(), some.size());
      if (n > 0)
        out.append(some.data(), static_cast<std::size_t>(n));
      else if (n == 0 || errno != EAGAIN)
        return out;
    }
  }

 private:
  std::array<int, 2> fds_{-1, -1};
};

/// The numbers of the lines "line n=NUMBER"; of a line that says how many are missing, minus that.
std::vector<long> numbers(const std::string& text) {
  std::vector<long> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t missing = line.find(" WARN lines of this log are missing: ");
    const std::size_t at = line.rfind('=');
    if (at == std::string::npos) {
      ADD_FAILURE() << line;
      break;
    }
    out.push_back(std::stol(line.substr(at + 1)) * (missing == std::string::npos ? 1 : -1));
  }
  return out;
}

TEST(Log, EverythingIsWrittenInOrder) {
  for (const bool sockets : {false, true}) {
    Ends ends(sockets);
    std::string text;
    std::thread reader([&] { text = ends.read(); });
    {
      Log log(LogLevel::kInfo, LogFormat::kText, ends.writer());
      for (int n = 0; n < 5000; ++n) log.info(n % 1000 == 7 ? std::string(10'000, 'x') : "line", {{"n", n}});
    }
    ends.close_writer();
    reader.join();
    std::vector<long> all(5000);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(numbers(text), all);
  }
}

TEST(Log, NobodyWaitsForWhoDoesNotReadIt) {
  Ends ends(false);
  std::string text;
  std::thread reader;
  constexpr int kLines = 100'000;
  {
    Log log(LogLevel::kInfo, LogFormat::kText, ends.writer());
    for (int n = 0; n < kLines; ++n) log.info("line", {{"n", n}, {"text", std::string(60, 'y')}, {"n", n}});
    log.flush(std::chrono::milliseconds(1));
    reader = std::thread([&] { text = ends.read(); });
    log.flush(std::chrono::seconds(60));
    log.info("line", {{"n", kLines}});
  }
  ends.close_writer();
  reader.join();
  long next = 0;
  bool some_missing = false;
  for (const long n : numbers(text)) {
    if (n >= 0) {
      ASSERT_EQ(n, next);
    }
    some_missing = some_missing || n < 0;
    next += n < 0 ? -n : 1;
  }
  EXPECT_EQ(next, kLines + 1);
  EXPECT_TRUE(some_missing);
}

}  // namespace
}  // namespace cuzk::server
