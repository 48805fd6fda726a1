#pragma once

#include <array>
#include <span>
#include <vector>

#include "cuzk/field/fr.h"
#include "cuzk/filecoin/porep/graph.h"

namespace cuzk::porep {

/// The label of `node` in `layer` (1-based) from its parents' labels, which are repeated in order until all
/// 37 slots are filled: 6 in layer 1, 14 (DRG of this layer, expander of the layer before) elsewhere. An
/// empty list gives the label of node 0, which has no parents. porep 3.2.
Bytes32 create_label(const Bytes32& replica_id, unsigned layer, std::uint64_t node,
                     std::span<const Bytes32> parents);

/// Every label of a sector, layer by layer: element l - 1 holds layer l. Sequential and for all nodes; meant
/// for small sectors.
std::vector<std::vector<Bytes32>> label_all_nodes(const Graph& graph, const Bytes32& replica_id,
                                                  unsigned layers);

/// Field addition of a label (the key) and a data node; both must be canonical.
Bytes32 encode(const Bytes32& key, const Bytes32& data);

}  // namespace cuzk::porep
