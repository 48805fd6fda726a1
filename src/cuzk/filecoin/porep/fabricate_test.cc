#include "cuzk/filecoin/porep/fabricate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

std::string digest(ByteSpan bytes) {
  return to_hex(sha256(bytes));
}

std::vector<Node> challenges_of(const C1Output& c1, unsigned partition) {
  return derive_challenges(c1.config, c1.statement().challenge_inputs(), partition);
}

TEST(Fabricate, FillerValues) {
  const auto fill = [](std::string_view tag, std::vector<std::uint64_t> numbers) {
    return to_hex(filler(tag, numbers));
  };
  EXPECT_EQ(fill("data", {0}), "fa9f54e41bedce7e045abd5a0b6bdbe54578d16f61285fe9e4b81f64bd5cc501");
  EXPECT_EQ(fill("row", {39, 0}), "fcbba38e5e4f44fc0ddf0696b5a5a9a8f3aa498bbde3c358885f2649be24ec3b");
  EXPECT_EQ(fill("C", {1, 0}), "f7aad55c7c097ab0331177bba2b373eada786e32e7e88127f2611f969aa0c519");
  EXPECT_EQ(fill("R", {0, 0}), "884b1c5f6e1170e5e9cace68c3ce8cd851d0b9c6c3da84188a2bdab3a892be1f");
}

// Golden sectors of porep 14.6; where the reference's text is in the fixtures, its digest is the same.
struct Golden {
  unsigned number;
  std::uint64_t bytes;
  const char* comm_d;
  const char* replica_id;
  const char* comm_r;
  std::vector<Node> challenges;
  std::size_t json_size;
  const char* json_sha256;  // null: no registered type
  std::size_t bincode_size;
  const char* bincode_sha256;
};

const Golden kSmall[] = {{5,
                          2048,
                          "cb40a7b5b4f22fd9febd1661f61bec023425107c68f9a67fe32dbe030a253b13",
                          "f38f849ffd95f4dbd48f084ddcea4194e003005ae2f91fd6d097d4e811ef7838",
                          "bfc973b3886335ec2982ede437be6b311772b676a420f2b3f03fb080aa1a0f3c",
                          {40, 51},
                          99477,
                          "ccc5a1dff27e0e1f09e6b9856302f4f236af9316905f887c99e7a0836f22f361",
                          28248,
                          "aed0864953e1a300601e5ae9fd4868d8c7d430b03657b9aa635da32df6b12d70"},
                         {0,
                          2048,
                          "cb40a7b5b4f22fd9febd1661f61bec023425107c68f9a67fe32dbe030a253b13",
                          "ade39595dedc94f392558badb439d8b62101324b9b0078939d519806b2f91708",
                          "b9d608da0269da30d07d3c4f049d3cd8da037b2728c6e14d27e237682fd3952a",
                          {2, 49},
                          100561,
                          "453e45aff63808702f1433c628d3677c6d0d31d839d1e80ac250c0b2289fd011",
                          28248,
                          "3a0e5ec3289f78bbad613f0409699181d7ad0451c07c3ffd2f0f5f5fa89cb108"},
                         {6,
                          8388608,
                          "ae8c2d4783af4fb939f55256bc561cbb09df92373dbd785d168561cd09c9a73b",
                          "d58ffc094b6b64128b64f4eb6250fb7cfffde3f9a3468212da4253bb0d34381e",
                          "190b5f51505c5bdcaf529fca6c4c2b784fd9ac49aa714600cc0ee236fe91ea43",
                          {198803, 244146},
                          209585,
                          "202340a09a9a75a1d7091a216fd6420ef133adf1b87d4d7a407c7549d8355398",
                          60120,
                          "837624d408aa70ad930e732bf34227245c3671c8944ba3f3c146a8d78cdf82bb"},
                         {7,
                          536870912,
                          "11a40ab7795f5dfee047ad0a3f9c6c24d0e9c47e8fb0e5a3ecce007ad4ddfd15",
                          "bb1c42ba31d9615b0ced3848c9656afd2a84c9e35b85ff325bb32341371d6520",
                          "d06b8dc7d90c55279be5541be63e7ca43a05cba90135cb7e963dd4224cf6a065",
                          {10712740, 12740790},
                          265316,
                          "e79ecf084d8e4953b15b0830867971cfa8763c1ccb9486e2e416c14a3d46b52d",
                          76056,
                          "b68f951bb503a91fdc0844227cc208f914db3483c7f80898e74a3c544bf33efb"},
                         {99,
                          4096,
                          "ec997332b96fbde50734f43df155a66e20cbb0c15017dd7e2523a6a1e77c4b2f",
                          "a3be12ced34bc582d24b4559ab52ce20c15a1569770f2484f6879a170894083d",
                          "d191dd71cb503c1702b46da8566522c525b24b698ddf0ddde4f09433c5084261",
                          {56, 50},
                          0,
                          nullptr,
                          30136,
                          "e28af056fba325afa0f4fa8633cdf6e403830cd4679fb9d024b704b14b5abdb2"},
                         {98,
                          16384,
                          "22d56313791073a416eeceed14b24ba6ae640b43d01f7e31742437acd7977430",
                          "ba57f684cb092614bb735033d50a858ee0d1fafe8665af78cd7a4222ef68542d",
                          "54068d4a4a7e0a80c91dd8f7b9ee3f6c8cb58127530639567cac840c90cbee0d",
                          {110, 65},
                          0,
                          nullptr,
                          36472,
                          "61c8f911465911d94000843605a947cf764c5f37388cbbeb493bb98d2397f507"},
                         {97,
                          32768,
                          "1a4f170167cd0c4928d359c848d720e387fe3fa93d3fe75e3796112d9692fb00",
                          "1109adc51df1d95526c9965b8ecb6255612d04ac7feb75905cdef3582e650d33",
                          "c1d513569043b7d326e2199ec716024e9096749d2a4419b6a419d316ffcbeb06",
                          {621, 512},
                          0,
                          nullptr,
                          38360,
                          "ab20aadf3c6033e5d089f7e7959adb8fa379f3dbe6fab6b2406cb2466516de1e"}};

