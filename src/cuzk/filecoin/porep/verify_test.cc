#include "cuzk/filecoin/porep/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include <nlohmann/json.hpp>

#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/porep/fabricate.h"

namespace cuzk::porep {
namespace {

std::string data_path(const std::string& name) {
  return std::string(CUZK_TEST_DATA) + "/porep/" + name;
}

TEST(VerifyVanilla, EveryRealSectorOfTheFixtures) {
  ThreadPool pool(2);
  const char* const files[] = {"2k-v1.c1.json.gz",
                               "2k-v1_1.c1.json.gz",
                               "2k-v1_1-filler.c1.json.gz",
                               "2k-v1_1-zero.c1.json.gz",
                               "2k-v1_2-synthetic.c1.json.gz",
                               "2k-v1_2-noninteractive.c1.json.gz",
                               "8m-v1_1.c1.json.gz",
                               "4k.c1.bincode.gz",
                               "16k.c1.bincode.gz",
                               "32k.c1.bincode.gz"};
  for (const std::string file : files) {
    SCOPED_TRACE(file);
    const auto document = read_c1_file(data_path(file));
    ASSERT_TRUE(document) << document.error().message;
    const auto verified = verify_vanilla(pool, document->output);
    EXPECT_TRUE(verified) << verified.error().message;

    const auto text = InputFile::open(data_path(file.substr(0, file.find(".c1.")) + ".json"));
    const auto info = nlohmann::json::parse(text->bytes().begin(), text->bytes().end());
    const auto miner = info.at("miner").get<std::uint64_t>();
    const auto sector = info.at("sector").get<std::uint64_t>();
    EXPECT_TRUE(verify_replica_id(document->output, miner, sector));
    EXPECT_FALSE(verify_replica_id(document->output, miner + 1, sector));
    EXPECT_FALSE(verify_replica_id(document->output, miner, sector + 1));
  }
}

/// Challenges depend on the partition, so proofs that are true where they belong are false elsewhere.
TEST(VerifyVanilla, ExchangedPartitionsAreRefused) {
  ThreadPool pool(2);
  C1Output c1 = read_c1_file(data_path("2k-v1_2-noninteractive.c1.json.gz")).value().output;
  ASSERT_EQ(c1.vanilla.partitions(), 13U);
  const ProofLayout layout(*c1.config.sector);
  const auto exchange = [&](std::size_t k, std::size_t other) {
    for (std::size_t i = 0; i < c1.config.sector->challenges; ++i) {
      // A challenge proof is one run of nodes and one of numbers, which tree D begins.
      const MutableMerkleProof a = c1.vanilla.challenge(k, i).tree_d();
      const MutableMerkleProof b = c1.vanilla.challenge(other, i).tree_d();
      std::swap_ranges(&a.root, &a.root + layout.nodes(), &b.root);
      std::swap_ranges(a.indices.data(), a.indices.data() + layout.numbers(), b.indices.data());
    }
  };
  ASSERT_TRUE(verify_vanilla(pool, c1));
  exchange(3, 8);
  const auto refused = verify_vanilla(pool, c1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("[3][0].comm_d_proofs: the path is that of node"), std::string::npos)
      << refused.error().message;
  EXPECT_NE(refused.error().message.find("(partition 3, challenge 0"), std::string::npos);
  exchange(3, 8);
  EXPECT_TRUE(verify_vanilla(pool, c1));
}

/// The mutations of porep 14.8 and more, each with the part of the message that says what is wrong.
class Mutations : public testing::TestWithParam<const char*> {
 protected:
  Mutations() : original_(std::move(read_c1_file(data_path(GetParam()))->output)) {}

  void expect_refused(const std::function<void(C1Output&)>& change, const std::string& part) {
    C1Output c1 = original_;
    change(c1);
    const auto result = verify_vanilla(pool_, c1);
    ASSERT_FALSE(result) << "expected: " << part;
    EXPECT_NE(result.error().message.find(part), std::string::npos)
        << "expected: " << part << "\nin: " << result.error().message;
  }

