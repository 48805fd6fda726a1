#pragma once

#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::groth16 {

/// The QAP's polynomials of every variable at the point tau: at, bt, ct of groth16-and-formats 2.3.
struct QapColumns {
  struct Values {
    std::vector<Fr> a, b, c;
  };
  Values inputs;
  Values aux;
};

/// The Lagrange basis of the domain of 2^log_size points at tau: L_j(tau) = (tau^m - 1) omega^j / (m (tau -
/// omega^j)), for j < m. tau^m must not be 1.
std::vector<Fr> lagrange_basis_at(ThreadPool& pool, unsigned log_size, const Fr& tau);

/// Sums coefficient times L_j over all rows, the appended input rows included. `basis` has at least
/// num_rows() values.
QapColumns qap_columns(ThreadPool& pool, const Shape& shape, std::span<const Fr> basis);

}  // namespace cuzk::groth16
