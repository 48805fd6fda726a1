#include <cstring>

#include "cuzk/cpu/features.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fp2.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/internal/adx.h"

namespace cuzk {
namespace {

// Read on every product: a plain constant, set before main. Static initialisers that multiply earlier see
// false and take the plain definition, with the same result.
const bool kHasAdx = cpu_features().adx;

template <class F>
F load(const std::uint64_t* limbs) {
  F f;
  std::memcpy(f.limb, limbs, sizeof f.limb);
  return f;
}

template <class F>
void store(std::uint64_t* out, const F& f) {
  for (std::size_t i = 0; i < F::kLimbs; ++i) out[i] = f.limb[i];
}

template <class F>
[[gnu::noinline]] void plain_product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b) {
  store(r, F::mul_plain(load<F>(a), load<F>(b)));
}

}  // namespace

// The operands are passed on by address: the assembly reads them in place.
void FpParams::host_product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b) {
  if (!kHasAdx) return plain_product<Fp>(r, a, b);
  store(r, internal::adx_mul(*reinterpret_cast<const Fp*>(a), *reinterpret_cast<const Fp*>(b)));
}

void FrParams::host_product(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b) {
  if (!kHasAdx) return plain_product<Fr>(r, a, b);
  store(r, internal::adx_mul(*reinterpret_cast<const Fr*>(a), *reinterpret_cast<const Fr*>(b)));
}

}  // namespace cuzk
