#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk::bench {

/// A circuit with the proportions of a 32 GiB PoRep partition, of any size: a few blocks of 26,000 variables,
/// repeated. At 2^27: 130,278,869 rows, 328 of them of inputs, 130,169,893 aux variables, of which 1.3 % are
/// wide; 99.7 % of them occur in A and 25.4 % in B; 5.5 terms a row; half of the bits are one. At 2^26 half
/// of each, and so on.
///
/// A block has bits that are free (a boolean row each), bits that are the exclusive or of two others or
/// chosen by one (as in SHA-256's rounds), wide sums of 117 bits and an input, and products of wide sums.
class SyntheticCircuit {
 public:
  static constexpr unsigned kMinLogSize = 12;

  /// kMinLogSize <= log_size <= 28, of the domain.
  explicit SyntheticCircuit(unsigned log_size);
  ~SyntheticCircuit();
  SyntheticCircuit(const SyntheticCircuit&) = delete;
  SyntheticCircuit& operator=(const SyntheticCircuit&) = delete;

  [[nodiscard]] std::shared_ptr<const Shape> shape(ThreadPool& pool) const;
  /// A satisfying one; another for every seed.
  [[nodiscard]] Witness witness(ThreadPool& pool, std::uint64_t seed) const;
  /// Its public inputs, without ONE.
  [[nodiscard]] std::vector<Fr> inputs(std::uint64_t seed) const;

 private:
  class Piece;
  std::vector<std::unique_ptr<const Piece>> blocks_;  // taken in turn
  std::size_t block_count_ = 0;
  std::unique_ptr<const Piece> rest_;
};

}  // namespace cuzk::bench
