// Batch addition of points, eight sums at a time with AVX-512 IFMA.
//
// Products here divide by 2^416 (all eight limbs), not by R = 2^384: that saves the shift of a factor and
// leaves every product just above p at most. The missing powers of two are supplied where they cost nothing:
// the eight inverses carry 2^48, which gives slopes 2^16 times too large; the square of the slope then comes
// out right, and for its product with x1 - x3 that difference is shifted by 16 bits.
//
// Ranges, in units of p: coordinates in memory are below 1; a product of A and B is below 1 + A B / 2^35.

#include <cstring>

#include "cuzk/curve/batch_add.h"
#include "cuzk/curve/internal/batch_add_slow.h"
#include "cuzk/field/internal/ifma.h"

namespace cuzk::detail {
namespace {

using Base = ifma::Field<FpParams>;
using Vec = Base::Vec;
using ifma::Mask;
using ifma::Word;
constexpr std::size_t K = Base::K;
constexpr std::size_t kLanes = 8;
constexpr std::size_t kCoordinate = 48;  // bytes of an Fp

// ---- products
// ------------------------------------------------------------------------------------------------------

CUZK_INLINE void accumulate(Word (&t)[2 * K], const Vec& a, const Vec& b) {
  for (std::size_t i = 0; i < K; ++i) {
    for (std::size_t j = 0; j < K; ++j) t[i + j] = ifma::lo52(t[i + j], a.limb[i], b.limb[j]);
    for (std::size_t j = 0; j < K; ++j) t[i + j + 1] = ifma::hi52(t[i + j + 1], a.limb[i], b.limb[j]);
  }
}

CUZK_INLINE Vec product(const Vec& a, const Vec& b) {
  Word t[2 * K];
  Base::begin_product(t);
  accumulate(t, a, b);
  return Base::reduce(t);
}

CUZK_INLINE Vec square(const Vec& a) {
  Word t[2 * K];
  for (auto& column : t) column = _mm512_setzero_si512();
  for (std::size_t i = 0; i < K; ++i) {
    for (std::size_t j = i + 1; j < K; ++j) t[i + j] = ifma::lo52(t[i + j], a.limb[i], a.limb[j]);
    for (std::size_t j = i + 1; j < K; ++j) t[i + j + 1] = ifma::hi52(t[i + j + 1], a.limb[i], a.limb[j]);
  }
  for (std::size_t i = 0; i < 2 * K; ++i) {
    t[i] = _mm512_add_epi64(t[i], t[i]);
    if (i < K) t[i] = _mm512_add_epi64(t[i], ifma::splat(ifma::kMask52));  // as begin_product
  }
  for (std::size_t i = 0; i < K; ++i) {
    t[2 * i] = ifma::lo52(t[2 * i], a.limb[i], a.limb[i]);
    t[2 * i + 1] = ifma::hi52(t[2 * i + 1], a.limb[i], a.limb[i]);
  }
  return Base::reduce(t);
}

// ---- elements of Fp (N = 1) and Fp2 (N = 2)
// ------------------------------------------------------------------------

template <unsigned N>
struct Elem {
  Vec c[N];
};

CUZK_INLINE Elem<1> product(const Elem<1>& a, const Elem<1>& b) {
  return {{product(a.c[0], b.c[0])}};
}
/// a < 2: four products of integers, two reductions.
CUZK_INLINE Elem<2> product(const Elem<2>& a, const Elem<2>& b) {
  Elem<2> r;
  {
    Word t[2 * K];
    Base::begin_product(t);
    accumulate(t, a.c[0], b.c[1]);
    accumulate(t, a.c[1], b.c[0]);
    r.c[1] = Base::reduce(t);
  }
  const Vec minus = Base::negate<2>(a.c[1]);
  Word t[2 * K];
  Base::begin_product(t);
  accumulate(t, a.c[0], b.c[0]);
  accumulate(t, minus, b.c[1]);
  r.c[0] = Base::reduce(t);
  return r;
}
CUZK_INLINE Elem<1> square(const Elem<1>& a) {
  return {{square(a.c[0])}};
}
/// (c0 + c1)(c0 - c1) + 2 c0 c1 u, for a < 2.
CUZK_INLINE Elem<2> square(const Elem<2>& a) {
  const Vec sum = Base::add(a.c[0], a.c[1]);
  const Vec difference = Base::sub<2>(a.c[0], a.c[1]);
  const Vec twice = Base::add(a.c[0], a.c[0]);
  return {{product(sum, difference), product(twice, a.c[1])}};
}

template <unsigned N>
CUZK_INLINE Elem<N> raw_sub(const Elem<N>& a, const Elem<N>& b) {
  Elem<N> r;
  for (unsigned i = 0; i < N; ++i) r.c[i] = Base::raw_sub(a.c[i], b.c[i]);
  return r;
}
/// a + M p, normal, for a in (-M p, ...).
template <std::uint64_t M, unsigned N>
CUZK_INLINE Elem<N> lift(const Elem<N>& a) {
  Elem<N> r;
  for (unsigned i = 0; i < N; ++i) r.c[i] = Base::raw_normalise(Base::raw_add(a.c[i], Base::multiple<M>()));
  return r;
}
/// 2^16 (a + p) for raw a in (-p, p). The limbs have garbage above bit 52, which the multiplier ignores.
template <unsigned N>
CUZK_INLINE Elem<N> lift_shifted(const Elem<N>& a) {
  const Word factor = ifma::splat(std::uint64_t{1} << 16);
  Elem<N> r;
  for (unsigned i = 0; i < N; ++i) {
    const Vec v = Base::raw_normalise(Base::raw_add(a.c[i], Base::multiple<1>()));
    r.c[i].limb[0] = _mm512_slli_epi64(v.limb[0], 16);
    for (std::size_t l = 1; l < K; ++l)
      r.c[i].limb[l] = ifma::hi52(_mm512_slli_epi64(v.limb[l], 16), v.limb[l - 1], factor);
  }
  return r;
}
/// Raw: limbs of the lanes of the mask change sign.
template <unsigned N>
CUZK_INLINE Elem<N> raw_negate(const Elem<N>& a, Mask mask) {
  Elem<N> r;
  for (unsigned i = 0; i < N; ++i)
    for (std::size_t l = 0; l < K; ++l)
      r.c[i].limb[l] = _mm512_mask_sub_epi64(a.c[i].limb[l], mask, _mm512_setzero_si512(), a.c[i].limb[l]);
  return r;
}

/// Carries of signed limbs; the top limb keeps the sign.
CUZK_INLINE Vec carry_signed(const Vec& a) {
  const Word mask = ifma::splat(ifma::kMask52);
  Vec r;
  Word t = a.limb[0];
  for (std::size_t i = 0; i + 1 < K; ++i) {
    r.limb[i] = _mm512_and_si512(t, mask);
    t = _mm512_add_epi64(a.limb[i + 1], _mm512_srai_epi64(t, 52));
  }
  r.limb[K - 1] = t;
  return r;
}
/// Rare: any value in (-4 p, 4 p) with normal limbs but the top one, to [0, p).
CUZK_INLINE Vec settle(Vec a) {
  const Vec p = Base::multiple<1>();
  for (int i = 0; i < 4; ++i) {
    const Mask negative = _mm512_movepi64_mask(a.limb[K - 1]);
    for (std::size_t l = 0; l < K; ++l)
      a.limb[l] = _mm512_mask_add_epi64(a.limb[l], negative, a.limb[l], p.limb[l]);
    a = carry_signed(a);
  }
  for (int i = 0; i < 4; ++i) {
    const Vec d = carry_signed(Base::raw_sub(a, p));
    a = Base::select(_mm512_movepi64_mask(d.limb[K - 1]), a, d);
  }
  return a;
}
/// Raw limbs (each below 2^55 in absolute value) of a number in (-2 p, 2 p + p / 2^16) to [0, p). The
/// multiple of p to add is read off the top limb; where that cannot be trusted the result's top limb shows
/// it, as seldom as once in 2^13 calls.
template <unsigned N>
CUZK_INLINE Elem<N> reduce_signed(const Elem<N>& a) {
  static constexpr Base::Digits kP = Base::multiple_digits(1);
  const Word top = ifma::splat(kP.digit[K - 1]);
  const Word minus_top = ifma::splat(0 - kP.digit[K - 1]);
  const Vec p = Base::multiple<1>();
  Elem<N> r;
  Mask doubtful = 0;
  for (unsigned c = 0; c < N; ++c) {
    const Word estimate = a.c[c].limb[K - 1];
    const Mask negative = _mm512_movepi64_mask(estimate);
    const Mask very_negative = _mm512_cmplt_epi64_mask(estimate, minus_top);
    const Mask large = _mm512_cmpge_epi64_mask(estimate, top);
    Vec v;
    for (std::size_t l = 0; l < K; ++l) {
      v.limb[l] = _mm512_mask_add_epi64(a.c[c].limb[l], negative, a.c[c].limb[l], p.limb[l]);
      v.limb[l] = _mm512_mask_add_epi64(v.limb[l], very_negative, v.limb[l], p.limb[l]);
      v.limb[l] = _mm512_mask_sub_epi64(v.limb[l], large, v.limb[l], p.limb[l]);
    }
    r.c[c] = carry_signed(v);
    doubtful = static_cast<Mask>(doubtful | _mm512_cmpge_epu64_mask(r.c[c].limb[K - 1], top));
  }
  if (__builtin_expect(doubtful != 0, 0))
    for (unsigned c = 0; c < N; ++c) r.c[c] = settle(r.c[c]);
  return r;
}

// ---- memory
// --------------------------------------------------------------------------------------------------------

/// Where the eight points of one side are, and which of them are to be negated.
struct Side {
  const std::byte* at[kLanes];
  Mask negate;
};

template <unsigned N>
CUZK_INLINE Side side_of(const void* points, const PointRef* refs, std::size_t first, std::size_t last) {
  constexpr std::size_t kPoint = 2 * N * kCoordinate;
  Side side;
  unsigned negate = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::size_t i = first + lane < last ? first + lane : last;
    std::size_t index = i;
    if (refs != nullptr) {
      index = refs[i] >> 1;
      negate |= (refs[i] & 1U) << lane;
    }
    side.at[lane] = static_cast<const std::byte*>(points) + index * kPoint;
  }
  side.negate = static_cast<Mask>(negate);
  return side;
}

template <unsigned N>
CUZK_INLINE void prefetch(const void* points, const PointRef* refs, std::size_t first, std::size_t last) {
  constexpr std::size_t kPoint = 2 * N * kCoordinate;
  if (refs == nullptr) return;  // sequential: the processor sees it
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::size_t i = first + lane;
    if (i > last) return;
    const std::byte* at =
        static_cast<const std::byte*>(points) + static_cast<std::size_t>(refs[i] >> 1) * kPoint;
    for (std::size_t line = 0; line < kPoint; line += 64)
      _mm_prefetch(reinterpret_cast<const char*>(at + line), _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(at + kPoint - 1), _MM_HINT_T0);
  }
}

