#pragma once

#include <string>

#include "cuzk/filecoin/update/sector.h"

namespace cuzk::update {

/// Identifier string of the EmptySectorUpdate circuit of a sector size; its hash names the parameter file
/// (post-and-snap 5).
std::string parameter_identifier(const SectorParams& sector);

/// "v28-empty-sector-update-merkletree-...": append ".params" or ".vk". (Files named
/// "v28-empty-sector-update-poseidon-..." belong to another circuit, with the same hash in the name.)
std::string parameter_stem(const SectorParams& sector);

}  // namespace cuzk::update
