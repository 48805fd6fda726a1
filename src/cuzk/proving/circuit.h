#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/porep/sector.h"
#include "cuzk/filecoin/post/config.h"
#include "cuzk/filecoin/update/sector.h"
#include "cuzk/proving/request.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// A circuit by the id that the command line and the API use: "porep-2k", "winning-32g", "wpost-32g",
/// "snap-64g", ...
struct Circuit {
  std::string id;
  ProofKind kind = ProofKind::porep_seal_commit;
  /// Of the parameter files: append ".params" or ".vk".
  std::string params_stem;
  /// Runs the circuit without values, see record_shape; nothing when it was stopped.
  std::function<std::optional<Shape>(ThreadPool& pool, const std::stop_token& stop)> record;
};

/// All circuits: PoRep, WinningPoSt, WindowPoSt, SnapDeals; of each kind the smallest sector first.
std::vector<Circuit> known_circuits();

/// "window-" and "update-" are other names for "wpost-" and "snap-". kUsage, listing the known ids, when
/// there is no such circuit.
Result<Circuit> find_circuit(std::string_view id);

// The circuit of a sector size; the argument is an element of the kind's table and lives for ever.

Circuit porep_circuit(const porep::SectorParams& sector);
Circuit post_circuit(const post::PostParams& params);
Circuit update_circuit(const update::SectorParams& sector);

/// Runs the circuit without values: parts that are alike (the challenges of a PoRep, the sectors of a window)
/// once, those of an update side by side. About a second for each 3 million constraints that are run, a few
/// seconds in all for the largest circuits; memory as Shape::memory_bytes of the result says (about 37 bytes
/// a constraint), for an update twice that meanwhile.
std::shared_ptr<const Shape> record_shape(ThreadPool& pool, const Circuit& circuit);
/// The same; kStopped within a second of a stop that is asked for.
Result<std::shared_ptr<const Shape>> record_shape(ThreadPool& pool, const Circuit& circuit,
                                                  const std::stop_token& stop);

}  // namespace cuzk