TEST(Fabricate, GoldenSectorsByteForByte) {
  ThreadPool pool(2);
  for (const Golden& want : kSmall) {
    SCOPED_TRACE(want.number);
    const RegisteredSealProof* registered = find_seal_proof(want.number);
    const PorepConfig config =
        registered != nullptr ? porep_config(*registered) : *unregistered_config(want.bytes, want.number);
    const auto c1 = fabricate_sector(pool, config, SectorIdentity::reference());
    ASSERT_TRUE(c1) << c1.error().message;
    EXPECT_EQ(to_hex(c1->comm_d), want.comm_d);
    EXPECT_EQ(to_hex(c1->replica_id), want.replica_id);
    EXPECT_EQ(to_hex(c1->comm_r), want.comm_r);
    EXPECT_EQ(challenges_of(*c1, 0), want.challenges);
    if (want.json_sha256 != nullptr) {
      const std::string text = write_c1_json(*c1);
      EXPECT_EQ(text.size(), want.json_size);
      EXPECT_EQ(digest(byte_span(text)), want.json_sha256);
      EXPECT_TRUE(parse_c1_json(byte_span(text))->output.vanilla == c1->vanilla);
    }
    const auto bincode = write_c1_bincode(*c1);
    EXPECT_EQ(bincode.size(), want.bincode_size);
    EXPECT_EQ(digest(bincode), want.bincode_sha256);
    const auto verified = verify_vanilla(pool, *c1);
    EXPECT_TRUE(verified) << verified.error().message;
    EXPECT_TRUE(verify_replica_id(*c1, 1000, 7));
  }
}

