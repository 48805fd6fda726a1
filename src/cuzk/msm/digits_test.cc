#include "cuzk/msm/internal/digits.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/msm/test_points.h"

namespace cuzk::msm_detail {
namespace {

/// The value of the digits, as a field element.
Fr value(const SignedWindows& windows, const std::vector<DigitCode>& codes) {
  const Fr radix = Fr::from_u64(std::uint64_t{1} << windows.bits());
  Fr sum = Fr::zero();
  for (std::size_t w = codes.size(); w-- > 0;) {
    const Fr magnitude = Fr::from_u64(codes[w] >> 1);
    sum = sum * radix + ((codes[w] & 1) != 0 ? -magnitude : magnitude);
  }
  return sum;
}

TEST(SignedWindows, DigitsAddUpToTheScalar) {
  TestRandom random(1);
  std::vector<Fr> scalars = test_scalars(200, random);
  const Fr half =
      Fr::from_int({{0x7fffffff80000000, 0xa9ded2017fff2dff, 0x199cec0404d0ec02, 0x39f6d3a994cebea4}});
  EXPECT_EQ(half.dbl(), -Fr::one());
  for (const Fr& s : {Fr::zero(), Fr::one(), -Fr::one(), half, half + Fr::one()}) scalars.push_back(s);
  for (unsigned bits = 1; bits <= 24; ++bits) {
    const SignedWindows windows(bits);
    EXPECT_LE(windows.count(), 255 / bits + 2);
    EXPECT_GE(windows.count() * bits, 254U);
    // Values with every digit at its limits: 2^bits - 1 and 2^(bits-1) in each window.
    std::vector<Fr> all = scalars;
    Fr power = Fr::one();
    for (unsigned w = 0; w + 1 < windows.count(); ++w) {
      all.push_back(power * Fr::from_u64((std::uint64_t{1} << bits) - 1));
      all.push_back(power * Fr::from_u64(std::uint64_t{1} << (bits - 1)));
      all.push_back(power * Fr::from_u64((std::uint64_t{1} << (bits - 1)) + 1));
      power *= Fr::from_u64(std::uint64_t{1} << bits);
    }
    for (const Fr& s : all) {
      std::vector<DigitCode> codes(windows.count());
      windows.recode(s.to_int(), codes.data(), 1);
      for (const DigitCode code : codes) EXPECT_LE(code >> 1, windows.buckets());
      EXPECT_EQ(value(windows, codes), s) << bits;
    }
  }
}

TEST(SignedWindows, SmallScalarsHaveFewDigits) {
  for (unsigned bits = 2; bits <= 24; ++bits) {
    const SignedWindows windows(bits);
    std::vector<DigitCode> codes(windows.count());
    const auto non_zero = [&](const Fr& s) {
      windows.recode(s.to_int(), codes.data(), 1);
      unsigned count = 0;
      for (const DigitCode code : codes) count += code > 1;
      return count;
    };
    EXPECT_EQ(non_zero(Fr::zero()), 0U);
    EXPECT_EQ(non_zero(-Fr::one()), non_zero(Fr::one()));
    EXPECT_EQ(non_zero(Fr::one()), 1U);
  }
}

}  // namespace
}  // namespace cuzk::msm_detail
