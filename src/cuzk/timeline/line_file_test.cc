#include "cuzk/timeline/line_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cuzk/timeline/text.h"

namespace cuzk::timeline {
namespace {

class LineFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("cuzk-line-file-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
    path_ = folder_ / "timeline.log";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string content() const {
    std::ostringstream out;
    out << std::ifstream(path_).rdbuf();
    return out.str();
  }

  std::filesystem::path folder_;
  std::string path_;
};

Event numbered(std::uint32_t n) {
  return {.time_ns = n, .kind = EventKind::kGpuStart, .job = "j", .partition = n};
}

TEST_F(LineFileTest, EveryEventIsThereAfterClose) {
  Recorder recorder(10'000);
  recorder.record(numbered(0));
  auto file = LineFile::open(recorder, path_);
  ASSERT_TRUE(file);
  for (std::uint32_t n = 1; n < 5000; ++n) recorder.record(numbered(n));
  ASSERT_TRUE((*file)->close());
  ASSERT_TRUE((*file)->close());
  const auto log = parse_log(content());
  ASSERT_TRUE(log);
  EXPECT_EQ(log->lost, 0u);
  ASSERT_EQ(log->events.size(), 5000u);
  for (std::uint32_t n = 0; n < 5000; ++n) EXPECT_EQ(log->events[n], numbered(n));
}

TEST_F(LineFileTest, ALineThatWasCutIsTakenAway) {
  Recorder recorder(16);
  recorder.record(numbered(1));
  std::ofstream(path_) << format_line(numbered(0)) << "\nTIMELINE,1,GPU_STA";
  auto file = LineFile::open(recorder, path_);
  ASSERT_TRUE(file);
  EXPECT_FALSE((*file)->close());  // one event is missing
  EXPECT_EQ(content(), format_line(numbered(0)) + "\n# lost 1\n" + format_line(numbered(1)) + "\n");

  // But not what is somebody else's.
  std::ofstream(path_) << "my only copy";
  auto other = LineFile::open(recorder, path_);
  ASSERT_TRUE(other);
  (void)(*other)->close();
  EXPECT_TRUE(content().starts_with("my only copy"));
}

TEST_F(LineFileTest, AppendsToWhatIsThere) {
  Recorder recorder(16);
  std::ofstream(path_) << "# before\n";
  for (std::uint32_t n = 0; n < 2; ++n) {
    auto file = LineFile::open(recorder, path_);
    ASSERT_TRUE(file);
    recorder.record(numbered(n));
    ASSERT_TRUE((*file)->close());
  }
  // The second writer begins with the oldest event of the recorder, which the first one wrote as well.
  EXPECT_EQ(content(), "# before\n" + format_line(numbered(0)) + "\n" + format_line(numbered(0)) + "\n" +
                           format_line(numbered(1)) + "\n");
}

TEST_F(LineFileTest, WhatWasOverwrittenBeforeItOpenedIsNotItsLoss) {
  Recorder recorder(2);
  for (std::uint32_t n = 0; n < 5; ++n) recorder.record(numbered(n));
  auto file = LineFile::open(recorder, path_);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->close());
  EXPECT_EQ(content(), format_line(numbered(3)) + "\n" + format_line(numbered(4)) + "\n");
}

TEST_F(LineFileTest, AFullDiskIsReportedWithTheNumberOfMissingEvents) {
  Recorder recorder(16);
  auto file = LineFile::open(recorder, "/dev/full");
  ASSERT_TRUE(file);
  for (std::uint32_t n = 0; n < 3; ++n) recorder.record(numbered(n));
  const Result<void> closed = (*file)->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code, ErrorCode::kIo);
  EXPECT_NE(closed.error().message.find("'/dev/full': 3 events are missing: No space"), std::string::npos)
      << closed.error().message;
}

TEST_F(LineFileTest, APipeIsNotWaitedFor) {
  Recorder recorder(16);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto unread = LineFile::open(recorder, pipe);
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().message, "'" + pipe + "' is a pipe or a socket; events are written to a file");
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_FALSE(LineFile::open(recorder, pipe));
  ::close(reader);
}

TEST_F(LineFileTest, AFolderThatIsNotThereIsAnErrorWithItsName) {
  Recorder recorder(16);
  const auto file = LineFile::open(recorder, (folder_ / "none" / "x").string());
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kIo);
  EXPECT_NE(file.error().message.find("none/x"), std::string::npos);
}

}  // namespace
}  // namespace cuzk::timeline
