#include "cuzk/filecoin/update/parameters.h"

#include "cuzk/filecoin/parameter_name.h"

namespace cuzk::update {

std::string parameter_identifier(const SectorParams& sector) {
  return "empty_sector_update::PublicParams{ sector_nodes: " + std::to_string(sector.nodes()) + " }";
}

std::string parameter_stem(const SectorParams& sector) {
  return cuzk::parameter_stem("empty-sector-update-" + tree_display_name(sector.tree),
                              parameter_identifier(sector));
}

}  // namespace cuzk::update
