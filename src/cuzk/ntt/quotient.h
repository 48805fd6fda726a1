#pragma once

#include <span>

#include "cuzk/ntt/transform.h"

namespace cuzk::ntt {

/// The coefficients of h = (A B - C) / Z, where A, B and C are the polynomials of degree below n with the
/// given values on the domain, C the one with the values a_i b_i, and Z = x^n - 1. Six transforms instead of
/// seven: on the coset w2 * domain, w2 a primitive 2n-th root of unity, Z is w2^n - 1 = -2, so A B = C + h Z
/// is C - 2 h there. That has degree below n, so it is what n values of A B on the coset interpolate to, and
/// h = (interpolate(A B on the coset) - C) / -2, coefficient by coefficient: C needs no values on the coset.
///
/// Immutable; one object may serve several threads.
class Quotient {
 public:
  /// log_size <= Transform::kMaxLogSize, isa supported (checked).
  Quotient(Isa isa, unsigned log_size);

  /// All three spans have n = 2^log_size elements (checked). In: `a` and `b`, values of A and B at omega^0 ..
  /// omega^(n-1). Out: `a` holds h_0 .. h_(n-1) in natural order (ready for the MSM with the h bases of a
  /// key); `b` and `scratch` are overwritten. h_(n-1) is zero by construction: false is returned when it is
  /// not, which means that a transform went wrong (an unsatisfied witness does not show here, since C is
  /// taken from a b).
  [[nodiscard]] bool run(ThreadPool& pool, std::span<Fr> a, std::span<Fr> b, std::span<Fr> scratch) const;

 private:
  void multiply(ThreadPool& pool, std::span<Fr> dst, std::span<const Fr> a, std::span<const Fr> b) const;

  const FrKernels* kernels_;
  Transform to_coefficients_;    // values on the domain -> coefficients, reversed
  Transform to_scaled_;          // the same times -1/2
  Transform to_coset_;           // coefficients, reversed -> values on the coset
  Transform from_coset_scaled_;  // values on the coset -> coefficients times -1/2, reversed
};

/// dst_i = dst_r(i) - b_r(i), r(i) = reverse_bits(i, log_size): the difference of two arrays in reversed
/// order, in natural order. Both of 2^log_size elements, not overlapping.
void subtract_reversed(ThreadPool& pool, std::span<Fr> dst, std::span<const Fr> b, unsigned log_size);

}  // namespace cuzk::ntt
