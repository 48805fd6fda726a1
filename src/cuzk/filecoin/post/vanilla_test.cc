#include "cuzk/filecoin/post/challenges.h"
#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/filecoin/post/parameters.h"
#include "cuzk/filecoin/post/post_fixture.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::post {
namespace {

constexpr std::uint64_t kSyntheticSector = 1234;

TEST(PostConfig, NumbersOfTheCircuits) {
  ASSERT_EQ(post_table().size(), 20U);
  for (const PostParams& p : post_table()) {
    EXPECT_EQ(find_post(p.kind, p.size->bytes), &p);
    if (p.kind == Kind::winning) {
      EXPECT_EQ(p.sector_count, 66U);
      EXPECT_EQ(p.challenge_count, 1U);
      EXPECT_EQ(p.max_sectors(), 1U);
      EXPECT_EQ(p.proofs_per_sector(), 66U);
    } else {
      EXPECT_EQ(p.sector_count, p.size->name == "32GiB" ? 2349U : p.size->name == "64GiB" ? 2300U : 2U);
      EXPECT_EQ(p.max_sectors(), p.sector_count);
      EXPECT_EQ(p.proofs_per_sector(), 10U);
    }
  }
  EXPECT_EQ(find_post(Kind::window, 1024), nullptr);
}

TEST(PostConfig, RegisteredTypes) {
  ASSERT_EQ(registered_post_proofs().size(), 15U);
  for (const RegisteredPostProof& r : registered_post_proofs()) {
    EXPECT_EQ(find_post_proof(r.number), &r);
    EXPECT_EQ(r.params->kind, r.number < 5 ? Kind::winning : Kind::window);
    EXPECT_EQ(r.version, r.number < 10 ? ApiVersion::v1_0_0 : ApiVersion::v1_2_0);
    EXPECT_NE(r.name.find(r.params->size->name), std::string_view::npos);
    EXPECT_NE(r.name.find(to_string(r.params->kind)), std::string_view::npos);
    EXPECT_EQ(post_config(r.params->kind, r.params->size->bytes, r.version)->registered, &r);
  }
  EXPECT_EQ(find_post_proof(15), nullptr);
  EXPECT_EQ(post_config(Kind::window, 4096, ApiVersion::v1_2_0)->registered, nullptr);
  EXPECT_EQ(post_config(Kind::window, 2048, ApiVersion::v1_1_0)->registered, nullptr);
  EXPECT_EQ(post_config(Kind::winning, 2048, ApiVersion::v1_2_0).error().code, ErrorCode::kUsage);
  EXPECT_EQ(post_config(Kind::window, 2049, ApiVersion::v1_2_0).error().code, ErrorCode::kUsage);
}

// post-and-snap 5, and the names in the reference's cases.
TEST(PostParameters, NamesOfPublishedFiles) {
  const std::pair<unsigned, const char*> published[] = {
      {0, "8-0-0-3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e"},
      {10, "8-0-0-0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0"},
      {1, "8-0-0-50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331"},
      {11, "8-0-0-5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9"},
      {2, "8-0-0-7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781"},
      {12, "8-0-0-0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9"},
      {3, "8-8-0-559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e"},
      {13, "8-8-0-0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc"},
      {4, "8-8-2-b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c"},
      {14, "8-8-2-2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def"}};
  for (const auto& [number, rest] : published)
    EXPECT_EQ(parameter_stem(*find_post_proof(number)->params),
              std::string("v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-") + rest);
  for (const std::string& name : case_names()) {
    const PostCase post(name);
    EXPECT_EQ(parameter_stem(*post.config.params) + ".params", post.json.at("params"));
  }
}

// post-and-snap 2.2.
TEST(PostChallenges, WorkedValues) {
  struct Row {
    std::uint64_t nodes;
    std::array<std::uint64_t, 7> leaves;
  };
  const std::array<std::uint64_t, 7> numbers{0, 1, 2, 3, 4, 10, 65};
  const Row rows[] = {
      {64, {57, 55, 35, 60, 23, 36, 45}},
      {1ULL << 30, {589323641, 566144375, 11377763, 851431420, 1012528151, 687337252, 25053549}},
      {1ULL << 31, {1663065465, 1639886199, 1085119587, 851431420, 2086269975, 687337252, 25053549}}};
  for (const Row& row : rows)
    for (std::size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(challenged_leaf(reference_randomness(), kSyntheticSector, numbers[i], row.nodes),
                row.leaves[i]);
}

TEST(PostChallenges, CountOverSectorsInTheOldApiOnly) {
  const Bytes32 r = reference_randomness();
  const PostConfig old_api = post_config(*find_post_proof(5));
  const PostConfig new_api = post_config(*find_post_proof(10));
  const PostConfig winning = post_config(*find_post_proof(0));
  const auto leaf = [&](std::uint64_t challenge) {
    return challenged_leaf(r, kSyntheticSector, challenge, 64);
  };
  EXPECT_EQ(challenged_leaves(old_api, r, kSyntheticSector, 3)[4], leaf(34));
  EXPECT_EQ(challenged_leaves(new_api, r, kSyntheticSector, 3)[4], leaf(4));
  ASSERT_EQ(challenged_leaves(winning, r, kSyntheticSector, 0).size(), 66U);
  EXPECT_EQ(challenged_leaves(winning, r, kSyntheticSector, 0)[65], leaf(65));
  const auto middle = post_config(Kind::window, 2048, ApiVersion::v1_1_0);
  EXPECT_EQ(challenged_leaves(*middle, r, kSyntheticSector, 3),
            challenged_leaves(old_api, r, kSyntheticSector, 3));
}

TEST(PostChallenges, WinningSector) {
  Sha256 hash;
  const Bytes32 id{0xe8, 0x07};
  hash.update(id);
  hash.update(reference_randomness());
  hash.update(std::array<std::uint8_t, 8>{});
  EXPECT_EQ(winning_sector(id, reference_randomness(), 1000),
            load_le<std::uint64_t>(hash.finish().data()) % 1000);
  EXPECT_EQ(winning_sector(id, reference_randomness(), 1), 0U);
}

// post-and-snap 2.3.
TEST(SectorProofBincode, Lengths) {
  const std::size_t window[] = {5680, 15280, 20080, 24960, 25520};
  const std::size_t winning[] = {36816, 100176, 131856, 164064, 167760};
  for (unsigned size = 0; size < 5; ++size) {
    EXPECT_EQ(sector_proof_bytes(*find_post_proof(size)->params), winning[size]);
    EXPECT_EQ(sector_proof_bytes(*find_post_proof(5 + size)->params), window[size]);
  }
}

class SealedPost : public testing::TestWithParam<std::string> {};

TEST_P(SealedPost, IsReadVerifiedAndWrittenBack) {
  const PostCase post(GetParam());
  ThreadPool pool(2);
  std::size_t sector = 0;
  for (std::size_t k = 0; k < post.partitions(); ++k) {
    const auto partition = post.read(k);
    ASSERT_TRUE(partition) << partition.error().message;
    const auto verified = verify_vanilla(pool, *partition);
    EXPECT_TRUE(verified) << verified.error().message;
    const auto inputs = public_inputs(partition->statement());
    ASSERT_TRUE(inputs) << inputs.error().message;
    EXPECT_EQ(nlohmann::json(hex_of(*inputs)),
              post.json.at("partitions")[k].at("circuit").at("public_inputs"));
    for (const SectorProof& proof : partition->sectors) {
      const auto& side = post.json.at("vanilla")[sector];
      EXPECT_EQ(proof.sector_id, side.at("sector"));
      EXPECT_EQ(to_hex(proof.comm_r), side.at("comm_r"));
      EXPECT_EQ(write_sector_proof(proof), post.blobs[sector]);
      EXPECT_EQ(post.blobs[sector].size(), sector_proof_bytes(*post.config.params));
      ++sector;
    }
  }
  EXPECT_EQ(sector, post.blobs.size());
}
INSTANTIATE_TEST_SUITE_P(All, SealedPost, testing::ValuesIn(case_names()),
                         [](const auto& name) { return identifier(name.param); });

/// What is refused, and how the message names it.
class Refusals : public testing::Test {
 protected:
  using Blobs = std::vector<std::vector<std::uint8_t>>;

  std::string read_error(const PostConfig& config, ByteSpan randomness, std::uint32_t k, const Blobs& blobs) {
    const auto read = read_partition(config, randomness, k, blobs);
    if (read) return "";
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput);
    return read.error().message;
  }
  std::string read_error(const Blobs& blobs) { return read_error(two_.config, two_.randomness, 0, blobs); }
  std::string verify_error(const Partition& partition) {
    const auto verified = verify_vanilla(pool_, partition);
    if (verified) return "";
    EXPECT_EQ(verified.error().code, ErrorCode::kBadInput);
    return verified.error().message;
  }
  template <class Change>
  std::string verify_error_after(Change&& change) {
    Partition partition = two_.read(0).value();
    change(partition);
    return verify_error(partition);
  }

  ThreadPool pool_{2};
  const PostCase two_{"window-2k-two"};
};

TEST_F(Refusals, Randomness) {
  const ByteSpan good = two_.randomness;
  EXPECT_EQ(read_error(two_.config, good, 0, two_.blobs), "");
  EXPECT_EQ(read_error(two_.config, good.first(31), 0, two_.blobs), "randomness: 31 bytes, expected 32");
  EXPECT_EQ(read_error(two_.config, {}, 0, two_.blobs), "randomness: 0 bytes, expected 32");
  Bytes32 large = two_.randomness;
  large[31] = 0xff;
  EXPECT_EQ(read_error(two_.config, large, 0, two_.blobs), "randomness: not a canonical scalar (r or more)");
  EXPECT_NE(verify_error_after([](Partition& p) { p.randomness[0] ^= 1; }), "");
}

TEST_F(Refusals, NumbersOfProofsAndTheirOrder) {
  EXPECT_EQ(read_error({}), "vanilla_proofs: 0 elements, a Window PoSt of 2KiB sectors takes 1 to 2");
  EXPECT_EQ(read_error({two_.blobs[0], two_.blobs[1], two_.blobs[1]}),
            "vanilla_proofs: 3 elements, a Window PoSt of 2KiB sectors takes 1 to 2");
  EXPECT_EQ(read_error({two_.blobs[1], two_.blobs[0]}),
            "vanilla_proofs[1].sector_id: 100 after 107; the network verifies sectors in ascending order");
  EXPECT_NE(read_error({two_.blobs[0], two_.blobs[0]}), "");
  const PostCase winning("winning-2k");
  EXPECT_EQ(read_error(winning.config, winning.randomness, 0, {winning.blobs[0], winning.blobs[0]}),
            "vanilla_proofs: 2 elements, a Winning PoSt of 2KiB sectors takes 1");
  EXPECT_EQ(read_error(winning.config, winning.randomness, 1, winning.blobs),
            "partition_index: 1, a WinningPoSt has only 0");
}

TEST_F(Refusals, ProofsOfAnotherKindSizeOrLength) {
  const PostCase winning("winning-2k");
  EXPECT_EQ(read_error(winning.blobs),
            "vanilla_proofs[0]: bincode: sectors[0].inclusion_proofs: 66 elements, "
            "expected 10 (at byte 48)");
  EXPECT_EQ(read_error(winning.config, winning.randomness, 0, {two_.blobs[0]}),
            "vanilla_proofs[0]: bincode: sectors[0].inclusion_proofs: 10 elements, expected 66 (at byte 48)");
  const PostCase four("window-4k");
  EXPECT_EQ(read_error(four.blobs),
            "vanilla_proofs[0]: bincode: sectors[0].inclusion_proofs[0]: variant 1 of a "
            "Merkle proof, expected 0 (at byte 56)");
  Blobs blobs = two_.blobs;
  blobs[1].push_back(0);
  EXPECT_EQ(read_error(blobs),
            "vanilla_proofs[1]: bincode: bytes after the end of the vanilla proof of a sector "
            "(at byte 5680)");
  blobs[1].resize(5679);
  EXPECT_EQ(read_error(blobs),
            "vanilla_proofs[1]: bincode: sectors[0].comm_r_last: the data ends (at byte 5648)");
  for (std::size_t cut = 0; cut < 5680; cut += 61) {
    blobs[1].resize(5679 - cut);
    EXPECT_NE(read_error(blobs), "") << cut;
  }
}

TEST_F(Refusals, ValuesOutOfRange) {
  const auto with = [&](std::size_t at, std::uint8_t value) {
    Blobs blobs = two_.blobs;
    blobs[0][at] = value;
    return read_error(blobs);
  };
  EXPECT_EQ(with(39, 0xff),
            "vanilla_proofs[0]: bincode: comm_r: not a canonical scalar (r or more) (at byte 8)");
  EXPECT_EQ(with(40, 2), "vanilla_proofs[0]: bincode: sectors: 2 elements, expected 1 (at byte 40)");
  EXPECT_NE(with(47, 0x80), "");
}

TEST_F(Refusals, WrongRegisteredProof) {
  // Under the old rule the second sector's leaves are others.
  const auto old_api = read_partition(post_config(*find_post_proof(5)), two_.randomness, 0, two_.blobs);
  ASSERT_TRUE(old_api);
  EXPECT_EQ(
      verify_error(*old_api).find("vanilla_proofs[1].sectors[0].inclusion_proofs[0]: the path is that of"),
      0U);
  const PostCase three("window-2k-three-old-api");
  const auto new_api =
      read_partition(post_config(*find_post_proof(10)), three.randomness, 0, three.blobs_of(0));
  ASSERT_TRUE(new_api);
  EXPECT_NE(verify_error(*new_api), "");
  // Nor does another partition's place do.
  const auto moved = read_partition(three.config, three.randomness, 1, three.blobs_of(0));
  ASSERT_TRUE(moved);
  EXPECT_NE(verify_error(*moved), "");
}

TEST_F(Refusals, WhatTheVanillaProofSays) {
  EXPECT_EQ(verify_error_after([](Partition&) {}), "");
  EXPECT_EQ(verify_error_after([](Partition& p) { p.sectors[1].comm_r = {}; }),
            "vanilla_proofs[1].comm_r: all zero");
  EXPECT_EQ(verify_error_after([](Partition& p) { p.sectors[0].comm_c[0] ^= 1; }),
            "vanilla_proofs[0].comm_r: not the hash of comm_c and comm_r_last");
  EXPECT_EQ(
      verify_error_after([](Partition& p) { std::swap(p.sectors[0].comm_c, p.sectors[0].comm_r_last); }),
      "vanilla_proofs[0].comm_r: not the hash of comm_c and comm_r_last");
  EXPECT_EQ(verify_error_after([](Partition& p) {
              const auto path = p.sectors[1].inclusion[7];
              std::swap(path.siblings[0], path.siblings[1]);
            }),
            "vanilla_proofs[1].sectors[0].inclusion_proofs[7]: the path does not lead to comm_r_last");
  EXPECT_EQ(verify_error_after([](Partition& p) { p.sectors[1].inclusion[9].leaf[0] ^= 1; }),
            "vanilla_proofs[1].sectors[0].inclusion_proofs[9]: the path does not lead to comm_r_last");
  EXPECT_EQ(verify_error_after([](Partition& p) { p.sectors[0].inclusion[3].root[0] ^= 1; }),
            "vanilla_proofs[0].sectors[0].inclusion_proofs[3].root: not comm_r_last");
  EXPECT_EQ(verify_error_after([](Partition& p) {
              auto& index = p.sectors[0].inclusion[2].indices[1];
              index = (index + 1) % 8;
            }).find("vanilla_proofs[0].sectors[0].inclusion_proofs[2]: the path is that of leaf "),
            0U);
  // The first of two faults is the one that is named.
  EXPECT_EQ(verify_error_after([](Partition& p) {
              p.sectors[0].inclusion[4].leaf[0] ^= 1;
              p.sectors[0].inclusion[6].root[0] ^= 1;
            }),
            "vanilla_proofs[0].sectors[0].inclusion_proofs[4]: the path does not lead to comm_r_last");
  EXPECT_NE(verify_error_after([](Partition& p) { p.sectors[0].sector_id = 99; }), "");
  EXPECT_NE(verify_error_after([](Partition& p) { p.sectors.clear(); }), "");
}

TEST_F(Refusals, LastOpeningOfAWinningPost) {
  Partition winning = PostCase("winning-2k").read(0).value();
  EXPECT_EQ(verify_error(winning), "");
  winning.sectors[0].inclusion[65].siblings[3][0] ^= 1;
  EXPECT_EQ(verify_error(winning),
            "vanilla_proofs[0].sectors[0].inclusion_proofs[65]: the path does not lead to comm_r_last");
}

TEST(PostPublicInputs, RefuseWhatNoCircuitHas) {
  Statement statement = PostCase("window-2k-two").read(0).value().statement();
  EXPECT_TRUE(public_inputs(statement));
  statement.sectors[1].comm_r.fill(0xff);
  EXPECT_EQ(public_inputs(statement).error().message, "sectors[1].comm_r is not a canonical scalar");
  statement.sectors.clear();
  EXPECT_FALSE(public_inputs(statement));
}

// post-and-snap 6.1.
TEST(FabricatedPost, CheckValues) {
  struct Golden {
    unsigned number;
    const char* comm_r_last;
    const char* comm_r;
    const char* sha256;
  };
  const Golden cases[] = {{0, "4d1254fdd3b060ac8dc917c96578e72c65d902036b0e3a7cec5615ebc3a1a339",
                           "cf7dab40b394db2c8478b8036373cb8f20a69eb705754181f8e5a61d21bc7249",
                           "3d624babcdf787883d0ed33575cd876869a76915c429b0cae175150d62bad3fa"},
                          {10, "2655007f3446d79581af29d482d5a164bd04a85ec2a3ec860e2e68bc599f321c",
                           "24b44c2288c7d997ba47ef9d8861d9230ed012ae51cc2fd212651c1f3516b524",
                           "e9ba8420b480919f838f754b9013bfcb5d4281f8b51af2c5841ab7b7c552865d"},
                          {3, "61a7373e106c0ab6aa5349d48e90d15daa38e3e872c05613b71a3bdb1f883452",
                           "de9a94682e52274927111a99814859cf7f4f346704ac9851522d9a3819284d35",
                           "17bc4a4e25fb068993916b14b3771d017da5b26c076d6d84f2d3b92ffd4b6074"},
                          {13, "f382f7593142c3c5b0dd8fdc386b1966f3afd73bd22f7332ead66716527d8d6a",
                           "6011b301995a4e09d93e4b75f9ae4f489bc2f92f874ca49499485a780ff94f5e",
                           "e0b945107a4c5b6a207a3ddaafa714559b4ba6dba4cdf585ba17b29e98a75915"},
                          {4, "5ee3fc4ada31f088c14e3bfd05e98dee802ac8c63b45c8fe65331a4b3405bd3c",
                           "b0c6931602ff3d599d63c95495821b002e314e3017049caa0b61c2c29f0c7f28",
                           "05b092d64dc28663e59be21c4d391342d7483beb9c660c9cd4126f035b5b915e"},
                          {14, "259e2059e6c2bb2ff44728fad7336efe65fd799d3c8e293e4c9264ee7ec8ab66",
                           "11c25279e25034d19a3178778a4ab95685dfe0a82609e1ceebab9fffe0286c5f",
                           "fae0e9846f1ff117e5e1e5820157f3282e76b97b94612ede631176d9316a0588"},
                          {1, "ebc8466bb93522950a77b6fbf301463c052540511e1ed32e878e36e8620e5815",
                           "3f7b5c68db604e58be884e0ef61f99c9f96adf6210b62195c23556a6e34d786b",
                           "825e279669a0909b5557bb5e717d2e75505610d3d409cd9f1944c70767b8ab60"},
                          {11, "8ca55992fbf0120e1f02f7cb8697e473e43fdbdb7937a93f8d09a54b52fa0f09",
                           "8e020c22524e4e1237e0c29ca31a4f4ea3dfd438190489092de071d6c4714e40",
                           "3c1f4c0eb96dd940e1968ae5b575a6a478cbffb8ebe19e9dd22646d2c183d6c9"}};
  ThreadPool pool(2);
  for (const Golden& want : cases) {
    SCOPED_TRACE(want.number);
    const SectorProof proof = fabricate_sector(pool, post_config(*find_post_proof(want.number)),
                                               reference_randomness(), kSyntheticSector, 0);
    EXPECT_EQ(to_hex(proof.comm_r_last), want.comm_r_last);
    EXPECT_EQ(to_hex(proof.comm_r), want.comm_r);
    EXPECT_EQ(to_hex(sha256(write_sector_proof(proof))), want.sha256);
  }
}

TEST(FabricatedPost, EverySizeVerifies) {
  ThreadPool pool(2);
  for (const PostParams& params : post_table()) {
    SCOPED_TRACE(std::string(to_string(params.kind)) + std::string(params.size->name));
    for (const ApiVersion version : {ApiVersion::v1_0_0, ApiVersion::v1_2_0}) {
      const auto config = post_config(params.kind, params.size->bytes, version);
      if (!config) continue;
      const std::vector<std::uint64_t> ids{7, 8};
      const auto partition =
          fabricate_partition(pool, *config, reference_randomness(), params.kind == Kind::window ? 3 : 0,
                              std::span(ids).first(params.kind == Kind::window ? 2 : 1));
      ASSERT_TRUE(partition) << partition.error().message;
      const auto verified = verify_vanilla(pool, *partition);
      EXPECT_TRUE(verified) << verified.error().message;
      std::vector<std::vector<std::uint8_t>> blobs;
      for (const SectorProof& proof : partition->sectors) blobs.push_back(write_sector_proof(proof));
      EXPECT_TRUE(
          read_partition(*config, partition->randomness, partition->partition_index, blobs)->sectors ==
          partition->sectors);
    }
  }
}

TEST(FabricatedPost, WhatCannotBe) {
  ThreadPool pool(1);
  const PostConfig config = post_config(*find_post_proof(10));
  const auto code = [&](std::vector<std::uint64_t> ids, Bytes32 randomness) {
    return fabricate_partition(pool, config, randomness, 0, ids).error().code;
  };
  EXPECT_EQ(code({}, {}), ErrorCode::kUsage);
  EXPECT_EQ(code({1, 2, 3}, {}), ErrorCode::kUsage);
  EXPECT_EQ(code({2, 1}, {}), ErrorCode::kUsage);
  EXPECT_EQ(code({1, 1}, {}), ErrorCode::kUsage);
  Bytes32 large;
  large.fill(0xff);
  EXPECT_EQ(code({1}, large), ErrorCode::kUsage);
}

}  // namespace
}  // namespace cuzk::post
