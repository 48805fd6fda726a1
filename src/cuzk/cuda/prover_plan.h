#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cuzk/groth16/proving_key.h"

namespace cuzk::cuda {

/// What a circuit asks of a device, as numbers.
struct CircuitCounts {
  struct Query {
    std::uint64_t bits = 0;  ///< bit bases
    std::uint64_t wide = 0;  ///< wide bases
  };
  unsigned domain_log_size = 0;
  std::uint64_t values = 0;  ///< inputs and wide aux variables
  std::uint64_t bits = 0;    ///< boolean aux variables
  std::uint64_t h = 0;       ///< points of h
  Query l, a, b;             ///< b: in G1 and in G2

  // Rows (internal/row_layout.h).
  std::uint64_t short_terms = 0;
  std::uint64_t long_terms = 0;
  std::uint64_t long_runs = 0;
  std::uint64_t row_groups = 0;
  std::uint64_t constraints = 0;
  std::uint64_t coefficients = 0;
  bool wide_ids = false;
};
/// Walks all rows of the key's shape.
[[nodiscard]] CircuitCounts circuit_counts(const groth16::ProvingKey& key);

/// The device memory of one circuit with everything resident, byte for byte as Context counts it.
///
/// A launch has two phases beside the resident part: the quotient's, which is planned here in full, and then
/// the sums, which cut themselves to what the quotient has given back, less one array of the domain's size
/// while h is summed.
struct ProverPlan {
  struct Part {
    std::string name;
    std::uint64_t bytes = 0;
  };
  std::vector<Part> resident;  ///< from hold to drop
  std::vector<Part> quotient;  ///< at a time, in a launch
  std::uint64_t loading = 0;   ///< the most taken at a time beside resident parts while the key is copied

  [[nodiscard]] std::uint64_t resident_bytes() const;
  [[nodiscard]] std::uint64_t quotient_bytes() const;
  /// What must fit.
  [[nodiscard]] std::uint64_t needed_bytes() const;
  /// One line a part, with sums: for logs and --dry-run.
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] ProverPlan plan_prover(const CircuitCounts& counts);

/// Points of h that are copied to the device at a time.
inline constexpr std::uint64_t kLoadedPoints = std::uint64_t{1} << 18;

}  // namespace cuzk::cuda
