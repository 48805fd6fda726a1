#include "cuzk/filecoin/update/sector.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/update/challenges.h"
#include "cuzk/filecoin/update/parameters.h"
#include "cuzk/filecoin/update/public_inputs.h"
#include "cuzk/gadgets/snap.h"

namespace cuzk::update {
namespace {

/// The table of post-and-snap 3.1.
TEST(UpdateSector, Table) {
  struct Row {
    std::uint64_t bytes;
    unsigned b, partitions, p, challenges, apex, random, per_digest, digests, levels;
  };
  constexpr std::uint64_t k = 1024;
  const Row rows[] = {{2 * k, 6, 1, 0, 10, 8, 6, 42, 1, 3},
                      {4 * k, 7, 1, 0, 10, 8, 7, 36, 1, 4},
                      {16 * k, 9, 2, 1, 10, 128, 8, 31, 1, 1},
                      {32 * k, 10, 2, 1, 10, 128, 9, 28, 1, 2},
                      {8 * k * k, 18, 4, 2, 10, 128, 16, 15, 1, 9},
                      {16 * k * k, 19, 4, 2, 10, 128, 17, 14, 1, 10},
                      {512 * k * k, 24, 16, 4, 86, 128, 20, 12, 8, 13},
                      {32 * k * k * k, 30, 16, 4, 86, 128, 26, 9, 10, 19},
                      {64 * k * k * k, 31, 16, 4, 86, 128, 27, 9, 10, 20}};
  ASSERT_EQ(sector_table().size(), std::size(rows));
  for (std::size_t i = 0; i < std::size(rows); ++i) {
    const Row& row = rows[i];
    const SectorParams& s = sector_table()[i];
    SCOPED_TRACE(s.name);
    EXPECT_EQ(s.bytes, row.bytes);
    EXPECT_EQ(find_sector(row.bytes), &s);
    EXPECT_EQ(s.log_nodes(), row.b);
    EXPECT_EQ(s.tree.index_bits(), row.b);
    EXPECT_EQ(s.partitions(), row.partitions);
    EXPECT_EQ(s.partition_bits(), row.p);
    EXPECT_EQ(s.challenges(), row.challenges);
    EXPECT_EQ(s.apex_leaves(), row.apex);
    EXPECT_EQ(s.random_bits(), row.random);
    EXPECT_EQ(s.challenges_per_digest(), row.per_digest);
    EXPECT_EQ(s.digests(), row.digests);
    EXPECT_EQ(s.levels_to_apex(), row.levels);
    EXPECT_EQ(s.high_bits(), row.bytes < 1024 * k ? 1U : 10U);
    // h_select marks the first choice that is h.
    const auto choices = s.high_bit_counts();
    const auto first = static_cast<std::size_t>(std::countr_zero(s.h_select()));
    EXPECT_TRUE(std::has_single_bit(s.h_select()));
    EXPECT_EQ(std::find(choices.begin(), choices.end(), s.high_bits()) - choices.begin(),
              static_cast<std::ptrdiff_t>(first));
  }
  EXPECT_EQ(find_sector(std::uint64_t{1} << 30), nullptr) << "there is no update of 1 GiB";
  EXPECT_EQ(find_sector(1024), nullptr);
  EXPECT_EQ(find_sector(0), nullptr);
}

TEST(UpdateSector, RegisteredNumbers) {
  const char* names[] = {"2KiB", "8MiB", "512MiB", "32GiB", "64GiB"};
  for (unsigned i = 0; i < 5; ++i) {
    ASSERT_NE(find_update_proof(i), nullptr);
    EXPECT_EQ(find_update_proof(i)->number, i);
    EXPECT_EQ(find_update_proof(i)->sector->name, names[i]);
    EXPECT_EQ(find_update_proof(i)->name, "StackedDrg" + std::string(names[i]) + "V1");
  }
  EXPECT_EQ(find_update_proof(5), nullptr);
  EXPECT_EQ(find_update_proof(UINT64_MAX), nullptr);
}

/// Published names (post-and-snap 5) and those in the fixtures.
TEST(UpdateSector, ParameterStems) {
  const std::pair<const char*, const char*> want[] = {
      {"2KiB", "8-0-0-fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194"},
      {"4KiB", "8-2-0-86f9265ed999ecebd51ecb470f0ad59033c2f67efc0179811f60a8561bbf2fb7"},
      {"32KiB", "8-8-2-ac7ca4f57f12169edc7e40c5d842c15dc47662228f2c245c97d1ca4dffca0bdd"},
      {"8MiB", "8-0-0-92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63"},
      {"512MiB", "8-0-0-61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c"},
      {"32GiB", "8-8-0-3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18"},
      {"64GiB", "8-8-2-102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"}};
  std::size_t found = 0;
  for (const SectorParams& s : sector_table())
    for (const auto& [name, tail] : want)
      if (s.name == name) {
        ++found;
        EXPECT_EQ(parameter_stem(s),
                  "v28-empty-sector-update-merkletree-poseidon_hasher-" + std::string(tail));
      }
  EXPECT_EQ(found, std::size(want));
}

TEST(UpdateChallenges, RandomnessHash) {
  const Fr digest = poseidon_hash(snap_poseidon_constants(), std::array{Fr::from_u64(1), Fr::from_u64(2)});
  EXPECT_EQ(to_hex(digest.to_bytes_le()), "3c2fe9b59c5f0de453bbb6db5c84af5448c7d4c1fbf41830ab05dbaf9b872c70");
}

/// Vectors of the reference's own test (post-and-snap 3.3).
TEST(UpdateChallenges, ReferenceVectors) {
  const auto bytes = bytes32_from_hex("101cbe4b9c42604f04c703c396f788c6cb2d6d7d58f45430b12eb2edd640076c");
  ASSERT_TRUE(bytes);
  const Fr comm_r_new = Fr::from_bytes_le(*bytes).value();
  struct Vector {
    unsigned log_nodes, k;
    std::array<std::uint64_t, 5> challenges;
  };
  const Vector vectors[] = {{6, 0, {53, 51, 56, 3, 0}},
                            {10, 1, {542, 666, 955, 927, 911}},
                            {18, 1, {78878, 130797, 112892, 93994, 78379}},
                            {24, 15, {16388544, 15794686, 16637142, 16319148, 16328348}},
                            {30, 0, {1019125, 27985696, 15282860, 11586600, 44651330}},
                            {30, 15, {1038629497, 1053983614, 1030421316, 1027373887, 1068685433}},
                            {31, 0, {1019125, 13992848, 3820715, 18225541, 57316660}},
                            {31, 15, {2045262457, 2036941247, 2136653521, 2091356007, 2147167623}}};
  for (const Vector& v : vectors) {
    const SectorParams& sector = *find_sector(std::uint64_t{32} << v.log_nodes);
    const std::vector<std::uint64_t> all = derive_challenges(sector, comm_r_new, v.k);
    ASSERT_EQ(all.size(), sector.challenges());
    for (std::size_t i = 0; i < v.challenges.size(); ++i)
      EXPECT_EQ(all[i], v.challenges[i]) << sector.name << " partition " << v.k << " challenge " << i;
    for (const std::uint64_t c : all) EXPECT_EQ(c >> sector.random_bits(), v.k);
  }
}

TEST(UpdateChallenges, FactorsOfManyNodes) {
  const Fr phi = Fr::from_u64(77);
  const std::vector<std::uint64_t> high{0, 1023, 5, 5, 700, 1, 2, 3, 4};
  const std::vector<Fr> factors = encoding_factors(phi, high, best_isa());
  ASSERT_EQ(factors.size(), high.size());
  for (std::size_t i = 0; i < high.size(); ++i) EXPECT_EQ(factors[i], encoding_factor(phi, high[i]));
  EXPECT_EQ(encode(Fr::from_u64(3), Fr::from_u64(5), Fr::from_u64(7)), Fr::from_u64(38));
}

TEST(UpdatePublicInputs, ValuesAndRefusals) {
  Statement statement;
  statement.comm_r_old[0] = 1;
  statement.comm_r_new[0] = 2;
  statement.comm_d_new[0] = 3;
  const std::tuple<std::uint64_t, unsigned, std::uint64_t> first[] = {
      {std::uint64_t{2} << 10, 0, 1},     {std::uint64_t{32} << 10, 0, 2},
      {std::uint64_t{32} << 10, 1, 3},    {std::uint64_t{8} << 20, 3, 35},
      {std::uint64_t{512} << 20, 2, 130}, {std::uint64_t{32} << 30, 15, 143},
      {std::uint64_t{64} << 30, 0, 128}};
  for (const auto& [bytes, k, want] : first) {
    const auto inputs = public_inputs(*find_sector(bytes), statement, k);
    ASSERT_TRUE(inputs);
    EXPECT_EQ(*inputs, (std::vector{Fr::from_u64(want), Fr::from_u64(1), Fr::from_u64(3), Fr::from_u64(2)}));
  }
  const auto refusal = [&](Bytes32 Statement::*member) {
    Statement bad = statement;
    (bad.*member).fill(0xff);
    const auto inputs = public_inputs(*find_sector(2048), bad, 0);
    return inputs ? "accepted" : inputs.error().message;
  };
  EXPECT_EQ(refusal(&Statement::comm_r_old), "comm_r_old is not a canonical scalar");
  EXPECT_EQ(refusal(&Statement::comm_r_new), "comm_r_new is not a canonical scalar");
  EXPECT_EQ(refusal(&Statement::comm_d_new), "comm_d_new is not a canonical scalar");
}

}  // namespace
}  // namespace cuzk::update
