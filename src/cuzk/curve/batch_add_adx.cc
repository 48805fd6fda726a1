#include "cuzk/curve/internal/batch_add_slow.h"
#include "cuzk/field/internal/adx.h"

// Compiled without vector registers, like field/kernels_adx.cc: wide copies of words just stored would wait.
namespace cuzk::detail {
namespace {

// Values between products stay below 2p in Fp: (2p)^2 / R is 0.41 p, so that a product of two such is
// below 1.41 p without any comparison. In Fp2, whose products are sums of two, they are reduced.

/// One copy, called five times a sum: inlined, the loops would not fit the cache of decoded instructions.
[[gnu::noinline]] void product(Fp& r, const Fp& a, const Fp& b) {
  r = internal::adx_product_fp(a.limb, b.limb);
}
void product(Fp2& r, const Fp2& a, const Fp2& b) {
  internal::fp2_product(r, a, b);
}
CUZK_INLINE void square(Fp& r, const Fp& a) {
  r = internal::adx_square(a.limb);
}
void square(Fp2& r, const Fp2& a) {
  internal::fp2_square(r, a);
}

/// A product, or one less a reduced value or two, made reduced.
CUZK_INLINE void finish(Fp& r) {
  r = internal::adx_finish(r);
}
CUZK_INLINE void finish(Fp2&) {}

/// r = a - b + p, for a and b up to p.
CUZK_INLINE void raised_difference(Fp& r, const Fp& a, const Fp& b) {
  std::uint64_t t0, t1, t2, t3, t4, t5;
  __asm__(
      "movq 0(%[a]), %[t0]\n\t"
      "movq 8(%[a]), %[t1]\n\t"
      "movq 16(%[a]), %[t2]\n\t"
      "movq 24(%[a]), %[t3]\n\t"
      "movq 32(%[a]), %[t4]\n\t"
      "movq 40(%[a]), %[t5]\n\t"
      "addq 0(%[p]), %[t0]\n\t"
      "adcq 8(%[p]), %[t1]\n\t"
      "adcq 16(%[p]), %[t2]\n\t"
      "adcq 24(%[p]), %[t3]\n\t"
      "adcq 32(%[p]), %[t4]\n\t"
      "adcq 40(%[p]), %[t5]\n\t"
      "subq 0(%[b]), %[t0]\n\t"
      "sbbq 8(%[b]), %[t1]\n\t"
      "sbbq 16(%[b]), %[t2]\n\t"
      "sbbq 24(%[b]), %[t3]\n\t"
      "sbbq 32(%[b]), %[t4]\n\t"
      "sbbq 40(%[b]), %[t5]\n\t"
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5)
      : [a] "r"(a.limb), [b] "r"(b.limb), [p] "r"(internal::kAdxConstants<FpParams>.word)
      : "cc", "memory");
  r = Fp{{t0, t1, t2, t3, t4, t5}};
}
CUZK_INLINE void raised_difference(Fp2& r, const Fp2& a, const Fp2& b) {
  r = a - b;
}

/// Zero, then p: what a difference is raised by, chosen by address.
constexpr std::uint64_t kNoneOrModulus[12] = {0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              0,
                                              FpParams::kModulus.limb[0],
                                              FpParams::kModulus.limb[1],
                                              FpParams::kModulus.limb[2],
                                              FpParams::kModulus.limb[3],
                                              FpParams::kModulus.limb[4],
                                              FpParams::kModulus.limb[5]};

/// r -= a modulo p, for a up to p: not larger than r was, or reduced.
CUZK_INLINE void subtract(Fp& r, const Fp& a) {
  std::uint64_t t0 = r.limb[0], t1 = r.limb[1], t2 = r.limb[2], t3 = r.limb[3], t4 = r.limb[4],
                t5 = r.limb[5];
  const std::uint64_t* by = kNoneOrModulus;
  __asm__(
      "subq 0(%[a]), %[t0]\n\t"
      "sbbq 8(%[a]), %[t1]\n\t"
      "sbbq 16(%[a]), %[t2]\n\t"
      "sbbq 24(%[a]), %[t3]\n\t"
      "sbbq 32(%[a]), %[t4]\n\t"
      "sbbq 40(%[a]), %[t5]\n\t"
      "cmovcq %[p], %[by]\n\t"
      "addq 0(%[by]), %[t0]\n\t"
      "adcq 8(%[by]), %[t1]\n\t"
      "adcq 16(%[by]), %[t2]\n\t"
      "adcq 24(%[by]), %[t3]\n\t"
      "adcq 32(%[by]), %[t4]\n\t"
      "adcq 40(%[by]), %[t5]\n\t"
      : [t0] "+&r"(t0), [t1] "+&r"(t1), [t2] "+&r"(t2), [t3] "+&r"(t3), [t4] "+&r"(t4), [t5] "+&r"(t5),
        [by] "+&r"(by)
      : [a] "r"(a.limb), [p] "r"(kNoneOrModulus + 6)
      : "cc", "memory");
  r = Fp{{t0, t1, t2, t3, t4, t5}};
}
CUZK_INLINE void subtract(Fp2& r, const Fp2& a) {
  r -= a;
}

/// r = negate ? -a : a, without a branch: the signs of an MSM's digits are random, and half of the branches
/// would be predicted wrongly. -0 comes out as p, which the products and differences below take as well.
CUZK_INLINE void signed_copy(Fp& r, const Fp& a, bool negate) {
  std::uint64_t t0, t1, t2, t3, t4, t5;
  __asm__(
      "movq 0(%[p]), %[t0]\n\t"
      "movq 8(%[p]), %[t1]\n\t"
      "movq 16(%[p]), %[t2]\n\t"
      "movq 24(%[p]), %[t3]\n\t"
      "movq 32(%[p]), %[t4]\n\t"
      "movq 40(%[p]), %[t5]\n\t"
      "subq 0(%[a]), %[t0]\n\t"
      "sbbq 8(%[a]), %[t1]\n\t"
      "sbbq 16(%[a]), %[t2]\n\t"
      "sbbq 24(%[a]), %[t3]\n\t"
      "sbbq 32(%[a]), %[t4]\n\t"
      "sbbq 40(%[a]), %[t5]\n\t"
      "testl %[negate], %[negate]\n\t"
      "cmovzq 0(%[a]), %[t0]\n\t"
      "cmovzq 8(%[a]), %[t1]\n\t"
      "cmovzq 16(%[a]), %[t2]\n\t"
      "cmovzq 24(%[a]), %[t3]\n\t"
      "cmovzq 32(%[a]), %[t4]\n\t"
      "cmovzq 40(%[a]), %[t5]\n\t"
      : [t0] "=&r"(t0), [t1] "=&r"(t1), [t2] "=&r"(t2), [t3] "=&r"(t3), [t4] "=&r"(t4), [t5] "=&r"(t5)
      : [a] "r"(a.limb), [p] "r"(internal::kAdxConstants<FpParams>.word),
        [negate] "r"(static_cast<std::uint32_t>(negate))
      : "cc", "memory");
  r = Fp{{t0, t1, t2, t3, t4, t5}};
}
CUZK_INLINE void signed_copy(Fp2& r, const Fp2& a, bool negate) {
  signed_copy(r.c0, a.c0, negate);
  signed_copy(r.c1, a.c1, negate);
}

CUZK_INLINE std::uint64_t first_word(const Fp& a) {
  return a.limb[0];
}
CUZK_INLINE std::uint64_t first_word(const Fp2& a) {
  return a.c0.limb[0];
}

/// Whether a point may be infinity or the two may have the same x: by the lowest words, so that it is wrong
/// once in 2^62 and costs next to nothing.
template <class F>
CUZK_INLINE bool may_be_special(const Affine<F>& p, const Affine<F>& q) {
  const std::uint64_t px = first_word(p.x);
  const std::uint64_t qx = first_word(q.x);
  return px == qx || px == 0 || qx == 0;
}

CUZK_INLINE PointRef reference(const PointRef* refs, std::size_t i) {
  return refs != nullptr ? refs[i] : static_cast<PointRef>(i << 1);
}

/// Into the second-level cache: wanted by a later call.
template <class F>
CUZK_INLINE void fetch_soon(const Affine<F>* points, PointRef ref) {
  const char* const at = reinterpret_cast<const char*>(points + (ref >> 1));
  for (std::size_t line = 0; line < sizeof(Affine<F>); line += 64) __builtin_prefetch(at + line, 0, 2);
  __builtin_prefetch(at + sizeof(Affine<F>) - 1, 0, 2);
}

template <class F>
void add_all(const BatchAddJob<F>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
  std::size_t total = 0;
  for (std::size_t j = 0; j < job_count; ++j) total += jobs[j].count;
  if (total == 0) return;
  struct Step {
    F before;  // product of the earlier denominators
    F denominator;
  };
  Step* step = reinterpret_cast<Step*>(scratch.reserve((total + 1) * sizeof(Step)));
  step->before = F::one();
  for (std::size_t j = 0; j < job_count; ++j) {
    const BatchAddJob<F>& job = jobs[j];
    for (std::size_t i = 0; i < job.count; ++i, ++step) {
      const PointRef p_ref = reference(job.a_ref, i);
      const PointRef q_ref = reference(job.b_ref, i);
      const Affine<F>& p = job.a[p_ref >> 1];
      const Affine<F>& q = job.b[q_ref >> 1];
      if (may_be_special(p, q)) [[unlikely]]
        step->denominator = special_sum(&p.x, (p_ref & 1) != 0, &q.x, (q_ref & 1) != 0).denominator;
      else
        raised_difference(step->denominator, q.x, p.x);
      product(step[1].before, step->before, step->denominator);
    }
  }
  finish(step->before);
  F inverse = quick_inverse(step->before);
  for (std::size_t j = job_count; j-- > 0;) {
    const BatchAddJob<F>& job = jobs[j];
    // What is wanted soon, spread evenly over the sums.
    const std::size_t soon_a_sum = job.count == 0 ? 0 : (job.soon_count + job.count - 1) / job.count;
    std::size_t soon = 0;
    for (std::size_t i = job.count; i-- > 0;) {
      --step;
      for (std::size_t n = 0; n < soon_a_sum && soon < job.soon_count; ++n, ++soon)
        fetch_soon(job.a, job.soon[soon]);
      const PointRef p_ref = reference(job.a_ref, i);
      const PointRef q_ref = reference(job.b_ref, i);
      const Affine<F>& p = job.a[p_ref >> 1];
      const Affine<F>& q = job.b[q_ref >> 1];
      Affine<F>& out = job.out[job.out_index != nullptr ? job.out_index[i] : i];
      F slope;
      F p_y;
      product(slope, inverse, step->before);
      product(inverse, inverse, step->denominator);
      signed_copy(p_y, p.y, (p_ref & 1) != 0);
      F numerator;
      if (may_be_special(p, q)) [[unlikely]] {
        const SpecialSum<F> special = special_sum(&p.x, (p_ref & 1) != 0, &q.x, (q_ref & 1) != 0);
        if (special.kind != SumKind::chord && special.kind != SumKind::tangent) {
          out = special.sum;
          continue;
        }
        if (special.kind == SumKind::tangent) {
          numerator = special.numerator;
        } else {
          signed_copy(numerator, q.y, (q_ref & 1) != 0);
          raised_difference(numerator, numerator, p_y);
        }
      } else {
        signed_copy(numerator, q.y, (q_ref & 1) != 0);
        raised_difference(numerator, numerator, p_y);
      }
      product(slope, numerator, slope);
      F x;
      square(x, slope);
      subtract(x, p.x);
      subtract(x, q.x);
      finish(x);
      F y;
      raised_difference(y, p.x, x);
      product(y, slope, y);
      subtract(y, p_y);
      finish(y);
      out.x = x;
      out.y = y;
    }
  }
}

}  // namespace

void batch_add_adx(const BatchAddJob<Fp>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
  add_all(jobs, job_count, scratch);
}
void batch_add_adx(const BatchAddJob<Fp2>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
  add_all(jobs, job_count, scratch);
}

}  // namespace cuzk::detail
