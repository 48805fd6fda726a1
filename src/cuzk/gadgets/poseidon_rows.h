#pragma once

#include <span>
#include <vector>

#include "cuzk/hash/poseidon.h"

namespace cuzk {

/// Coefficients of the linear combinations inside a Poseidon circuit. They depend on the instance only, not
/// on where the hash stands in a circuit: within the partial rounds every state element is a combination of
/// the t S-box results y_0 .. y_(t-1) of the last full layer and one more per partial layer before it.
/// Immutable.
class PoseidonRows {
 public:
  explicit PoseidonRows(const PoseidonConstants& constants);

  /// Element 0 before the S-box of partial layer j: t + j coefficients.
  [[nodiscard]] std::span<const Fr> partial(unsigned j) const {
    return std::span(partial_).subspan(std::size_t{j} * width_ + std::size_t{j} * (j - 1) / 2, width_ + j);
  }
  /// Element i after all partial layers: t + R_P coefficients.
  [[nodiscard]] std::span<const Fr> after_partial(unsigned i) const {
    return std::span(after_).subspan(std::size_t{i} * (width_ + rounds_), width_ + rounds_);
  }

 private:
  std::size_t width_;
  std::size_t rounds_;
  std::vector<Fr> partial_;
  std::vector<Fr> after_;
};

/// The rows of poseidon_constants(arity), built on first use, then shared; thread-safe. They serve any domain
/// tag.
const PoseidonRows& poseidon_rows(unsigned arity);

}  // namespace cuzk
