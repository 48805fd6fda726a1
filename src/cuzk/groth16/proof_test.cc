#include "cuzk/groth16/proof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/test_support.h"

namespace cuzk::groth16 {
namespace {

using testing::HasSubstr;

std::vector<std::uint8_t> hex(const std::string& text) {
  return from_hex(text).value();
}

class ProofBytesTest : public testing::Test {
 protected:
  /// The cubic toy's proof with `bytes` put at `offset`.
  std::vector<std::uint8_t> with(std::size_t offset, const std::vector<std::uint8_t>& bytes) const {
    auto out = good_;
    std::copy(bytes.begin(), bytes.end(), out.begin() + static_cast<std::ptrdiff_t>(offset));
    return out;
  }
  void expect_error(const std::vector<std::uint8_t>& bytes, const std::string& where,
                    const std::string& why) {
    const auto result = decode_proof(bytes);
    ASSERT_FALSE(result) << where << why;
    EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(result.error().message, HasSubstr(where));
    EXPECT_THAT(result.error().message, HasSubstr(why));
  }
  static std::vector<std::uint8_t> padded(const std::string& front, std::size_t size,
                                          const std::string& back = "") {
    std::vector<std::uint8_t> out = hex(front);
    const auto tail = hex(back);
    out.resize(size - tail.size());
    out.insert(out.end(), tail.begin(), tail.end());
    return out;
  }

  std::vector<std::uint8_t> good_ = test::load_toy("cubic").proof;
};

TEST_F(ProofBytesTest, RoundTrip) {
  const auto proof = decode_proof(good_);
  ASSERT_TRUE(proof) << proof.error().message;
  const ProofBytes bytes = encode_proof(*proof);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), good_.begin(), good_.end()));
}

TEST_F(ProofBytesTest, ExactLengthOnly) {
  for (const std::size_t size : {0UL, 1UL, 191UL, 193UL, 384UL}) {
    auto bytes = good_;
    bytes.resize(size);
    expect_error(bytes, "a proof has 192 bytes", "this has " + std::to_string(size));
  }
}

/// groth16-and-formats 6.3, rows 1 to 13.
TEST_F(ProofBytesTest, MalformedElements) {
  const std::string p_plus_4 =
      "9a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaaf";
  const std::string order_11 =
      "b9b3e2c8c6bbf59d3c326b531fc1e639d29200c28624ac604f251a12908c9b7f735318617f625954cc71cdf03229b1ef";
  const std::string g1_plus_order_3 =
      "85020378a6838af221e734b3a81940eb3ff19c2a7f8cf26150dfc38fc41c37551dc92bb5593d30d4dfc2ee4bb09ad05b";
  for (const auto& [element, offset] : {std::pair{"A", 0UL}, {"C", 144UL}}) {
    const std::string where = "element " + std::string(element) + " at byte " + std::to_string(offset);
    auto bytes = good_;
    bytes[offset] &= 0x7f;
    expect_error(bytes, where, "compress");
    expect_error(with(offset, padded("c0", 48)), where, "infinity");
    expect_error(with(offset, padded("e0", 48)), where, "infinity");
    expect_error(with(offset, padded("c0", 48, "01")), where, "infinity");
    expect_error(with(offset, hex(p_plus_4)), where, "modulus");
    expect_error(with(offset, padded("80", 48, "01")), where, "curve");
    expect_error(with(offset, padded("80", 48, "04")), where, "subgroup");
    expect_error(with(offset, hex(order_11)), where, "subgroup");
    expect_error(with(offset, padded("80", 48)), where, "subgroup");
    expect_error(with(offset, hex(g1_plus_order_3)), where, "subgroup");
  }
  const std::string where = "element B at byte 48";
  auto bytes = good_;
  bytes[48] &= 0x7f;
  expect_error(bytes, where, "compress");
  bytes = good_;
  bytes[96] |= 0x80;  // a flag-like bit in x.c0
  expect_error(bytes, where, "modulus");
  expect_error(with(48, padded("c0", 96)), where, "infinity");
  expect_error(with(48, padded("80", 96)), where, "curve");
  expect_error(with(48, padded("80", 96, "02")), where, "subgroup");
}

TEST_F(ProofBytesTest, SeveralPartitions) {
  std::vector<std::uint8_t> two = good_;
  two.insert(two.end(), good_.begin(), good_.end());
  const auto proofs = decode_proofs(two, 2);
  ASSERT_TRUE(proofs);
  EXPECT_EQ(proofs->size(), 2U);
  EXPECT_FALSE(decode_proofs(two, 1));
  EXPECT_FALSE(decode_proofs(two, 3));
  EXPECT_FALSE(decode_proofs(ByteSpan(two).first(383), 2));
  two[192] &= 0x7f;
  EXPECT_THAT(decode_proofs(two, 2).error().message, HasSubstr("partition 1: proof element A"));
  EXPECT_TRUE(decode_proofs({}, 0).value().empty());
}

}  // namespace
}  // namespace cuzk::groth16
