#include "cuzk/base/file_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

#include "cuzk/base/input_file.h"

namespace cuzk {
namespace {

/// Both ways of keeping the data until commit(): a file without a name and one with a temporary name.
class FileSinkTest : public testing::TestWithParam<bool> {
 protected:
  FileSinkTest() {
    std::string pattern = testing::TempDir() + "/cuzk_file_sink_XXXXXX";
    CUZK_CHECK(::mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
  }
  ~FileSinkTest() override { std::filesystem::remove_all(folder_); }

  static Result<FileSink> create(const std::string& path) {
    return GetParam() ? FileSink::create_named(path) : FileSink::create(path);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_ + "/" + name; }
  static std::string content(const std::string& path) {
    const auto read = FileBytes::read(path, std::size_t{1} << 30);
    if (!read) return read.error().message;
    return {read->bytes().begin(), read->bytes().end()};
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> out;
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      out.insert(entry.path().filename().string());
    return out;
  }

  std::string folder_;
};

TEST_P(FileSinkTest, PiecesAreSeenWholeAfterCommit) {
  ASSERT_TRUE(write_file_atomically(file("a"), byte_span("old")));
  auto sink = create(file("a"));
  ASSERT_TRUE(sink) << sink.error().message;
  ASSERT_TRUE(sink->write(byte_span("new ")));
  ASSERT_TRUE(sink->write({}));
  ASSERT_TRUE(sink->write(byte_span("text")));
  EXPECT_EQ(content(file("a")), "old");
  ASSERT_TRUE(sink->commit());
  EXPECT_EQ(content(file("a")), "new text");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
  struct stat info {};
  ASSERT_EQ(::stat(file("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0600U, 0600U);
  EXPECT_EQ(info.st_nlink, 1U);
}

TEST_P(FileSinkTest, WithoutCommitNothingIsLeft) {
  {
    auto sink = create(file("a"));
    ASSERT_TRUE(sink);
    ASSERT_TRUE(sink->write(byte_span("text")));
    // Where the file system can keep a file without a name, not even SIGKILL would leave one.
    const int unnamed = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY, 0600);
    if (unnamed >= 0) ::close(unnamed);
    EXPECT_EQ(names().size(), GetParam() || unnamed < 0 ? 1U : 0U);
  }
  EXPECT_TRUE(names().empty());
}

TEST_P(FileSinkTest, SinksOfOnePathDoNotMix) {
  auto one = create(file("a"));
  auto two = create(file("a"));
  ASSERT_TRUE(one && two);
  ASSERT_TRUE(one->write(byte_span("1111")));
  ASSERT_TRUE(two->write(byte_span("22")));
  ASSERT_TRUE(one->write(byte_span("11")));
  ASSERT_TRUE(two->commit());
  EXPECT_EQ(content(file("a")), "22");
  ASSERT_TRUE(one->commit());
  EXPECT_EQ(content(file("a")), "111111");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_P(FileSinkTest, MovesWithItsFile) {
  std::optional<FileSink> kept;
  {
    auto sink = create(file("a"));
    ASSERT_TRUE(sink);
    ASSERT_TRUE(sink->write(byte_span("one ")));
    kept.emplace(std::move(*sink));
  }
  ASSERT_TRUE(kept->write(byte_span("two")));
  ASSERT_TRUE(kept->commit());
  kept.reset();
  EXPECT_EQ(content(file("a")), "one two");
}

TEST_P(FileSinkTest, TargetsThatCannotBe) {
  for (const std::string& path : {file("no/such/folder"), folder_, std::string("/dev/null")}) {
    const auto sink = create(path);
    ASSERT_FALSE(sink) << path;
    EXPECT_EQ(sink.error().code, ErrorCode::kIo);
    EXPECT_NE(sink.error().message.find(path), std::string::npos) << sink.error().message;
  }
  EXPECT_TRUE(names().empty());
}

TEST_P(FileSinkTest, FailedWrite) {
  // The limit on file sizes stands for the full disk.
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit limit{1000, old_limit.rlim_max};
  {
    auto sink = create(file("a"));
    ASSERT_TRUE(sink);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    const auto result = sink->write(std::vector<std::uint8_t>(2000));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find(file("a")), std::string::npos);
  }
  std::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(names().empty());
}

INSTANTIATE_TEST_SUITE_P(Temporary, FileSinkTest, testing::Bool(),
                         [](const auto& test) { return test.param ? "Named" : "Unnamed"; });

}  // namespace
}  // namespace cuzk
