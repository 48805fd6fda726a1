#pragma once

#include <cstddef>

#include "cuzk/curve/batch_add.h"
#include "cuzk/field/inverse.h"

namespace cuzk::detail {

inline Fp quick_inverse(const Fp& a) {
  return inverse_by_division_steps(a);
}
inline Fp2 quick_inverse(const Fp2& a) {
  const Fp n = inverse_by_division_steps(a.norm());
  return {a.c0 * n, -(a.c1 * n)};
}

template <class F>
inline Affine<F> load_point(const Affine<F>* points, const PointRef* refs, std::size_t i) {
  if (refs == nullptr) return points[i];
  const Affine<F>& p = points[refs[i] >> 1];
  return (refs[i] & 1) != 0 ? -p : p;
}

/// How a sum p + q is found: by the chord, by the tangent, or without any arithmetic.
enum class SumKind { chord, tangent, first, second, infinity };

template <class F>
inline SumKind classify(const Affine<F>& p, const Affine<F>& q) {
  if (p.is_infinity()) return SumKind::second;
  if (q.is_infinity()) return SumKind::first;
  if (!(p.x == q.x)) return SumKind::chord;
  // A point of order two (y = 0) is its own opposite; the curves have none, other inputs must not divide by
  // zero.
  if (p.y == q.y && !p.y.is_zero()) return SumKind::tangent;
  return SumKind::infinity;
}

/// The denominator of the slope; one where no slope is needed.
template <class F>
inline F slope_denominator(SumKind kind, const Affine<F>& p, const Affine<F>& q) {
  switch (kind) {
    case SumKind::chord:
      return q.x - p.x;
    case SumKind::tangent:
      return p.y.dbl();
    default:
      return F::one();
  }
}

/// The sum without a slope. Not for chord and tangent.
template <class F>
inline Affine<F> trivial_sum(SumKind kind, const Affine<F>& p, const Affine<F>& q) {
  if (kind == SumKind::first) return p;
  if (kind == SumKind::second) return q;
  return Affine<F>::infinity();
}

/// The definition of a batch addition, one sum after the other. `Mul` has the products of F: mul(a, b),
/// square(a).
template <class F, class Mul>
void batch_add_scalar(const BatchAddJob<F>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
  std::size_t total = 0;
  for (std::size_t j = 0; j < job_count; ++j) total += jobs[j].count;
  if (total == 0) return;
  struct Step {
    F before;  // product of the earlier denominators
    F denominator;
  };
  Step* step = reinterpret_cast<Step*>(scratch.reserve(total * sizeof(Step)));
  F product = F::one();
  for (std::size_t j = 0; j < job_count; ++j) {
    const BatchAddJob<F>& job = jobs[j];
    for (std::size_t i = 0; i < job.count; ++i, ++step) {
      const Affine<F> p = load_point(job.a, job.a_ref, i);
      const Affine<F> q = load_point(job.b, job.b_ref, i);
      step->denominator = slope_denominator(classify(p, q), p, q);
      step->before = product;
      product = Mul::mul(product, step->denominator);
    }
  }
  F inverse = quick_inverse(product);
  for (std::size_t j = job_count; j-- > 0;) {
    const BatchAddJob<F>& job = jobs[j];
    for (std::size_t i = job.count; i-- > 0;) {
      --step;
      const Affine<F> p = load_point(job.a, job.a_ref, i);
      const Affine<F> q = load_point(job.b, job.b_ref, i);
      const SumKind kind = classify(p, q);
      const F slope_inverse = Mul::mul(inverse, step->before);
      inverse = Mul::mul(inverse, step->denominator);
      Affine<F>& out = job.out[job.out_index != nullptr ? job.out_index[i] : i];
      if (kind != SumKind::chord && kind != SumKind::tangent) {
        out = trivial_sum(kind, p, q);
        continue;
      }
      F numerator;
      if (kind == SumKind::chord) {
        numerator = q.y - p.y;
      } else {
        const F xx = Mul::square(p.x);
        numerator = xx.dbl() + xx;
      }
      const F slope = Mul::mul(numerator, slope_inverse);
      const F x = Mul::square(slope) - p.x - q.x;
      out = {x, Mul::mul(slope, p.x - x) - p.y};
    }
  }
}

}  // namespace cuzk::detail
