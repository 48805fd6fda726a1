#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "cuzk/base/base64.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/gzip.h"
#include "cuzk/base/input_file.h"
#include "cuzk/base/random.h"

namespace cuzk {
namespace {

using testing::TempDir;

std::vector<std::uint8_t> bytes_of(std::string_view text) {
  return {text.begin(), text.end()};
}

std::vector<std::uint8_t> random_bytes(std::size_t size, std::uint64_t seed) {
  TestRandom rng(seed);
  std::vector<std::uint8_t> out(size);
  for (auto& b : out) b = static_cast<std::uint8_t>(rng.next());
  return out;
}

TEST(Base64, Rfc4648Vectors) {
  const std::pair<const char*, const char*> cases[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [plain, text] : cases) {
    EXPECT_EQ(base64_encode(bytes_of(plain)), text);
    EXPECT_EQ(*base64_decode(text), bytes_of(plain));
  }
}

TEST(Base64, RoundTripsEveryLengthAndInPieces) {
  for (std::size_t size = 0; size < 200; ++size) {
    const auto bytes = random_bytes(size, size);
    const std::string text = base64_encode(bytes);
    EXPECT_EQ(*base64_decode(text), bytes);
    for (const std::size_t piece : {3UL, 4UL, 8UL, 30UL, 500UL}) {
      Base64Reader reader(text);
      std::vector<std::uint8_t> joined;
      std::vector<std::uint8_t> buffer(piece);
      while (true) {
        auto n = reader.read(buffer);
        ASSERT_TRUE(n);
        if (*n == 0) break;
        joined.insert(joined.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(*n));
      }
      EXPECT_EQ(joined, bytes);
    }
  }
}

TEST(Base64, RefusesAndNamesTheOffset) {
  const std::pair<const char*, const char*> cases[] = {
      {"Zm9", "length 3"},      {"Zm9v Zm9", "offset 4"}, {"Zm9vZm-v", "offset 6"},  {"Zg==Zm9v", "offset 2"},
      {"Zm9vZ===", "offset 5"}, {"====", "offset 0"},     {"Zm9\n", "offset 3"},     {"Zh==", "offset 1"},
      {"Zm9=", "offset 2"},     {"Zg=v", "offset 2"},     {"\xc3\xa9vv", "offset 0"}};
  for (const auto& [text, part] : cases) {
    const auto result = base64_decode(text);
    ASSERT_FALSE(result) << text;
    EXPECT_NE(result.error().message.find(part), std::string::npos) << text << ": " << result.error().message;
  }
}

TEST(Base64, EveryByteOutsideTheAlphabetIsRefusedInEveryPlace) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int c = 0; c < 256; ++c)
    for (std::size_t place = 0; place < 4; ++place) {
      std::string text(8, 'A');
      text[place] = static_cast<char>(c);
      EXPECT_EQ(base64_decode(text).has_value(), alphabet.find(static_cast<char>(c)) != std::string::npos);
    }
}

TEST(Gzip, RoundTripAndMembers) {
  for (const std::size_t size : {0UL, 1UL, 100000UL}) {
    const auto bytes = random_bytes(size, 1);
    auto packed = *gzip(bytes);
    EXPECT_TRUE(is_gzip(packed));
    EXPECT_EQ(*gunzip(packed, size), bytes);
    const auto second = *gzip(bytes_of("tail"));
    packed.insert(packed.end(), second.begin(), second.end());
    auto both = bytes;
    for (const char c : {'t', 'a', 'i', 'l'}) both.push_back(static_cast<std::uint8_t>(c));
    EXPECT_EQ(*gunzip(packed, size + 4), both);
  }
}

TEST(Gzip, LimitsTheOutput) {
  const std::vector<std::uint8_t> zeros(1 << 20);
  const auto packed = *gzip(zeros);
  EXPECT_TRUE(gunzip(packed, zeros.size()));
  const auto refused = gunzip(packed, zeros.size() - 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("more than 1048575 bytes"), std::string::npos);
  EXPECT_FALSE(gunzip(packed, 0));
}

TEST(Gzip, RefusesDamage) {
  const auto packed = *gzip(random_bytes(5000, 2));
  for (std::size_t keep = 0; keep < packed.size(); keep += keep < 40 || keep + 40 > packed.size() ? 1 : 97)
    EXPECT_FALSE(gunzip(ByteSpan(packed).first(keep), 1 << 20)) << keep;
  for (const std::size_t at : {0UL, 1UL, 2UL, packed.size() - 1, packed.size() - 8, packed.size() / 2}) {
    auto damaged = packed;
    damaged[at] ^= 0x10;
    EXPECT_FALSE(gunzip(damaged, 1 << 20)) << at;
  }
  auto longer = packed;
  longer.push_back(0);
  EXPECT_NE(gunzip(longer, 1 << 20).error().message.find("after the end"), std::string::npos);
}

TEST(InputFile, ReadsPlainAndInflatesGzip) {
  const std::string path = TempDir() + "/cuzk_input_file_test";
  const auto bytes = random_bytes(3000, 3);
  for (const auto& stored : {bytes, *gzip(bytes)}) {
    ASSERT_TRUE(write_file_atomically(path, stored));
    const auto file = InputFile::open(path);
    ASSERT_TRUE(file);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), file->bytes().begin(), file->bytes().end()));
    EXPECT_TRUE(InputFile::open(path, bytes.size()));
    const auto refused = InputFile::open(path, bytes.size() - 1);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find(path), std::string::npos);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace cuzk
