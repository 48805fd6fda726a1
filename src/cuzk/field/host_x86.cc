#include <cstring>

#include "cuzk/cpu/features.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fp2.h"
#include "cuzk/field/fr.h"
#include "cuzk/field/internal/adx.h"
#include "cuzk/field/inverse.h"

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

/// Word by word: pairing words for vector stores costs more than the whole of the final subtraction, see
/// Montgomery::in_words.
template <class F>
CUZK_INLINE void store(std::uint64_t* out, const F& f) {
  for (std::size_t i = 0; i < F::kLimbs; ++i) {
    std::uint64_t w = f.limb[i];
    __asm__("" : "+r"(w));
    out[i] = w;
  }
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

void FpParams::host_inverse(std::uint64_t* r, const std::uint64_t* a) {
  store(r, inverse_by_division_steps(load<Fp>(a)));
}

void FrParams::host_inverse(std::uint64_t* r, const std::uint64_t* a) {
  store(r, inverse_by_division_steps(load<Fr>(a)));
}

namespace internal {

void fp2_product(Fp2& r, const Fp2& a, const Fp2& b) {
  if (!kHasAdx) {
    r = Fp2::mul_plain(a, b);
    return;
  }
  const Fp sum_a = a.c0 + a.c1;
  const Fp sum_b = b.c0 + b.c1;
  const Fp t0 = adx_mul(a.c0, b.c0);
  const Fp t1 = adx_mul(a.c1, b.c1);
  const Fp cross = adx_mul(sum_a, sum_b);
  store(r.c0.limb, t0 - t1);
  store(r.c1.limb, cross - t0 - t1);
}

void fp2_square(Fp2& r, const Fp2& a) {
  if (!kHasAdx) {
    r = a.square_plain();
    return;
  }
  const Fp sum = a.c0 + a.c1;
  const Fp difference = a.c0 - a.c1;
  const Fp product = adx_mul(a.c0, a.c1);
  store(r.c0.limb, adx_mul(sum, difference));
  store(r.c1.limb, product + product);
}

}  // namespace internal
}  // namespace cuzk
