#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/engine/engine.h"

namespace cuzk::bench {

/// Jobs through an engine in this process, one configuration.
struct EngineRun {
  std::string name;                      ///< of the files and in the output
  std::vector<std::string> circuit_ids;  ///< loaded before the clock starts
  unsigned workers_per_device = 2;
  unsigned partition_workers = 4;
  std::vector<ProofRequest> requests;  ///< submitted one after the other, none waits for a proof
  std::uint64_t memory = 0;            ///< EngineConfig::memory_budget
  std::string folder;                  ///< for NAME.svg, NAME.timeline and NAME.txt; empty: no files
};

/// Prints times and efficiencies, the gaps of the lock by class, what synthesis took and the most memory that
/// the process had meanwhile (with what it held before: keys lie in it as files otherwise would). Every proof
/// has been verified by the engine. An Error when a job fails or a file cannot be written.
Result<void> run_engine(ThreadPool& pool, const std::shared_ptr<engine::Device>& device,
                        const std::shared_ptr<engine::CircuitSource>& circuits,
                        const engine::RequestReader& reader, const EngineRun& run);

/// A device that keeps its keys from one engine to the next.
std::shared_ptr<engine::Device> keeping_keys(std::shared_ptr<engine::Device> device);

}  // namespace cuzk::bench
