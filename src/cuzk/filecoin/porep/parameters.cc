#include "cuzk/filecoin/porep/parameters.h"

#include "cuzk/filecoin/parameter_name.h"

namespace cuzk::porep {
namespace {

std::string tree_name(const SectorParams& sector) {
  return tree_display_name(sector.tree);
}

}  // namespace

std::string parameter_identifier(const SectorParams& sector) {
  return "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: " +
         std::to_string(kExpanderParents) +
         " base_graph: drgraph::BucketGraph{size: " + std::to_string(sector.nodes()) +
         "; degree: " + std::to_string(kDrgParents) +
         "; hasher: poseidon_hasher} }, challenges: LayerChallenges { layers: " +
         std::to_string(sector.layers) + ", max_count: " + std::to_string(sector.challenges) +
         " }, tree: " + tree_name(sector) + " }";
}

std::string parameter_stem(const SectorParams& sector) {
  return cuzk::parameter_stem("stacked-proof-of-replication-" + tree_name(sector) + "-sha256_hasher",
                              parameter_identifier(sector));
}

}  // namespace cuzk::porep
