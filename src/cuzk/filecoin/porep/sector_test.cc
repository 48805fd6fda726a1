#include "cuzk/filecoin/porep/sector.h"

#include <gtest/gtest.h>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/challenges.h"
#include "cuzk/filecoin/porep/parameters.h"
#include "cuzk/filecoin/porep/replica_id.h"

namespace cuzk::porep {
namespace {

TEST(Sector, TableIsConsistent) {
  EXPECT_EQ(sector_table().size(), 10U);
  for (const SectorParams& s : sector_table()) {
    EXPECT_EQ(s.bytes, 32 * s.nodes());
    EXPECT_EQ(find_sector(s.bytes), &s);
    EXPECT_EQ(s.tree.leaves(), s.nodes()) << s.name;
    EXPECT_LE(s.layers, kMaxLayers);
    const unsigned minimum = s.layers == 2 ? 2 : 176;
    EXPECT_GE(s.challenges * s.partitions, minimum);
    EXPECT_GE(s.challenges * s.non_interactive_partitions, s.layers == 2 ? 26U : 2253U);
  }
  EXPECT_EQ(find_sector(1000), nullptr);
}

TEST(Sector, RegisteredTypes) {
  ASSERT_EQ(registered_seal_proofs().size(), 20U);
  for (const RegisteredSealProof& p : registered_seal_proofs()) {
    EXPECT_EQ(find_seal_proof(p.number), &p);
    EXPECT_EQ(find_seal_proof(p.name), &p);
    EXPECT_NE(p.name.find(p.sector->name), std::string_view::npos);
    EXPECT_EQ(p.vanilla_key, find_seal_proof(p.number % 5)->name);
    EXPECT_EQ(p.feature == Feature::synthetic, p.name.find("SyntheticPoRep") != std::string_view::npos);
    EXPECT_EQ(p.feature == Feature::non_interactive, p.name.find("NonInteractive") != std::string_view::npos);
  }
  EXPECT_EQ(find_seal_proof(20), nullptr);
  EXPECT_EQ(find_seal_proof("StackedDrg2KiB"), nullptr);
  EXPECT_EQ(find_seal_proof(5)->version, ApiVersion::v1_1_0);
  EXPECT_EQ(porep_config(*find_seal_proof(18)).partitions(), 126U);
  EXPECT_EQ(to_hex(porep_config(*find_seal_proof(8)).porep_id).substr(0, 4), "0800");
  EXPECT_EQ(*api_version_from_string("1.2.0"), ApiVersion::v1_2_0);
  EXPECT_FALSE(api_version_from_string("1.2"));
}

// porep 12: the published names, and the computed ones of sizes without published parameters.
TEST(Sector, ParameterStems) {
  struct Case {
    unsigned log_bytes;
    const char* stem;
  };
  const Case cases[] = {
      {11,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
       "032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f"},
      {12,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-2-0-sha256_hasher-"
       "71fadf776fff80d5977d027cdf5b4af941c75de6aafee6530ff15997f7173b9b"},
      {14,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
       "5d6414be6742cfc2d41b04c9f12eacd8f78775cf01c1f5cdcf5b370808fe5b74"},
      {15,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-2-sha256_hasher-"
       "2a21b24b412f71b8441648d2cd849229afd278d96964baf1a0f2712f4afbadfd"},
      {23,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
       "ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb"},
      {24,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-2-0-sha256_hasher-"
       "86c715b389cbfdcb1c84b73e4bf276474652288a6aefcaa9f9600c21b0cff44e"},
      {29,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-0-0-sha256_hasher-"
       "6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472"},
      {30,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-2-0-sha256_hasher-"
       "002b03e3cbccd5d23c5f673a39ec4127ae31a1820be2faa32f72fdc75cf262c2"},
      {35,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-"
       "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820"},
      {36,
       "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-2-sha256_hasher-"
       "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2"},
  };
  ASSERT_EQ(std::size(cases), sector_table().size());
  for (const Case& c : cases)
    EXPECT_EQ(parameter_stem(*find_sector(std::uint64_t{1} << c.log_bytes)), c.stem);
}

TEST(ReplicaId, ProverIds) {
  const std::pair<std::uint64_t, const char*> cases[] = {
      {0, "00"},        {127, "7f00"},         {128, "800100"},
      {1000, "e80700"}, {1234567, "87ad4b00"}, {~std::uint64_t{0}, "ffffffffffffffffff0100"}};
  for (const auto& [miner, prefix] : cases) {
    const std::string want(prefix);
    EXPECT_EQ(to_hex(prover_id(miner)), want + std::string(64 - want.size(), '0'));
  }
}

// The regression record of rust-fil-proofs quoted in porep 13.
TEST(ReplicaId, UpstreamRecord) {
  const Bytes32 id = replica_id(
      *bytes32_from_hex("101cbe4b9c42604f04c703c396f788c6cb2d6d7d58f45430b12eb2edd640076c"),
      9259733836259213201U,
      *bytes32_from_hex("e8867f2000d5597a0a5f4382c52b8b89890019df5320d486a067f38e6c68624b"),
      *bytes32_from_hex("7e45f0925dc72593d6b296100e6ca63e3341c92a50c0e7a9461883a3c959ea28"), porep_id_of(5));
  EXPECT_EQ(to_hex(id), "da838d3efe2e28665cd17ebfa274f67af8c3b51dfb01e8c6bf8892e712d62006");
  ChallengeInputs inputs;
  inputs.replica_id = id;
  inputs.seed = *bytes32_from_hex("56964257e0d6c11e074117b36172fff3ebd1a6ec18fa79555e58df5a9d889dcb");
  EXPECT_EQ(derive_challenges(porep_config(*find_seal_proof(5)), inputs, 0), (std::vector<Node>{57, 58}));
}

// rust-fil-proofs' fixed test of the synthetic challenges.
TEST(Challenges, SyntheticUpstreamVector) {
  Bytes32 replica{};
  replica[0] = 55;
  Bytes32 comm_r{};
  comm_r[0] = 101;
  Bytes32 seed;
  seed.fill(1);
  const SyntheticChallenges synthetic(1024, 21, replica, comm_r);
  const Node want[] = {178, 297, 869, 211, 875, 477, 94,  781, 124, 332, 856,
                       801, 176, 692, 429, 691, 290, 204, 986, 210, 973};
  for (std::size_t i = 0; i < 21; ++i) EXPECT_EQ(synthetic.candidate(i), want[i]);
  std::vector<Node> chosen;
  for (const auto i : synthetic.selected(seed, 0, 10)) chosen.push_back(synthetic.candidate(i));
  EXPECT_EQ(chosen, (std::vector<Node>{176, 781, 801, 986, 290, 211, 692, 856, 986, 332}));
  const auto tail = synthetic.selected(seed, 4, 6);
  EXPECT_TRUE(std::equal(tail.begin(), tail.end(), synthetic.selected(seed, 0, 10).begin() + 4));
}

// Sectors of porep 14.6.
TEST(Challenges, InteractiveVectors) {
  ChallengeInputs inputs;
  inputs.seed.fill(2);
  inputs.replica_id = *bytes32_from_hex("13349d13310221a4cc9a310bda6b78cd68e2159c008e7b70daa150798bf0ed27");
  const PorepConfig config = porep_config(*find_seal_proof(8));
  EXPECT_EQ(derive_challenges(config, inputs, 0),
            (std::vector<Node>{122595319, 764116599, 145109710, 646228304, 594957490, 78866748, 566987419,
                               597056046, 233133630, 628417610, 509807203, 974105702, 910730844, 522537501,
                               415556782, 751576681, 763134886, 602425644}));
  const auto last = derive_challenges(config, inputs, 9);
  EXPECT_EQ(std::vector<Node>(last.end() - 3, last.end()),
            (std::vector<Node>{186095455, 1068339124, 755295232}));
}

// Really sealed sectors of porep 14.7.
TEST(Challenges, SyntheticAndNonInteractiveSectors) {
  ChallengeInputs inputs;
  inputs.seed.fill(2);
  inputs.replica_id = *bytes32_from_hex("22ce466df119473ee36559b028bd58bb02988370fbe8edeff98f98b6d340ee15");
  inputs.comm_r = *bytes32_from_hex("265cf869a47925c06a89ee2eb0f5adf1061238404eaf41f89bf3eca56348ee02");
  EXPECT_EQ(derive_challenges(porep_config(*find_seal_proof(10)), inputs, 0), (std::vector<Node>{29, 44}));
  inputs.replica_id = *bytes32_from_hex("270b4025567c476170313e2efff9a8767a24dc94e0a5f389682d14d9d4d4d402");
  inputs.comm_r = *bytes32_from_hex("5789c7a339ba0a46e3e2c74b1358131f3b46efb970757ead09a7f93a745b3f2d");
  const PorepConfig config = porep_config(*find_seal_proof(15));
  const std::vector<Node> want[13] = {{11, 1}, {60, 23}, {21, 41}, {45, 9},  {58, 24}, {36, 27}, {41, 41},
                                      {60, 4}, {19, 32}, {11, 22}, {17, 26}, {1, 18},  {29, 24}};
  for (unsigned k = 0; k < 13; ++k) EXPECT_EQ(derive_challenges(config, inputs, k), want[k]) << k;
}

}  // namespace
}  // namespace cuzk::porep
