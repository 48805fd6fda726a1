#include "cuzk/config/units.h"

#include <gtest/gtest.h>

namespace cuzk {
namespace {

using std::chrono::milliseconds;

TEST(Units, SizesReadAsWritten) {
  EXPECT_EQ(parse_size("0").value(), 0U);
  EXPECT_EQ(parse_size("512").value(), 512U);
  EXPECT_EQ(parse_size("512B").value(), 512U);
  EXPECT_EQ(parse_size("5GiB").value(), 5ULL << 30);
  EXPECT_EQ(parse_size("5 GiB").value(), 5ULL << 30);
  EXPECT_EQ(parse_size("64MB").value(), 64'000'000U);
  EXPECT_EQ(parse_size("1TiB").value(), 1ULL << 40);
  EXPECT_EQ(parse_size("18446744073709551615").value(), ~0ULL);
  EXPECT_EQ(parse_size("16777215TiB").value(), 16777215ULL << 40);
}

TEST(Units, WhatIsNoSizeIsRefused) {
  for (const char* text : {"", " 5GiB", "GiB", "-1", "+1", "5gib", "5G", "5  GiB", "5GiB ", "5 ", "1.5GiB",
                           "0x10", "18446744073709551616", "16777216TiB", "auto", "5GiBs"})
    EXPECT_FALSE(parse_size(text)) << text;
  const std::string message = parse_size("5 gigs").error().message;
  EXPECT_NE(message.find("'5 gigs'"), std::string::npos) << message;
}

TEST(Units, DurationsReadAsWritten) {
  EXPECT_EQ(parse_duration("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_duration("30s").value(), milliseconds(30'000));
  EXPECT_EQ(parse_duration("5m").value(), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1h").value(), milliseconds(3'600'000));
  EXPECT_EQ(parse_duration("0s").value(), milliseconds(0));
  EXPECT_EQ(parse_duration("87600h").value(), std::chrono::hours(87600));
}

TEST(Units, WhatIsNoDurationIsRefused) {
  for (const char* text :
       {"", "5", "s", "-5s", "5 minutes", "5M", "1.5h", "1h30m", "87601h", "99999999999999999999s"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Units, WhatIsWrittenReadsBack) {
  for (const std::uint64_t bytes : {0ULL, 1ULL, 1000ULL, 1024ULL, 5ULL << 30, (1ULL << 40) + 1, ~0ULL})
    EXPECT_EQ(parse_size(format_size(bytes)).value(), bytes);
  for (const std::int64_t ms : {0LL, 1LL, 999LL, 1000LL, 61'000LL, 3'600'000LL, 3'600'001LL})
    EXPECT_EQ(parse_duration(format_duration(milliseconds(ms))).value(), milliseconds(ms));
  EXPECT_EQ(format_size(5ULL << 30), "5GiB");
  EXPECT_EQ(format_duration(std::chrono::minutes(5)), "5m");
}

}  // namespace
}  // namespace cuzk
