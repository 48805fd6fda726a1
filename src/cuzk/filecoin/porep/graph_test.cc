#include "cuzk/filecoin/porep/graph.h"

#include <gtest/gtest.h>

#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/labels.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

Graph graph_of(unsigned number) {
  return Graph(porep_config(*find_seal_proof(number)));
}

std::string parent_table_digest(const Graph& graph) {
  Sha256 hash;
  for (Node node = 0; node < graph.nodes(); ++node) {
    std::array<std::uint8_t, 4 * kParents> row;
    const auto parents = graph.parents(node);
    for (std::size_t i = 0; i < kParents; ++i) store_le(row.data() + 4 * i, parents[i]);
    hash.update(row);
  }
  return to_hex(hash.finish());
}

// Values of porep 2.4; the digests are the published ones of rust-fil-proofs' parent_cache.json.
TEST(Graph, ParentTablesOf2KiB) {
  EXPECT_EQ(parent_table_digest(graph_of(0)),
            "3da49221e2ed55371b86d0bf3d6526fcf128af61bed904f966428db1b531750d");
  EXPECT_EQ(parent_table_digest(graph_of(5)),
            "840057702eea7652cf97e04306c30fe57174714d90de156a25eddd6075c25b97");
}

TEST(Graph, Seeds) {
  struct Case {
    unsigned number;
    const char* drg_seed;
    std::uint64_t key[3];
  };
  const Case cases[] = {{0,
                         "623f03efd4cbc4f029203ee913d026a4e2d9913025a8aed04fec97a0",
                         {0x8fb5fa185a23bce6, 0xd567abafe374f26e, 0xa2f3f4da23359acc}},
                        {5,
                         "3be68542ec229705b99be29c2106b0e4222ccd1d0311398ea4d22d7d",
                         {0x90b15b1c4509e47a, 0xdc5378c03df3f21b, 0xfa76fc24deb9d7ac}},
                        {3,
                         "a674e44e91e0af2c0d2406b8f0437a0832819d7568d3f7fe2f665a92",
                         {0xad34733ae94c2bc0, 0x128224972c156342, 0x935d1caca8ada2d9}},
                        {8,
                         "ba0350183955dc9f07e73503f5c63ff1bd9c22501363983de241f74a",
                         {0x35a20d6c881b3e73, 0x11063648dc13a120, 0xa8c1ad029b31fcb5}},
                        {9,
                         "bab80f31f3694d562279ef610ca1f43e36050d6d7fad9613d62483b8",
                         {0xa3e0f807b2608bbf, 0x58283749bc2d4bde, 0x2a81f68634313622}}};
  for (const Case& c : cases) {
    const Graph graph = graph_of(c.number);
    EXPECT_EQ(to_hex(graph.drg_seed()), c.drg_seed);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(graph.feistel_keys()[i], c.key[i]);
  }
}

TEST(Graph, ParentsOfSingleNodes) {
  using Parents = std::array<Node, kParents>;
  struct Case {
    unsigned number;
    Node node;
    Parents parents;
  };
  const Case cases[] = {{5, 2, {1, 1, 1, 0, 1, 0, 30, 28, 55, 63, 63, 36, 37, 36}},
                        {5, 40, {39, 39, 24, 22, 38, 29, 32, 10, 29, 52, 48, 6, 29, 19}},
                        {5, 63, {62, 15, 42, 62, 61, 62, 0, 15, 30, 30, 28, 42, 49, 38}},
                        {0, 2, {0, 1, 1, 1, 1, 1, 32, 49, 26, 57, 3, 4, 47, 63}},
                        {0, 63, {62, 61, 56, 62, 37, 62, 49, 37, 35, 41, 52, 50, 54, 5}},
                        {8,
                         1000,
                         {999, 999, 993, 999, 987, 994, 610880257, 52958456, 114467229, 442886740, 935021104,
                          986163808, 486080124, 611062435}},
                        {8,
                         1073741823,
                         {1073741822, 1073258530, 440642413, 663190843, 1073741654, 1073741786, 307718517,
                          715446084, 558280128, 265147410, 110937796, 626719228, 201839602, 653041812}},
                        {9,
                         2147483647,
                         {2147483646, 2147483645, 2147473607, 2147483646, 2147483609, 1322413322, 319537050,
                          259923117, 180788485, 1838730986, 786079656, 319786570, 1561782586, 1183784015}},
                        {3,
                         1000,
                         {992, 999, 685, 999, 851, 999, 56765109, 142792959, 55421737, 123123914, 7049045,
                          479267348, 532767812, 301615063}}};
  for (const Case& c : cases)
    EXPECT_EQ(graph_of(c.number).parents(c.node), c.parents) << c.number << ' ' << c.node;
}

TEST(Graph, DrgParentsAreSmaller) {
  for (const unsigned number : {0U, 5U}) {
    const Graph graph = graph_of(number);
    for (Node node = 1; node < graph.nodes(); ++node)
      for (const Node parent : graph.drg_parents(node)) EXPECT_LT(parent, node);
  }
}

// rust-fil-proofs' own golden labels: replica id of nines, 11 layers, last node of the last layer.
TEST(Labels, UpstreamGoldenValues) {
  struct Case {
    std::uint64_t nodes;
    std::uint8_t porep_id_byte;
    ApiVersion version;
    std::uint64_t limb[4];
  };
  const Case cases[] = {{64,
                         0,
                         ApiVersion::v1_0_0,
                         {0xd3faa96b9a0fba04, 0xea81a283d106485e, 0xe3d51b9afa5ac2b3, 0x0462f4f4f1a68d37}},
                        {128,
                         0,
                         ApiVersion::v1_0_0,
                         {0x7e191e52c4a8da86, 0x5ae8a1c9e6fac148, 0xce239f3b88a894b8, 0x234c00d1dc1d53be}},
                        {64,
                         123,
                         ApiVersion::v1_1_0,
                         {0xabb3f38bb70defcf, 0x777a2e4d7769119f, 0x3448959d495490bc, 0x06021188c7a71cb5}},
                        {128,
                         123,
                         ApiVersion::v1_1_0,
                         {0x22ab81cf68c4676d, 0x7a77a82fc7c9c189, 0xc6c03d32c1e42d23, 0x0f777c18cc2c55bd}}};
  Bytes32 replica_id;
  replica_id.fill(9);
  for (const Case& c : cases) {
    Bytes32 porep_id;
    porep_id.fill(c.porep_id_byte);
    const auto labels = label_all_nodes(Graph(c.nodes, porep_id, c.version), replica_id, 11);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(load_le<std::uint64_t>(labels[10].back().data() + 8 * i), c.limb[i]);
  }
}

}  // namespace
}  // namespace cuzk::porep