template <unsigned N>
CUZK_INLINE Elem<N> load(const Side& side, unsigned coordinate) {
  Elem<N> r;
  for (unsigned c = 0; c < N; ++c)
    r.c[c] = Base::load_from([&](unsigned lane) {
      return reinterpret_cast<const Fp*>(side.at[lane] + (coordinate * N + c) * kCoordinate);
    });
  return r;
}

template <unsigned N>
CUZK_INLINE void store(const Elem<N>& a, std::byte* const (&at)[kLanes], unsigned coordinate, Mask valid) {
  for (unsigned c = 0; c < N; ++c)
    Base::store_to(
        a.c[c],
        [&](unsigned lane) { return reinterpret_cast<Fp*>(at[lane] + (coordinate * N + c) * kCoordinate); },
        valid);
}

/// Puts `v` into one lane.
template <unsigned N, class F>
void set_lane(Elem<N>& a, unsigned lane, const F& v) {
  Fp parts[N];
  std::memcpy(parts, &v, sizeof parts);
  const auto only = static_cast<Mask>(1U << lane);
  for (unsigned c = 0; c < N; ++c)
    for (std::size_t l = 0; l < K; ++l)
      a.c[c].limb[l] =
          _mm512_mask_set1_epi64(a.c[c].limb[l], only, static_cast<long long>(Base::digit_of(parts[c], l)));
}

