#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/random.h"
#include "cuzk/cpu/features.h"
#include "cuzk/hash/blake2.h"
#include "cuzk/hash/chacha.h"
#include "cuzk/hash/sha256.h"

namespace cuzk {
namespace {

// Message byte i is i mod 251; digests from Python's hashlib.
struct DigestCase {
  std::size_t length;
  const char* sha256;
  const char* blake2b_256_keyed;  // key 00 01 .. 1f
  const char* blake2s_256;
};
constexpr DigestCase kDigests[] = {
    {0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "4e51e7a913fc80137da52880fecca175bf81e117d5c68126dc2774033517ea0d",
     "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"},
    {1, "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
     "41ff93a4eaeebd3b78a93438a6f62a92ab5959c859e682b72c7def406197ca4d",
     "e34d74dbaf4ff4c6abd871cc220451d2ea2648846c7757fbaac82fe51ad64bea"},
    {63, "29af2686fd53374a36b0846694cc342177e428d1647515f078784d69cdb9e488",
     "2f3d96ae02f0a33fa3334ed73a04491abc99362d1e99c19fcc85946f4107c528",
     "e57cb79487dd57902432b250733813bd96a84efce59f650fac26e6696aefafc3"},
    {64, "fdeab9acf3710362bd2658cdc9a29e8f9c757fcf9811603a8c447cd1d9151108",
     "7f46f043d63dfb3c9b1102c8824b632cae1fce453e3c0e9dc9e7113f3c1acc36",
     "56f34e8b96557e90c1f24b52d0c89d51086acf1b00f634cf1dde9233b8eaaa3e"},
    {65, "4bfd2c8b6f1eec7a2afeb48b934ee4b2694182027e6d0fc075074f2fabb31781",
     "22111bcd342824a749da73e21ca988495214710c81bb4a05ebf3c443e17be8c5",
     "1b53ee94aaf34e4b159d48de352c7f0661d0a40edff95a0b1639b4090e974472"},
    {127, "92ca0fa6651ee2f97b884b7246a562fa71250fedefe5ebf270d31c546bfea976",
     "12879e69734944f25f9ed95cbfdbb3659a307e485ed8ec118ce7c60f107357f1",
     "f18417b39d617ab1c18fdf91ebd0fc6d5516bb34cf39364037bce81fa04cecb1"},
    {128, "471fb943aa23c511f6f72f8d1652d9c880cfa392ad80503120547703e56a2be5",
     "138893f1631ef3165629515d6ed800da3771b7926dced294205c7507351deebc",
     "1fa877de67259d19863a2a34bcc6962a2b25fcbf5cbecd7ede8f1fa36688a796"},
    {129, "5099c6a56203f9687f7d33f4bfdf576d31dc91f6b695ecea38b2770c87631135",
     "ca60f75cbb714330c046d8f28b4ed351a3ee81776bb02a96abb646fe573e3d5c",
     "5bd169e67c82c2c2e98ef7008bdf261f2ddf30b1c00f9e7f275bb3e8a28dc9a2"},
    {255, "857df204175f077a9986709897f00ee0bcc0449585248e4b42498337e9329999",
     "5de94a8a1a2649b337aadbf67a17cc7f3ff63d6c70b84179a3db0614a1cab865",
     "d96772649409d6df967e34e7aee3902033b81d7d44f1943e0c0a5f8057f774b8"},
    {256, "5bc31b283cef0072274e97d74916552954c935794536cab632641e5ea071379d",
     "da3bcd809850732f09afb9c749da4fc019f47d0ea35a28282f482ef5ffd91378",
     "6b58271b163ae846666204a78e4dc65ab390d510ab1091422cca43577252b016"},
    {257, "a2c6cad2ffa699b14538231fef914f45d30440389e6f8d79091efba836165a2b",
     "2ab00e85cc9d8b39f1570b3bedf7aa7434624efdd07eb8b3a705dd65ffc4d87a",
     "e53360e4f163abf9d15a2baa557cd68e803cbf56be042cf0614352b12ab07995"},
    {1000, "4e4c294b331f7a2099a379bec34b9f9fc03dc46ab465d998f4d683da53487e6d",
     "bf9c0d3a2590251349ad634ad07f03958d0be63d5f9533daf62752de734b2c76",
     "1c067a5e746fb0f6734efac9a8cdb0e11061f0077f255184365c690115392501"},
};

std::vector<std::uint8_t> counting(std::size_t length) {
  std::vector<std::uint8_t> out(length);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<std::uint8_t>(i % 251);
  return out;
}

std::vector<std::uint8_t> key_of(std::size_t length) {
  std::vector<std::uint8_t> out(length);
  for (std::size_t i = 0; i < length; ++i) out[i] = static_cast<std::uint8_t>(i);
  return out;
}

TEST(Hashes, DigestsAroundBlockBoundaries) {
  for (const DigestCase& c : kDigests) {
    const auto message = counting(c.length);
    EXPECT_EQ(to_hex(sha256(message)), c.sha256) << c.length;
    EXPECT_EQ(to_hex(blake2b_256(message, key_of(32))), c.blake2b_256_keyed) << c.length;
    EXPECT_EQ(to_hex(blake2s_256(message)), c.blake2s_256) << c.length;
  }
}

TEST(Hashes, StreamingInPiecesGivesTheSameDigest) {
  const auto message = counting(1000);
  for (const std::size_t piece : {1UL, 3UL, 63UL, 64UL, 65UL, 128UL, 999UL}) {
    Sha256 sha;
    Blake2b b(32, key_of(32));
    Blake2s s;
    for (std::size_t at = 0; at < message.size(); at += piece) {
      const ByteSpan part = ByteSpan(message).subspan(at, std::min(piece, message.size() - at));
      sha.update(part);
      b.update(part);
      s.update(part);
    }
    Bytes32 b_digest;
    Bytes32 s_digest;
    b.finish(b_digest);
    s.finish(s_digest);
    const DigestCase& want = kDigests[std::size(kDigests) - 1];
    EXPECT_EQ(to_hex(sha.finish()), want.sha256) << piece;
    EXPECT_EQ(to_hex(b_digest), want.blake2b_256_keyed) << piece;
    EXPECT_EQ(to_hex(s_digest), want.blake2s_256) << piece;
  }
}

TEST(Hashes, LongestKeysAndDigests) {
  const auto message = counting(100);
  std::array<std::uint8_t, 64> wide;
  Blake2b b(64, key_of(64));
  b.update(message);
  b.finish(wide);
  EXPECT_EQ(to_hex(wide),
            "8d568c7984f0ecdf7640fbc483b5d8c9f86634f6f43291841b309a350ab9c113"
            "7d24066b09da9944bac54d5bb6580d836047aac74ab724b887ebf93d4b32eca9");
  EXPECT_EQ(to_hex(blake2s_256(message, key_of(32))),
            "c376617014d20158bced3d3ba552b6eccf84e62aa3eb650e90029c84d13eea69");
  const std::array<std::uint8_t, 3> abc{'a', 'b', 'c'};
  EXPECT_EQ(to_hex(blake2b_512(abc)),
            "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
            "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

TEST(Sha256, MillionLetters) {
  const std::vector<std::uint8_t> message(1000000, 'a');
  EXPECT_EQ(to_hex(sha256(message)), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PairIsTheHashOfBothHalves) {
  const auto message = counting(64);
  Bytes32 left;
  Bytes32 right;
  std::copy_n(message.begin(), 32, left.begin());
  std::copy_n(message.begin() + 32, 32, right.begin());
  EXPECT_EQ(sha256_pair(left, right), sha256(message));
}

TEST(Sha256, ProcessorExtensionMatchesPortable) {
  if (!cpu_features().sha_ni) GTEST_SKIP() << "no SHA extensions on this processor";
  TestRandom rng(7);
  for (const std::size_t blocks : {1UL, 2UL, 5UL, 20UL}) {
    std::vector<std::uint8_t> message(64 * blocks);
    for (auto& b : message) b = static_cast<std::uint8_t>(rng.next());
    Sha256State portable;
    for (auto& w : portable) w = static_cast<std::uint32_t>(rng.next());
    Sha256State extension = portable;
    detail::sha256_compress_portable(portable, message.data(), blocks);
    detail::sha256_compress_sha_ni(extension, message.data(), blocks);
    EXPECT_EQ(portable, extension);
  }
}

TEST(ChaCha, Rfc8439Block) {
  Bytes32 key;
  for (std::size_t i = 0; i < 32; ++i) key[i] = static_cast<std::uint8_t>(i);
  const std::array<std::uint8_t, 12> nonce{0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0};
  EXPECT_EQ(to_hex(ChaCha::ietf(20, key, nonce).block(1)),
            "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
            "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e");
}

TEST(ChaCha, EightRoundsZeroKey) {
  const ChaCha chacha = ChaCha::with_stream(8, Bytes32{}, 0);
  EXPECT_EQ(to_hex(chacha.block(0)),
            "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
            "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42");
  ChaChaReader reader(chacha);
  EXPECT_EQ(reader.next_u64(), 0xd6405f892fef003eU);
  for (int i = 1; i < 8; ++i) reader.next_u64();
  const auto second = chacha.block(1);
  EXPECT_EQ(reader.next_u64(), load_le<std::uint64_t>(second.data())) << "the second block follows the first";
  EXPECT_NE(ChaCha::with_stream(8, Bytes32{}, 1).block(0), chacha.block(0));
  EXPECT_NE(chacha.block(std::uint64_t{1} << 32), chacha.block(0)) << "the counter has 64 bits";
}

}  // namespace
}  // namespace cuzk
