#pragma once

#include <string>

#include "cuzk/filecoin/porep/sector.h"

namespace cuzk::porep {

/// Identifier string of the PoRep circuit of a sector size; its hash names the parameter file. One file
/// serves all versions and features of a size.
std::string parameter_identifier(const SectorParams& sector);

/// "v28-stacked-proof-of-replication-...": append ".params" or ".vk".
std::string parameter_stem(const SectorParams& sector);

}  // namespace cuzk::porep
