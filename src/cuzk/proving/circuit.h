#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/filecoin/porep/sector.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// A circuit by the id that the command line and the API use: "porep-2k", ..., "porep-64g".
struct Circuit {
  std::string id;
  /// Of the parameter files: append ".params" or ".vk".
  std::string params_stem;
  /// Runs the circuit without values, see record_shape.
  std::function<Shape()> record;
};

/// All circuits, smallest sector first.
std::vector<Circuit> known_circuits();

/// kUsage, listing the known ids, when there is no such circuit.
Result<Circuit> find_circuit(std::string_view id);

/// The PoRep circuit of a sector size; `sector` is one of porep::sector_table().
Circuit porep_circuit(const porep::SectorParams& sector);

/// Runs the circuit once without values. Takes about a second for each 3 million constraints; memory as
/// Shape::memory_bytes of the result says (about 37 bytes a constraint).
std::shared_ptr<const Shape> record_shape(const Circuit& circuit);

}  // namespace cuzk