/// Lanes that may need more than the chord: equal x, or an x whose low limb is 0 (infinity).
template <unsigned N>
CUZK_INLINE Mask suspicious(const Elem<N>& x1, const Elem<N>& x2) {
  const Word a = x1.c[0].limb[0];
  const Word b = x2.c[0].limb[0];
  return static_cast<Mask>(_mm512_cmpeq_epi64_mask(a, b) | _mm512_testn_epi64_mask(a, a) |
                           _mm512_testn_epi64_mask(b, b));
}

template <class F>
SpecialSum<F> special_lane(const Side& a, const Side& b, unsigned lane) {
  return special_sum(reinterpret_cast<const F*>(a.at[lane]), (a.negate >> lane & 1) != 0,
                     reinterpret_cast<const F*>(b.at[lane]), (b.negate >> lane & 1) != 0);
}

template <class F, unsigned N>
void batch_add(const BatchAddJob<F>& job, BatchAddScratch& scratch) {
  static_assert(sizeof(F) == N * kCoordinate);
  if (job.count == 0) return;
  constexpr std::size_t kAhead = 4 * kLanes;
  struct Step {
    Elem<N> before;  // product of the denominators of earlier steps
    Elem<N> denominator;
  };
  const std::size_t steps = (job.count + kLanes - 1) / kLanes;
  const std::size_t last = job.count - 1;
  Step* const step = reinterpret_cast<Step*>(scratch.reserve(steps * sizeof(Step)));

  Elem<N> running;
  for (unsigned c = 0; c < N; ++c) running.c[c] = c == 0 ? Base::one() : Base::zero();
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t first = s * kLanes;
    prefetch<N>(job.a, job.a_ref, first + kAhead, last);
    prefetch<N>(job.b, job.b_ref, first + kAhead, last);
    const Side a = side_of<N>(job.a, job.a_ref, first, last);
    const Side b = side_of<N>(job.b, job.b_ref, first, last);
    const Elem<N> x1 = load<N>(a, 0);
    const Elem<N> x2 = load<N>(b, 0);
    Elem<N> denominator = lift<1>(raw_sub(x2, x1));
    const unsigned special = suspicious(x1, x2);
    if (__builtin_expect(special != 0, 0)) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((special >> lane & 1) == 0) continue;
        const SpecialSum<F> sum = special_lane<F>(a, b, lane);
        if (sum.kind != SumKind::chord) set_lane(denominator, lane, sum.denominator);
      }
    }
    step[s].before = running;
    step[s].denominator = denominator;
    running = product(running, denominator);
  }

  F inverses[kLanes];
  for (unsigned c = 0; c < N; ++c)
    Base::store_to(Base::canonical(running.c[c]),
                   [&](unsigned lane) { return reinterpret_cast<Fp*>(&inverses[lane]) + c; });
  invert_lanes(inverses);
  for (unsigned c = 0; c < N; ++c)
    running.c[c] =
        Base::load_from([&](unsigned lane) { return reinterpret_cast<const Fp*>(&inverses[lane]) + c; });

  for (std::size_t s = steps; s-- > 0;) {
    const std::size_t first = s * kLanes;
    const Side a = side_of<N>(job.a, job.a_ref, first, last);
    const Side b = side_of<N>(job.b, job.b_ref, first, last);
    const Elem<N> slope_inverse = product(running, step[s].before);
    running = product(running, step[s].denominator);
    const Elem<N> x1 = load<N>(a, 0);
    const Elem<N> x2 = load<N>(b, 0);
    const Elem<N> y1 = raw_negate(load<N>(a, 1), a.negate);
    const Elem<N> y2 = raw_negate(load<N>(b, 1), b.negate);
    Elem<N> numerator = lift<2>(raw_sub(y2, y1));
    const unsigned valid = job.count - first >= kLanes ? 0xffU : (1U << (job.count - first)) - 1U;
    const unsigned special = suspicious(x1, x2) & valid;
    SpecialSum<F> sums[kLanes];
    if (__builtin_expect(special != 0, 0)) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((special >> lane & 1) == 0) continue;
        sums[lane] = special_lane<F>(a, b, lane);
        if (sums[lane].kind == SumKind::tangent) set_lane(numerator, lane, sums[lane].numerator);
      }
    }
    const Elem<N> slope = product(slope_inverse, numerator);
    const Elem<N> x3 = reduce_signed(raw_sub(raw_sub(square(slope), x1), x2));
    const Elem<N> y3 = reduce_signed(raw_sub(product(slope, lift_shifted(raw_sub(x1, x3))), y1));
    std::byte* at[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::size_t i = first + lane < last ? first + lane : last;
      at[lane] = reinterpret_cast<std::byte*>(job.out + (job.out_index != nullptr ? job.out_index[i] : i));
    }
    store(x3, at, 0, static_cast<Mask>(valid));
    store(y3, at, 1, static_cast<Mask>(valid));
    if (__builtin_expect(special != 0, 0)) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if ((special >> lane & 1) == 0) continue;
        if (sums[lane].kind != SumKind::chord && sums[lane].kind != SumKind::tangent)
          std::memcpy(at[lane], &sums[lane].sum, sizeof(Affine<F>));
      }
    }
  }
}

}  // namespace

void batch_add_ifma(const BatchAddJob<Fp>& job, BatchAddScratch& scratch) {
  batch_add<Fp, 1>(job, scratch);
}
void batch_add_ifma(const BatchAddJob<Fp2>& job, BatchAddScratch& scratch) {
  batch_add<Fp2, 2>(job, scratch);
}

}  // namespace cuzk::detail
