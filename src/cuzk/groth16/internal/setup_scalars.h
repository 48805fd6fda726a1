#pragma once

#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::groth16 {

/// The scalars of a circuit's parameters, whoever multiplies points by them; those of h are powers of tau and
/// made where they are used. Private to this module.
struct SetupScalars {
  std::vector<Fr> ic, l, a, b;

  /// About 5 x 32 bytes a variable and 32 a row at a time. kUsage: gamma or delta zero, tau in the evaluation
  /// domain. kParams: a variable that no constraint constrains, secrets for which a column vanishes.
  static Result<SetupScalars> of(ThreadPool& pool, const Shape& shape, const ToxicWaste& toxic);
};

}  // namespace cuzk::groth16
