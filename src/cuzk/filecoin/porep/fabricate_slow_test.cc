#include <gtest/gtest.h>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

// Golden sectors of porep 14.6; the 32 GiB text is the reference's too (fixtures/synth/32g.json).
struct Golden {
  unsigned number;
  const char* comm_r;
  std::size_t json_size;
  const char* json_sha256;
  const char* bincode_sha256;
};
const Golden kLarge[] = {{8, "32c4f992e2479ec227a41221eeae79af764b70060d009b981106f702113c9356", 38606298,
                          "ec03294c88a50c2c2527d73b6bce1684bbda5d35a9016be99fff10642fa08996",
                          "91428add3c859754082322d431493aab0992b6a83cecf6bf9786e3ab57fdf314"},
                         {9, "98a932e29627be528d8eb7df0f643e985ca2f433900ed277524ea735798d0454", 39110594,
                          "7bc215275bc4de63074532b90ddb5f6ce464959b62354fa93a2f7a5ace380a2b",
                          "50d60e8525300c2b78d7c91a206d9fa79f4f7440ef1bb9afb747dc6529380c2e"}};

TEST(Fabricate, LargeSectorsByteForByte) {
  ThreadPool pool;
  for (const Golden& want : kLarge) {
    SCOPED_TRACE(want.number);
    auto c1 =
        fabricate_sector(pool, porep_config(*find_seal_proof(want.number)), SectorIdentity::reference());
    ASSERT_TRUE(c1) << c1.error().message;
    EXPECT_EQ(to_hex(c1->comm_r), want.comm_r);
    const std::string text = write_c1_json(*c1);
    EXPECT_EQ(text.size(), want.json_size);
    EXPECT_EQ(to_hex(sha256(byte_span(text))), want.json_sha256);
    EXPECT_EQ(to_hex(sha256(write_c1_bincode(*c1))), want.bincode_sha256);

    const std::string wrapper = write_c1_wrapper({7, c1->config.sector->bytes}, text);
    if (want.number == 8) {
      EXPECT_EQ(to_hex(sha256(byte_span(wrapper))),
                "6bab231129d409e30789da17515d22258bee239e00212b3e30d8bcd3bdaf78d6");
    }
    EXPECT_TRUE(parse_c1_json(byte_span(text))->output.vanilla == c1->vanilla);
    EXPECT_TRUE(parse_c1_json(byte_span(wrapper))->output.vanilla == c1->vanilla);
    EXPECT_TRUE(verify_vanilla(pool, *c1));

    // One sibling of the last challenge of the last partition.
    Bytes32& sibling = c1->vanilla.challenge(9, 17).expander_parent(7).inclusion.siblings[60];
    sibling[0] ^= 1;
    const auto refused = verify_vanilla(pool, *c1);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("[9][17].replica_column_proofs.exp_parents[7]"), std::string::npos)
        << refused.error().message;
  }
}

// The reader copes with 200 MB of white space between members, plain and in the wrapper.
TEST(C1, TwoHundredMegabytesOfWhiteSpace) {
  ThreadPool pool(1);
  const auto c1 = fabricate_sector(pool, porep_config(*find_seal_proof(5)), SectorIdentity::reference());
  std::string text = write_c1_json(*c1);
  text.insert(1, std::string(200'000'000, ' '));
  EXPECT_TRUE(parse_c1_json(byte_span(text))->output.vanilla == c1->vanilla);
  EXPECT_TRUE(parse_c1_json(byte_span(write_c1_wrapper({7, 2048}, text)))->output.vanilla == c1->vanilla);
}

}  // namespace
}  // namespace cuzk::porep
