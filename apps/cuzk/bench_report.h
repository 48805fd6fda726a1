#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "cuzk/engine/bench.h"

namespace cuzk::app {

/// Processor, cores, memory, kernel, and the date.
nlohmann::ordered_json machine_description();

/// With the figures of the timeline where the engine was in this process, as `cuzk timeline --json` has them
/// but for the single gaps.
nlohmann::ordered_json to_json(const engine::BenchRun& run);

/// One run: every proof as a bar over time. Several: their seconds per proof as bars.
std::string to_svg(const std::vector<engine::BenchRun>& runs);

}  // namespace cuzk::app
