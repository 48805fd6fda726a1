#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/base/random.h"
#include "cuzk/curve/generator.h"
#include "cuzk/curve/point.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/kernels.h"

namespace cuzk {

/// `count` different points of the subgroup: (first + i) times the generator.
template <class F>
std::vector<Affine<F>> test_points(std::size_t count, std::uint64_t first = 1000) {
  std::vector<Jacobian<F>> points(count);
  Jacobian<F> p = mul(generator<F>(), BigInt<1>{{first}});
  for (auto& q : points) {
    q = p;
    p += generator<F>();
  }
  std::vector<Affine<F>> affine(count);
  batch_to_affine<Jacobian<F>>(points, affine);
  return affine;
}

/// Instruction sets that this machine has.
inline std::vector<Isa> test_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::portable, Isa::adx, Isa::ifma})
    if (isa_supported(isa)) isas.push_back(isa);
  return isas;
}

/// Random scalars with zeros, ones, r - 1, small ones and neighbours of the signed-digit limits among them.
inline std::vector<Fr> test_scalars(std::size_t count, TestRandom& random) {
  std::vector<Fr> scalars(count);
  for (std::size_t i = 0; i < count; ++i) {
    switch (random.next() % 8) {
      case 0:
        scalars[i] = Fr::zero();
        break;
      case 1:
        scalars[i] = Fr::one();
        break;
      case 2:
        scalars[i] = -Fr::one();
        break;
      case 3:
        scalars[i] = Fr::from_u64(random.next() % 1000);
        break;
      case 4:
        scalars[i] = -Fr::from_u64(random.next() % 1000);
        break;
      default:
        scalars[i] = fr_from_words([&] { return random.next(); });
    }
  }
  return scalars;
}

}  // namespace cuzk
