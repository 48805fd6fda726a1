#include "cuzk/base/positioned_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace cuzk {
namespace {

class PositionedFileTest : public testing::Test {
 protected:
  PositionedFileTest() { std::ofstream(path_) << "0123456789"; }
  ~PositionedFileTest() override { std::filesystem::remove(path_); }

  std::string path_ =
      (std::filesystem::temp_directory_path() / ("cuzk-positioned-" + std::to_string(::getpid()))).string();
};

TEST_F(PositionedFileTest, ReadsAtOffsets) {
  const PositionedFile file = PositionedFile::open(path_).value();
  EXPECT_EQ(file.size(), 10U);
  std::array<std::uint8_t, 3> bytes{};
  ASSERT_TRUE(file.read(7, bytes));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 3>{'7', '8', '9'}));
  EXPECT_TRUE(file.read(10, {}));
  const auto beyond = file.read(8, bytes);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, ErrorCode::kBadInput);
}

TEST_F(PositionedFileTest, AFileThatShrinksIsAnErrorNamingTheOffset) {
  const PositionedFile file = PositionedFile::open(path_).value();
  std::filesystem::resize_file(path_, 4);
  std::array<std::uint8_t, 3> bytes{};
  EXPECT_TRUE(file.read(1, bytes));
  const auto gone = file.read(3, bytes);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, "'" + path_ + "' ends before offset 4, it had 10 bytes when it was opened");
}

TEST_F(PositionedFileTest, AFileThatIsReplacedStaysAsItWas) {
  const PositionedFile file = PositionedFile::open(path_).value();
  std::ofstream(path_ + ".other") << "x";
  std::filesystem::rename(path_ + ".other", path_);
  std::array<std::uint8_t, 1> bytes{};
  ASSERT_TRUE(file.read(9, bytes));
  EXPECT_EQ(bytes[0], '9');
}

TEST_F(PositionedFileTest, OnlyRegularFiles) {
  for (const std::string& path : {path_ + ".none", std::string("/tmp"), std::string("/dev/null")}) {
    const auto file = PositionedFile::open(path);
    ASSERT_FALSE(file) << path;
    EXPECT_EQ(file.error().code, ErrorCode::kIo);
  }
}

}  // namespace
}  // namespace cuzk
