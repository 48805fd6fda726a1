#pragma once

#include <string>
#include <string_view>

#include "cuzk/filecoin/merkle/tree_shape.h"

namespace cuzk {

/// "merkletree-poseidon_hasher-<base>-<sub>-<top>", the display name of a tree shape.
std::string tree_display_name(const TreeShape& shape);

/// The stem of a parameter file in the network's cache: "v28-<prefix>-<SHA-256 of the identifier, hex>".
/// The files are the stem with ".params" or ".vk" appended. The identifier is the circuit's description as
/// the reference prints it; prefixes and identifiers of all kinds are in porep 12.
std::string parameter_stem(std::string_view prefix, std::string_view identifier);

}  // namespace cuzk
