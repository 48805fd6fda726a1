#include <gmock/gmock.h>

#include <functional>

#include "cuzk/filecoin/update/challenges.h"
#include "cuzk/filecoin/update/fabricate.h"
#include "cuzk/filecoin/update/update_case.h"
#include "cuzk/filecoin/update/verify.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::update {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kKiB = 1024;

/// Reading, writing and checking of the reference's own proofs.
class UpdateFile : public testing::TestWithParam<const char*> {};

TEST_P(UpdateFile, IsReadWrittenAndTrue) {
  const UpdateCase c(GetParam());
  ASSERT_EQ(c.files.size(), c.sector->partitions());
  for (std::size_t k = 0; k < c.files.size(); ++k) {
    EXPECT_EQ(c.files[k].size(), c.json.at("partitions")[k].at("len"));
    EXPECT_EQ(c.files[k].size(), partition_proof_bytes(*c.sector));
    EXPECT_EQ(to_hex(sha256(c.files[k])), c.json.at("partitions")[k].at("sha256"));
    EXPECT_EQ(write_partition_proof(c.proofs[k]), c.files[k]);
    const auto inputs = public_inputs(*c.sector, c.statement, static_cast<unsigned>(k));
    ASSERT_TRUE(inputs);
    for (std::size_t i = 0; i < inputs->size(); ++i)
      EXPECT_EQ(to_hex((*inputs)[i].to_bytes_le()), c.json.at("partitions")[k].at("public_inputs")[i]);
  }
  ThreadPool pool(2);
  const auto verdict = verify_vanilla(pool, *c.sector, c.statement, c.proofs);
  EXPECT_TRUE(verdict) << verdict.error().message;
}

INSTANTIATE_TEST_SUITE_P(Reference, UpdateFile, testing::Values("update-2k", "update-4k", "update-32k"));

std::string refusal(ByteSpan bytes, const SectorParams& sector) {
  const auto proof = read_partition_proof(bytes, sector);
  if (proof) return "accepted";
  EXPECT_EQ(proof.error().code, ErrorCode::kBadInput);
  return proof.error().message;
}

TEST(UpdateReader, NamesFieldAndOffset) {
  const UpdateCase c("update-2k");
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::uint8_t> bytes = c.files[0];
    bytes.at(at) = value;
    return refusal(bytes, *c.sector);
  };
  // comm_c, a count, eight apex leaves, a count; then proofs of 556, 364 and 556 bytes.
  EXPECT_EQ(changed(31, 0xff), "bincode: comm_c: not a canonical scalar (r or more) (at byte 0)");
  EXPECT_EQ(changed(32, 7), "bincode: apex_leafs: 7 elements, expected 8 (at byte 32)");
  EXPECT_EQ(changed(40 + 8 * 32 - 1, 0xff),
            "bincode: apex_leafs[7]: not a canonical scalar (r or more) (at byte 264)");
  EXPECT_EQ(changed(296, 11), "bincode: challenge_proofs: 11 elements, expected 10 (at byte 296)");
  EXPECT_EQ(
      changed(304, 1),
      "bincode: challenge_proofs[0].proof_r_old: variant 1 of a Merkle proof, expected 0 (at byte 304)");
  EXPECT_EQ(changed(304 + 556 + 4 + 64, 5),
            "bincode: challenge_proofs[0].proof_d_new.path: 5 elements, expected 6 (at byte 928)");
  const std::size_t second = 304 + 1476;
  EXPECT_EQ(
      changed(second + 4 + 64 + 8 + 8 + 7 * 32, 8),
      "bincode: challenge_proofs[1].proof_r_old.path[0].index: index 8 in a level of arity 8 (at byte " +
          std::to_string(second + 308) + ")");

  std::vector<std::uint8_t> longer = c.files[0];
  longer.push_back(0);
  EXPECT_EQ(refusal(longer, *c.sector),
            "bincode: bytes after the end of the partition proof (at byte 15064)");
  EXPECT_EQ(refusal(std::span(c.files[0]).first(15063), *c.sector),
            "bincode: challenge_proofs[9].proof_r_new.path[1].index: the data ends (at byte 15056)");
  EXPECT_EQ(refusal({}, *c.sector), "bincode: comm_c: the data ends (at byte 0)");
  EXPECT_THAT(refusal(c.files[0], *find_sector(4 * kKiB)), HasSubstr("challenge_proofs[0].proof_r_old"));
}