  static void flip(Bytes32& node) { node[3] ^= 4; }
  std::string proof(unsigned i) const {
    std::string path = "vanilla_proofs";
    if (original_.config.registered != nullptr) {
      path += '.';
      path += original_.config.registered->vanilla_key;
    }
    return path.append("[0][").append(std::to_string(i)).append("].");
  }

  C1Output original_;
  ThreadPool pool_{2};
};

TEST_P(Mutations, PathsAndPositions) {
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).tree_d().siblings[3]); },
                 proof(1) + "comm_d_proofs: the path does not lead to comm_d");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).tree_d().leaf); },
                 proof(1) + "comm_d_proofs: the path does not lead to comm_d");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).tree_d().root); },
                 proof(0) + "comm_d_proofs: the root is not comm_d");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).tree_d().indices[0] ^= 1; },
                 proof(1) + "comm_d_proofs: the path is that of node");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).tree_r().siblings[0]); },
                 proof(1) + "comm_r_last_proof: the path does not lead to comm_r_last");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).tree_r().siblings.back()); },
                 proof(1) + "comm_r_last_proof: the path does not lead to comm_r_last");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).tree_r().indices[1] ^= 1; },
                 proof(1) + "comm_r_last_proof: the path is that of node");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).own_column().inclusion.siblings[5]); },
                 proof(0) + "replica_column_proofs.c_x.inclusion_proof: the path does not lead to comm_c");
  expect_refused(
      [](C1Output& c) { flip(c.vanilla.challenge(0, 0).expander_parent(7).inclusion.siblings[5]); },
      proof(0) + "replica_column_proofs.exp_parents[7].inclusion_proof: the path does not lead to comm_c");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 0).drg_parent(2).inclusion.indices[0] ^= 1; },
                 proof(0) + "replica_column_proofs.drg_parents[2].inclusion_proof: the path is that of node");
}

TEST_P(Mutations, RowsLabelsAndLeaves) {
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).drg_parent(4).rows[1]); },
                 proof(0) + "replica_column_proofs.drg_parents[4]: the leaf is not the hash");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).own_column().rows[0]); },
                 proof(0) + "replica_column_proofs.c_x: the leaf is not the hash");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).own_column().inclusion.leaf); },
                 proof(0) + "replica_column_proofs.c_x: the leaf is not the hash");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).tree_r().leaf); },
                 proof(1) + "comm_r_last_proof: the path does not lead");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).own_column().index += 1; },
                 proof(1) + "replica_column_proofs.c_x.column.index: ");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).expander_parent(3).index += 1; },
                 proof(1) + "replica_column_proofs.exp_parents[3].column.index: ");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).labeling(0).node += 1; },
                 proof(1) + "labeling_proofs[0].node: ");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).labeling(1).node += 1; },
                 proof(1) + "labeling_proofs[1].node: ");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).labeling(1).layer_index += 1; },
                 proof(1) + "labeling_proofs[1].layer_index: 3, expected 2");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).labeling(0).parents[36]); },
                 proof(1) + "labeling_proofs[0].parents[36]: not the label");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).labeling(1).parents[20]); },
                 proof(1) + "labeling_proofs[1].parents[20]: not the label");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).encoding().parents[20]); },
                 proof(1) + "encoding_proof.parents[20]: differs");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).encoding().layer_index = 1; },
                 proof(1) + "encoding_proof.layer_index: 1, expected 2");
  expect_refused([](C1Output& c) { c.vanilla.challenge(0, 1).encoding().node += 1; },
                 proof(1) + "encoding_proof.node: ");
}

TEST_P(Mutations, Roots) {
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).own_column().inclusion.root); },
                 proof(1) + "replica_column_proofs.c_x.inclusion_proof: the root differs");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).tree_r().root); },
                 proof(1) + "comm_r_last_proof: the root differs");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 1).drg_parent(0).inclusion.root); },
                 proof(1) + "replica_column_proofs.drg_parents[0].inclusion_proof: the root differs");
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).own_column().inclusion.root); },
                 "partition 0: the roots of " + proof(0).substr(0, proof(0).size() - 1));
  expect_refused([](C1Output& c) { flip(c.vanilla.challenge(0, 0).tree_r().root); }, "do not hash to comm_r");
  expect_refused(
      [](C1Output& c) {
        for (unsigned i = 0; i < 2; ++i) {
          c.vanilla.challenge(0, i).tree_r().root = Bytes32{1};
          for (unsigned column = 0; column < 15; ++column)
            c.vanilla.challenge(0, i).column(column).inclusion.root = Bytes32{2};
        }
      },
      "do not hash to comm_r");
}

