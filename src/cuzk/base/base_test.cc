#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/base/random.h"

namespace cuzk {
namespace {

TEST(Hex, RoundTripAndErrors) {
  const std::vector<std::uint8_t> bytes{0x00, 0x7f, 0x80, 0xff};
  EXPECT_EQ(to_hex(bytes), "007f80ff");
  EXPECT_EQ(*from_hex("007F80ff"), bytes);
  EXPECT_NE(from_hex("0g").error().message.find("position 1"), std::string::npos);
  EXPECT_FALSE(from_hex("abc"));
  EXPECT_FALSE(bytes32_from_hex("ab"));
}

class FileBytesTest : public testing::Test {
 protected:
  ~FileBytesTest() override { std::filesystem::remove(path_); }
  static std::vector<std::uint8_t> copy(const FileBytes& file) {
    return {file.bytes().begin(), file.bytes().end()};
  }
  const std::string path_ = testing::TempDir() + "/cuzk_file_bytes_" + std::to_string(::getpid());
  const std::vector<std::uint8_t> bytes_{1, 2, 3};
};

/// A mapping would end the process here.
TEST_F(FileBytesTest, StayWhenTheFileShrinks) {
  ASSERT_TRUE(write_file_atomically(path_, bytes_));
  const auto file = FileBytes::read(path_, 3);
  ASSERT_TRUE(file);
  std::filesystem::resize_file(path_, 0);
  EXPECT_EQ(copy(*file), bytes_);
  EXPECT_EQ(FileBytes::read(path_, 0)->bytes().size(), 0U);
}

TEST_F(FileBytesTest, NoMemoryForAFileBeyondTheLimit) {
  std::ofstream(path_) << "";
  std::filesystem::resize_file(path_, std::uintmax_t{1} << 36);  // sparse
  const auto refused = FileBytes::read(path_, 1000);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(refused.error().message,
            "'" + path_ + "' has 68719476736 bytes, more than the largest file of its kind (1000)");
  EXPECT_FALSE(InputFile::open(path_, 1000));
}

TEST_F(FileBytesTest, PipeIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_NE(FileBytes::read(path_, 10).error().message.find("not a regular file"), std::string::npos);
}

TEST_F(FileBytesTest, ErrorsNameThePath) {
  EXPECT_NE(FileBytes::read("/no/such/file", 10).error().message.find("/no/such/file"), std::string::npos);
  EXPECT_NE(FileBytes::read("/tmp", 10).error().message.find("folder"), std::string::npos);
  EXPECT_EQ(write_file_atomically("/no/such/folder/x", {}).error().code, ErrorCode::kIo);
}

TEST(Random, FillsEverything) {
  std::array<std::uint8_t, 64> a{};
  std::array<std::uint8_t, 64> b{};
  ASSERT_TRUE(os_random(a));
  ASSERT_TRUE(os_random(b));
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace cuzk