TEST(UpdateReader, SizesOfTheSpecification) {
  const std::pair<std::uint64_t, std::size_t> sizes[] = {{2 * kKiB, 15064},
                                                         {8 * kKiB * kKiB, 43864},
                                                         {512 * kKiB * kKiB, 453064},
                                                         {32 * kKiB * kKiB * kKiB, 561768},
                                                         {64 * kKiB * kKiB * kKiB, 575528}};
  for (const auto& [sector, bytes] : sizes) EXPECT_EQ(partition_proof_bytes(*find_sector(sector)), bytes);
}

/// Proofs of which one thing is not true. 32 KiB has two partitions and all levels of a tree.
class AlteredUpdate : public testing::Test {
 protected:
  const UpdateCase c_{"update-32k"};
  ThreadPool pool_{2};

  std::string verdict(const Statement& statement, std::span<const PartitionProof> proofs) {
    const auto result = verify_vanilla(pool_, *c_.sector, statement, proofs);
    if (result) return "accepted";
    EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
    return result.error().message;
  }
  std::string with(const std::function<void(PartitionProof&)>& change, std::size_t k = 1) {
    std::vector<PartitionProof> proofs = c_.proofs;
    change(proofs[k]);
    return verdict(c_.statement, proofs);
  }
};

TEST_F(AlteredUpdate, Commitments) {
  const auto changed = [&](Bytes32 Statement::*member) {
    Statement statement = c_.statement;
    (statement.*member)[0] ^= 1;
    return verdict(statement, c_.proofs);
  };
  EXPECT_EQ(
      changed(&Statement::comm_r_old),
      "vanilla_proofs[0]: comm_c and the root of challenge_proofs[0].proof_r_old do not hash to comm_r_old");
  EXPECT_EQ(
      changed(&Statement::comm_r_new),
      "vanilla_proofs[0]: comm_c and the root of challenge_proofs[0].proof_r_new do not hash to comm_r_new");
  EXPECT_EQ(changed(&Statement::comm_d_new),
            "vanilla_proofs[0]: apex_leafs: they do not lead to comm_d_new by the upper levels of "
            "challenge_proofs[0].proof_d_new");
  Statement statement = c_.statement;
  statement.comm_r_new.fill(0xff);
  EXPECT_EQ(verdict(statement, c_.proofs), "comm_r_new is not a canonical scalar");
  EXPECT_THAT(with([](PartitionProof& p) { p.comm_c[0] ^= 1; }), HasSubstr("vanilla_proofs[1]: comm_c"));
}

TEST_F(AlteredUpdate, NumberAndOrderOfPartitions) {
  EXPECT_EQ(verdict(c_.statement, std::span(c_.proofs).first(1)),
            "vanilla_proofs: 1 partition proofs, but a sector of 32KiB has 2 partitions");
  std::vector<PartitionProof> three = c_.proofs;
  three.push_back(three[1]);
  EXPECT_THAT(verdict(c_.statement, three), HasSubstr("3 partition proofs"));
  EXPECT_THAT(verdict(c_.statement, std::vector{c_.proofs[1], c_.proofs[0]}),
              HasSubstr("vanilla_proofs[0]: apex_leafs"));
}

TEST_F(AlteredUpdate, ApexLeaves) {
  for (const std::size_t i : {0U, 77U, 127U})
    EXPECT_THAT(with([&](PartitionProof& p) { p.apex_leaves[i][0] ^= 1; }),
                HasSubstr("vanilla_proofs[1]: apex_leafs"));
  EXPECT_THAT(with([&](PartitionProof& p) { p.d_new[0].siblings.back()[0] ^= 1; }),
              HasSubstr("vanilla_proofs[1]: apex_leafs"));
  // The others' upper levels must be those of the first.
  EXPECT_THAT(with([&](PartitionProof& p) { p.d_new[7].siblings.back()[0] ^= 1; }),
              HasSubstr("vanilla_proofs[1].challenge_proofs[7].proof_d_new"));
}

