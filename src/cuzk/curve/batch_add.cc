#include "cuzk/curve/batch_add.h"

#include "cuzk/base/result.h"
#include "cuzk/curve/internal/batch_add_scalar.h"
#include "cuzk/curve/internal/batch_add_slow.h"

namespace cuzk {
namespace detail {
namespace {

template <class F>
SpecialSum<F> special(const F* a, bool negate_a, const F* b, bool negate_b) {
  const Affine<F> p{a[0], negate_a ? -a[1] : a[1]};
  const Affine<F> q{b[0], negate_b ? -b[1] : b[1]};
  SpecialSum<F> r;
  r.kind = classify(p, q);
  r.denominator = slope_denominator(r.kind, p, q);
  if (r.kind == SumKind::tangent) {
    const F xx = p.x.square();
    r.numerator = xx.dbl() + xx;
  } else {
    r.numerator = F::zero();
    r.sum = trivial_sum(r.kind, p, q);
  }
  return r;
}

template <class F>
void invert_eight(F* values) {
  F before[8];
  F product = F::one();
  for (int i = 0; i < 8; ++i) {
    before[i] = product;
    product *= values[i];
  }
  F inverse = quick_inverse(product) * F::from_u64(std::uint64_t{1} << 48);
  for (int i = 8; i-- > 0;) {
    const F own = inverse * before[i];
    inverse *= values[i];
    values[i] = own;
  }
}

}  // namespace

SpecialSum<Fp> special_sum(const Fp* a, bool negate_a, const Fp* b, bool negate_b) {
  return special(a, negate_a, b, negate_b);
}
SpecialSum<Fp2> special_sum(const Fp2* a, bool negate_a, const Fp2* b, bool negate_b) {
  return special(a, negate_a, b, negate_b);
}
void invert_lanes(Fp* values) {
  invert_eight(values);
}
void invert_lanes(Fp2* values) {
  invert_eight(values);
}

}  // namespace detail

namespace {

/// The plain definitions, whatever the operators use on this machine.
struct PortableMul {
  static Fp mul(const Fp& a, const Fp& b) { return Fp::mul_plain(a, b); }
  static Fp square(const Fp& a) { return Fp::mul_plain(a, a); }
  static Fp2 mul(const Fp2& a, const Fp2& b) {
    const Fp t0 = mul(a.c0, b.c0);
    const Fp t1 = mul(a.c1, b.c1);
    const Fp cross = mul(a.c0 + a.c1, b.c0 + b.c1);
    return {t0 - t1, cross - t0 - t1};
  }
  static Fp2 square(const Fp2& a) { return {mul(a.c0 + a.c1, a.c0 - a.c1), mul(a.c0, a.c1).dbl()}; }
};

template <class F>
BatchAdd<F> choose(Isa isa) {
  CUZK_CHECK(isa_supported(isa));
#if defined(CUZK_HAVE_X86_KERNELS)
  if (isa == Isa::ifma) return &detail::batch_add_ifma;
  if (isa == Isa::adx) return &detail::batch_add_adx;
#endif
  return &detail::batch_add_scalar<F, PortableMul>;
}

}  // namespace

template <>
BatchAdd<Fp> batch_add_kernel<Fp>(Isa isa) {
  return choose<Fp>(isa);
}
template <>
BatchAdd<Fp2> batch_add_kernel<Fp2>(Isa isa) {
  return choose<Fp2>(isa);
}

}  // namespace cuzk
