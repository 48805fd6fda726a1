#include <gtest/gtest.h>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/graph.h"
#include "cuzk/hash/sha256.h"

namespace cuzk::porep {
namespace {

// Published digests of rust-fil-proofs' parent_cache.json.
TEST(Graph, ParentTablesOf8MiB) {
  const std::pair<unsigned, const char*> cases[] = {
      {1, "a76604f2f59f2744c7151653bbb1d8596b6b57d295e6fa6c1f0c41d725b502ce"},
      {6, "03cd13565ded97c240a5f52e54295ad127bd0461b57904cb3a4d79b097bbecab"}};
  for (const auto& [number, digest] : cases) {
    const Graph graph(porep_config(*find_seal_proof(number)));
    Sha256 hash;
    for (Node node = 0; node < graph.nodes(); ++node) {
      const auto parents = graph.parents(node);
      hash.update({reinterpret_cast<const std::uint8_t*>(parents.data()), sizeof parents});
    }
    EXPECT_EQ(to_hex(hash.finish()), digest);
  }
}

}  // namespace
}  // namespace cuzk::porep