TEST_F(AlteredUpdate, EveryKindOfNode) {
  const auto proofs_of = {std::pair{&PartitionProof::r_old, "proof_r_old"},
                          std::pair{&PartitionProof::d_new, "proof_d_new"},
                          std::pair{&PartitionProof::r_new, "proof_r_new"}};
  for (const auto& tree_and_name : proofs_of) {
    const auto tree = tree_and_name.first;
    const std::string where = std::string("vanilla_proofs[1].challenge_proofs[3].") + tree_and_name.second;
    SCOPED_TRACE(where);
    EXPECT_THAT(with([&](PartitionProof& p) { (p.*tree)[3].root[0] ^= 1; }), HasSubstr(where + ": the root"));
    EXPECT_THAT(with([&](PartitionProof& p) { (p.*tree)[3].indices[0] ^= 1; }),
                HasSubstr(where + ": the path is that of node"));
    const std::size_t siblings = c_.proofs[1].r_old[3].siblings.size();
    for (const std::size_t i : {std::size_t{0}, std::size_t{5}, siblings - 1}) {
      const std::string message = with([&](PartitionProof& p) {
        const MutableMerkleProof proof = (p.*tree)[3];
        proof.siblings[std::min(i, proof.siblings.size() - 1)][0] ^= 1;
      });
      EXPECT_THAT(message, HasSubstr(where + ": the path does not lead to"));
    }
  }
  EXPECT_THAT(with([](PartitionProof& p) { p.r_old[3].leaf[0] ^= 1; }),
              HasSubstr("challenge_proofs[3].proof_r_old: the path does not lead to its root"));
  EXPECT_THAT(with([](PartitionProof& p) { p.d_new[3].leaf[0] ^= 1; }),
              HasSubstr("challenge_proofs[3].proof_d_new: the path does not lead to apex_leafs["));
  EXPECT_THAT(with([](PartitionProof& p) { p.r_new[3].leaf[0] ^= 1; }),
              HasSubstr("challenge_proofs[3].proof_r_new: the leaf is not the encoding"));
  // Swapped openings are those of other nodes.
  EXPECT_THAT(
      with([](PartitionProof& p) {
        std::swap_ranges(p.r_old[3].siblings.begin(), p.r_old[3].siblings.end(), p.r_old[4].siblings.begin());
        std::swap_ranges(p.r_old[3].indices.begin(), p.r_old[3].indices.end(), p.r_old[4].indices.begin());
        std::swap(p.r_old[3].leaf, p.r_old[4].leaf);
      }),
      HasSubstr("challenge_proofs[3].proof_r_old: the path is that of node"));
}

TEST_F(AlteredUpdate, TheFirstFaultIsReported) {
  std::vector<PartitionProof> proofs = c_.proofs;
  for (const std::size_t i : {2U, 6U, 9U}) proofs[0].r_new[i].siblings[0][0] ^= 1;
  proofs[1].r_new[0].siblings[0][0] ^= 1;
  for (unsigned threads = 1; threads <= 4; ++threads) {
    ThreadPool pool(threads);
    const auto result = verify_vanilla(pool, *c_.sector, c_.statement, proofs);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr("vanilla_proofs[0].challenge_proofs[2].proof_r_new"));
  }
}

/// Check values of post-and-snap 6.2.
struct Fabricated {
  std::uint64_t bytes;
  const char* comm_r_old;
  const char* comm_d_new;
  const char* comm_r_new;
  std::vector<std::uint64_t> first;  // three challenges of partition 0
  std::uint64_t last;
  std::vector<std::pair<std::size_t, const char*>> digests;  // of partition proofs
};