// The reference's own texts of the same sectors.
TEST(Fabricate, FixtureTexts) {
  ThreadPool pool(2);
  const std::pair<unsigned, const char*> cases[] = {{5, "2k"}, {0, "2k-v1"}, {6, "8m"}, {7, "512m"}};
  for (const auto& [number, name] : cases) {
    const auto file = InputFile::open(std::string(CUZK_TEST_DATA) + "/synth/" + name + ".c1.json.gz");
    ASSERT_TRUE(file);
    const auto c1 =
        fabricate_sector(pool, porep_config(*find_seal_proof(number)), SectorIdentity::reference());
    const std::string text = write_c1_json(*c1);
    EXPECT_TRUE(std::equal(text.begin(), text.end(), file->bytes().begin(), file->bytes().end(),
                           [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }));
  }
}

// Sizes without golden values: they hold together.
TEST(Fabricate, OtherSizesVerify) {
  ThreadPool pool(2);
  for (const auto& [bytes, number] : {std::pair<std::uint64_t, std::uint64_t>{1 << 24, 96}, {1 << 30, 95}}) {
    const auto c1 = fabricate_sector(pool, *unregistered_config(bytes, number), SectorIdentity::reference());
    ASSERT_TRUE(c1);
    EXPECT_TRUE(verify_vanilla(pool, *c1));
    EXPECT_TRUE(parse_c1_bincode(write_c1_bincode(*c1), c1->config)->vanilla == c1->vanilla);
  }
}

TEST(Fabricate, WhatCannotBe) {
  ThreadPool pool(1);
  const auto identity = SectorIdentity::reference();
  EXPECT_EQ(fabricate_sector(pool, porep_config(*find_seal_proof(10)), identity).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(fabricate_sector(pool, porep_config(*find_seal_proof(15)), identity).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(seal_small_sector(pool, porep_config(*find_seal_proof(7)), identity).error().code,
            ErrorCode::kUsage);
  EXPECT_EQ(fabricate_sector(pool, porep_config(*find_seal_proof(5)), SectorIdentity{}).error().code,
            ErrorCode::kUsage);
  EXPECT_FALSE(unregistered_config(4097, 99));
  EXPECT_FALSE(unregistered_config(4096, 5));
}

// porep 14.7.
TEST(Seal, SmallSectorsOfEveryType) {
  struct Case {
    unsigned number;
    const char* replica_id;
    const char* comm_r;
    std::vector<Node> first_challenges;
  };
  const Case cases[] = {{0,
                         "ade39595dedc94f392558badb439d8b62101324b9b0078939d519806b2f91708",
                         "3cfa51c58f16571b4e447dd07a1d76d54a622bfbb3d41e9c15702cab34f87b58",
                         {2, 49}},
                        {5,
                         "f38f849ffd95f4dbd48f084ddcea4194e003005ae2f91fd6d097d4e811ef7838",
                         "e66b0da3b95259a61acfad31ad79152c205214b011842cd06a39bd3c10497932",
                         {40, 51}},
                        {10,
                         "22ce466df119473ee36559b028bd58bb02988370fbe8edeff98f98b6d340ee15",
                         "265cf869a47925c06a89ee2eb0f5adf1061238404eaf41f89bf3eca56348ee02",
                         {29, 44}},
                        {15,
                         "270b4025567c476170313e2efff9a8767a24dc94e0a5f389682d14d9d4d4d402",
                         "5789c7a339ba0a46e3e2c74b1358131f3b46efb970757ead09a7f93a745b3f2d",
                         {11, 1}}};
  ThreadPool pool(2);
  for (const Case& want : cases) {
    SCOPED_TRACE(want.number);
    const auto c1 =
        seal_small_sector(pool, porep_config(*find_seal_proof(want.number)), SectorIdentity::reference());
    ASSERT_TRUE(c1) << c1.error().message;
    EXPECT_EQ(to_hex(c1->replica_id), want.replica_id);
    EXPECT_EQ(to_hex(c1->comm_r), want.comm_r);
    EXPECT_EQ(challenges_of(*c1, 0), want.first_challenges);
    const auto verified = verify_vanilla(pool, *c1);
    EXPECT_TRUE(verified) << verified.error().message;
  }
}

}  // namespace
}  // namespace cuzk::porep
