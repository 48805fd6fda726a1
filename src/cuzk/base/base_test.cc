#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "cuzk/base/hex.h"
#include "cuzk/base/mapped_file.h"
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

TEST(MappedFile, WriteThenMap) {
  const std::string path = testing::TempDir() + "/cuzk_mapped_file_test";
  const std::vector<std::uint8_t> bytes{1, 2, 3};
  ASSERT_TRUE(write_file_atomically(path, bytes));
  auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), file->bytes().begin(), file->bytes().end()));
  ASSERT_TRUE(write_file_atomically(path, {}));
  EXPECT_EQ(file->bytes().size(), 3U) << "an open mapping keeps the file it was made from";
  EXPECT_EQ(MappedFile::open(path)->bytes().size(), 0U);
  std::filesystem::remove(path);
}

TEST(MappedFile, PipeIsRefusedWithoutWaitingForAWriter) {
  const std::string path = testing::TempDir() + "/cuzk_mapped_file_pipe";
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(MappedFile::open(path).error().message.find("not a regular file"), std::string::npos);
  std::filesystem::remove(path);
}

TEST(MappedFile, ErrorsNameThePath) {
  EXPECT_NE(MappedFile::open("/no/such/file").error().message.find("/no/such/file"), std::string::npos);
  EXPECT_NE(MappedFile::open("/tmp").error().message.find("folder"), std::string::npos);
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