const Fabricated kFabricated[] = {
    {2 * kKiB,
     "356e91cac49e71b34a8a91a6df5193dbd0d8e1a30f68b8c7ef8997753f0cd247",
     "0ccac46deb7166e28d79df0192997f904b98290a4e8a3438fcb71d3e69106716",
     "fafde0f33e93dd6224115984201db94d709df1d9b1624a2f8190fcc8ef427721",
     {6, 27, 45},
     16,
     {{0, "d42907b7b233acd5db5520b99399007d56fa4126a13b4ab33bb772632cfb4088"}}},
    {8 * kKiB * kKiB,
     "d64025b2476d933d154d8b6f49d82170972e5fbff27bbdb9ae7ad2199579d852",
     "805f575822b5272c6a05078a4f568b2cb37405eaf8de309aee7c75dcc357d310",
     "beab7cde353ba3769a3c618eb29b4a4eb754bf888d27f7143311a7d961aba76e",
     {62965, 35410, 48359},
     23869,
     {{0, "888468618b693e4b05d2d6a4f56fed4c9283a606be2a643fdd50bde08f40398e"},
      {3, "ff81fcde681b12e95a9bb0a566915c5a9227d5ec4429472c12c3adc1b21ed72a"}}},
    {32 * kKiB * kKiB * kKiB,
     "1d8a3404575109f9057aa5747e3c23f04d2fa7b3c67f1401fd8f1cae1a2dec12",
     "433dea02fc343047c3324c45455a9c11378cc9e7cb4127d538e76729120c4827",
     "6597b1292060aeb2ce4cc9e14575feb4824bf6f864a61a3bc5560245aa684f63",
     {658159, 16241515, 63958271},
     16681715,
     {{0, "693627d2c6c3d28a257026b0f4c9cdf6656d2e86b4de50aadff1b74f5987558d"},
      {15, "aaaf999f52b24773f6b75da2d6c7549c36bc982d747c8a3f0dadfd22afd2ff86"}}},
    {64 * kKiB * kKiB * kKiB,
     "11f24a9fa2502541242d20d7608e62823c0be5def15d668cb8d598c057d04032",
     "09601a94efe1e552b6ea8b0e86ca5bc011bb99e52c3437f5f7f312929de3c107",
     "890072d262d7740fce5954cd5dd0a3c278ec8d1e6db794cb7234c4d4ac6d265f",
     {132194031, 39451078, 51061820},
     68911837,
     {{0, "353663409b89cac58a26a6d08aedc893e6db5f673eaf00f115837b38d3f212b2"},
      {15, "7749f10759e9559ca9faa4d4a946bdc50dc349edcedbbb884f1181cf7c76b30d"}}}};

class FabricatedUpdates : public testing::TestWithParam<SectorParams> {};

TEST_P(FabricatedUpdates, AreTrue) {
  ThreadPool pool(2);
  const SectorParams& sector = *find_sector(GetParam().bytes);
  const FabricatedUpdate update = fabricate_update(pool, sector);
  const auto verdict = verify_vanilla(pool, sector, update.statement, update.proofs);
  EXPECT_TRUE(verdict) << verdict.error().message;
  for (const Fabricated& want : kFabricated) {
    if (want.bytes != sector.bytes) continue;
    EXPECT_EQ(to_hex(update.proofs[0].comm_c),
              "7b970689f95c2ebdfbaba9d205bf83089c7e34de034bf62ddc9776a4c1a6fb23");
    EXPECT_EQ(to_hex(update.statement.comm_r_old), want.comm_r_old);
    EXPECT_EQ(to_hex(update.statement.comm_d_new), want.comm_d_new);
    EXPECT_EQ(to_hex(update.statement.comm_r_new), want.comm_r_new);
    for (std::size_t i = 0; i < want.first.size(); ++i)
      EXPECT_EQ(update.proofs[0].r_new[i].leaf_index(), want.first[i]);
    EXPECT_EQ(update.proofs[0].r_new[sector.challenges() - 1].leaf_index(), want.last);
    for (const auto& [k, digest] : want.digests)
      EXPECT_EQ(to_hex(sha256(write_partition_proof(update.proofs[k]))), digest) << "partition " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(AllSizes, FabricatedUpdates, testing::ValuesIn(sector_table()),
                         [](const auto& size) { return std::string(size.param.name); });

TEST(UpdateReader, WrittenProofsOfEverySizeComeBack) {
  for (const SectorParams& sector : sector_table()) {
    SCOPED_TRACE(sector.name);
    const PartitionProof blank(sector);
    const std::vector<std::uint8_t> bytes = write_partition_proof(blank);
    EXPECT_EQ(bytes.size(), partition_proof_bytes(sector));
    const auto again = read_partition_proof(bytes, sector);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(*again == blank);
  }
}

}  // namespace
}  // namespace cuzk::update
