#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "cuzk/base/result.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"

namespace cuzk::groth16 {

/// Multiplies one point of each group by many scalars: what the generation of parameters asks of a backend.
/// One call at a time.
class PointMaker {
 public:
  /// Fills `out` with the scalars from place `begin` on. Called from threads of the implementation's choice,
  /// for any ranges, each place once.
  using Scalars = std::function<void(std::size_t begin, std::span<Fr> out)>;
  /// Takes the next points, in order, on the thread of the call; an error ends the call.
  template <class F>
  using Points = std::function<Result<void>(std::span<const Affine<F>>)>;

  PointMaker() = default;
  PointMaker(const PointMaker&) = delete;
  PointMaker& operator=(const PointMaker&) = delete;
  virtual ~PointMaker() = default;

  /// `count` multiples; scalar 0 gives infinity.
  virtual Result<void> make_g1(std::size_t count, const Scalars& scalars, const Points<Fp>& points) = 0;
  virtual Result<void> make_g2(std::size_t count, const Scalars& scalars, const Points<Fp2>& points) = 0;
};

}  // namespace cuzk::groth16