TEST_P(Mutations, PublicValues) {
  // Other challenges follow from the replica id and the seed; either way the first proof is of another node,
  // or its label no longer fits.
  expect_refused([](C1Output& c) { flip(c.replica_id); }, proof(0));
  expect_refused([](C1Output& c) { flip(c.comm_d); }, proof(0) + "comm_d_proofs: the root is not comm_d");
  expect_refused([](C1Output& c) { flip(c.comm_r); }, "do not hash to comm_r");
  expect_refused([](C1Output& c) { flip(c.seed); }, "comm_d_proofs: the path is that of node");
  C1Output other_ticket = original_;
  flip(other_ticket.ticket);
  EXPECT_TRUE(verify_vanilla(pool_, other_ticket)) << "only replica_id depends on the ticket";
  EXPECT_FALSE(verify_replica_id(other_ticket, 1, 1));
}

TEST_P(Mutations, Exchanges) {
  expect_refused(
      [&](C1Output& c) {
        VanillaProof exchanged(*c.config.sector);
        for (const std::size_t from : {1U, 0U}) {
          const auto to = exchanged.append();
          const ProofLayout layout(*c.config.sector);
          std::copy_n(&c.vanilla.at(from).tree_d().root, layout.nodes(), &to.tree_d().root);
          std::copy_n(&c.vanilla.at(from).tree_d().indices[0], layout.numbers(), &to.tree_d().indices[0]);
        }
        c.vanilla = exchanged;
      },
      proof(0) + "comm_d_proofs: the path is that of node");
  expect_refused(
      [](C1Output& c) {
        // Two DRG parents that are different nodes.
        const auto challenge = c.vanilla.challenge(0, 1);
        for (std::size_t i = 1; i < kDrgParents; ++i) {
          const auto a = challenge.drg_parent(0);
          const auto b = challenge.drg_parent(i);
          if (a.index == b.index) continue;
          std::swap_ranges(a.rows.begin(), a.rows.end(), b.rows.begin());
          std::swap(a.index, b.index);
          std::swap(a.inclusion.leaf, b.inclusion.leaf);
          std::swap_ranges(a.inclusion.siblings.begin(), a.inclusion.siblings.end(),
                           b.inclusion.siblings.begin());
          std::swap_ranges(a.inclusion.indices.begin(), a.inclusion.indices.end(),
                           b.inclusion.indices.begin());
          return;
        }
        FAIL() << "all DRG parents are one node";
      },
      proof(1) + "replica_column_proofs.drg_parents[0].inclusion_proof: the path is that of node");
}

INSTANTIATE_TEST_SUITE_P(Sectors, Mutations,
                         testing::Values("2k-v1_1.c1.json.gz", "2k-v1_1-filler.c1.json.gz",
                                         "32k.c1.bincode.gz"));

TEST(VerifyVanilla, PartitionsOfANonInteractiveSector) {
  ThreadPool pool(2);
  C1Output c1 = std::move(read_c1_file(data_path("2k-v1_2-noninteractive.c1.json.gz"))->output);
  c1.seed[0] ^= 1;
  EXPECT_TRUE(verify_vanilla(pool, c1)) << "the seed does not enter";
  c1.vanilla.challenge(12, 1).tree_r().siblings[0][0] ^= 1;
  c1.vanilla.challenge(7, 0).labeling(1).node ^= 1;
  const auto result = verify_vanilla(pool, c1);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("[7][0].labeling_proofs[1].node"), std::string::npos)
      << "the first fault is named: " << result.error().message;
  EXPECT_NE(result.error().message.find("partition 7, challenge 0, node"), std::string::npos);
}

}  // namespace
}  // namespace cuzk::porep
