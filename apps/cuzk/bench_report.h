#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cuzk::app {

/// One proof of a benchmark. Times are seconds since its run began.
struct BenchSample {
  std::string kind;
  double begin = 0;
  double end = 0;
  bool failed = false;
  std::string error;
  std::uint64_t queue_wait_ms = 0;
  std::uint64_t synthesis_ms = 0;
  std::uint64_t gpu_compute_ms = 0;
};

/// One run: what was done, with what, and what came out.
struct BenchRun {
  std::string label;   ///< within a sweep: the settings
  std::string target;  ///< BenchTarget::description
  std::vector<BenchSample> samples;
  double wall_seconds = 0;
  double device_efficiency = 0;  ///< time that device locks were held / (wall time * devices)
  std::uint64_t peak_resident_bytes = 0;

  [[nodiscard]] std::size_t failures() const;
  /// Wall time per proof that came out; 0 when none did.
  [[nodiscard]] double seconds_per_proof() const;
};

/// The value below which `percent` of the values lie (nearest rank); 0 of none.
double percentile(std::vector<double> values, double percent);

/// Processor, cores, memory, kernel, and the date.
nlohmann::ordered_json machine_description();

nlohmann::ordered_json to_json(const BenchRun& run);
/// A few lines for people.
std::string to_text(const BenchRun& run);

/// One run: every proof as a bar over time. Several: their seconds per proof as bars.
std::string to_svg(const std::vector<BenchRun>& runs);

}  // namespace cuzk::app
