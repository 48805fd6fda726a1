#include <immintrin.h>

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
CUZK_INLINE void store_word(std::uint64_t* out, std::uint64_t word) {
  __asm__("" : "+r"(word));
  *out = word;
}
template <class F>
CUZK_INLINE void store(std::uint64_t* out, const F& f) {
  for (std::size_t i = 0; i < F::kLimbs; ++i) store_word(out + i, f.limb[i]);
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

namespace {

constexpr FpInt kP = FpParams::kModulus;

CUZK_INLINE unsigned char add_word(unsigned char carry, std::uint64_t a, std::uint64_t b, std::uint64_t* r) {
  unsigned long long sum;
  carry = _addcarry_u64(carry, a, b, &sum);
  *r = sum;
  return carry;
}
CUZK_INLINE unsigned char sub_word(unsigned char borrow, std::uint64_t a, std::uint64_t b, std::uint64_t* r) {
  unsigned long long difference;
  borrow = _subborrow_u64(borrow, a, b, &difference);
  *r = difference;
  return borrow;
}

/// r = a + b as a plain sum.
CUZK_INLINE void sum_words(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b) {
  unsigned char carry = 0;
  for (std::size_t i = 0; i < Fp::kLimbs; ++i) carry = add_word(carry, a[i], b[i], r + i);
}
/// r = a - b for a >= b.
CUZK_INLINE void difference_words(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b) {
  unsigned char borrow = 0;
  for (std::size_t i = 0; i < Fp::kLimbs; ++i) borrow = sub_word(borrow, a[i], b[i], r + i);
}

/// One copy, called twice: the code has 3 KiB.
[[gnu::noinline]] void product_sum(std::uint64_t* r, const std::uint64_t* a, const std::uint64_t* b) {
  store(r, adx_finish(adx_product_sum(a, b)));
}

}  // namespace

// Each coordinate is a sum of two products with one reduction: a0 b1 + a1 b0 and a0 b0 + a1 (p - b1). More
// multiplications than Karatsuba with 768-bit intermediate values (228 against 192 with the reductions), but
// no additions beside those of the rows.
void fp2_product(Fp2& r, const Fp2& a, const Fp2& b) {
  if (!kHasAdx) {
    r = Fp2::mul_plain(a, b);
    return;
  }
  std::uint64_t factors[18];  // b1, b0, p - b1
  store(factors, b.c1);
  store(factors + 6, b.c0);
  difference_words(factors + 12, kP.limb, b.c1.limb);
  std::uint64_t c0[6];
  product_sum(c0, a.c0.limb, factors + 6);
  product_sum(r.c1.limb, a.c0.limb, factors);
  for (std::size_t i = 0; i < Fp::kLimbs; ++i) store_word(r.c0.limb + i, c0[i]);
}

// The factors stay unreduced, below 2p.
void fp2_square(Fp2& r, const Fp2& a) {
  if (!kHasAdx) {
    r = a.square_plain();
    return;
  }
  std::uint64_t sum[6];
  std::uint64_t difference[6];
  std::uint64_t twice[6];
  sum_words(sum, a.c0.limb, a.c1.limb);
  difference_words(difference, kP.limb, a.c1.limb);
  sum_words(difference, difference, a.c0.limb);
  sum_words(twice, a.c0.limb, a.c0.limb);
  const Fp c1 = adx_finish(adx_product_fp(twice, a.c1.limb));
  store(r.c1.limb, c1);
  store(r.c0.limb, adx_finish(adx_product_fp(sum, difference)));
}

}  // namespace internal
}  // namespace cuzk
