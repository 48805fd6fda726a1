// Batch addition of points, eight sums at a time with AVX-512 IFMA.
//
// Products here divide by 2^416 (all eight limbs), not by R = 2^384: that saves the shift of a factor and
// leaves every product just above p at most. The missing powers of two are supplied where they cost nothing:
// the eight inverses carry 2^48, which gives slopes 2^16 times too large; the square of the slope then comes
// out right, and for its product with x1 - x3 that difference is shifted by 16 bits.
//
// Ranges, in units of p: coordinates in memory are below 1; a product of A and B is below 1 + A B / 2^35.

#include <algorithm>
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

CUZK_INLINE void accumulate(Word (&t)[2 * K], const Vec& a, const Vec& b) {
  for (std::size_t i = 0; i < K; ++i) {
    for (std::size_t j = 0; j < K; ++j) t[i + j] = ifma::lo52(t[i + j], a.limb[i], b.limb[j]);
    for (std::size_t j = 0; j < K; ++j) t[i + j + 1] = ifma::hi52(t[i + j + 1], a.limb[i], b.limb[j]);
  }
}

/// Divides by 2^416 modulo p: the result is in the upper eight columns, carries not propagated (columns stay
/// below 2^59). The columns come from begin_product.
CUZK_INLINE Vec raw_reduce(Word (&t)[2 * K]) {
  static constexpr Base::Digits kP = Base::multiple_digits(1);
  const Word inverse = ifma::splat(Base::Element::inv64() & ifma::kMask52);
  for (std::size_t i = 0; i < K; ++i) {
    const Word m = ifma::lo52(inverse, t[i], inverse);  // the columns are 2^52 - 1 too large: (t + 1) / -p
    t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(t[i], 52));
    for (std::size_t j = 1; j < K; ++j) t[i + j] = ifma::lo52(t[i + j], m, ifma::splat(kP.digit[j]));
    for (std::size_t j = 0; j < K; ++j) t[i + j + 1] = ifma::hi52(t[i + j + 1], m, ifma::splat(kP.digit[j]));
  }
  Vec r;
  for (std::size_t i = 0; i < K; ++i) r.limb[i] = t[K + i];
  return r;
}
/// Propagates the carries of limbs below 2^63.
CUZK_INLINE Vec carry_unsigned(const Vec& a) {
  const Word mask = ifma::splat(ifma::kMask52);
  Vec r;
  Word t = a.limb[0];
  for (std::size_t i = 0; i + 1 < K; ++i) {
    r.limb[i] = _mm512_and_si512(t, mask);
    t = _mm512_add_epi64(a.limb[i + 1], _mm512_srli_epi64(t, 52));
  }
  r.limb[K - 1] = t;
  return r;
}

CUZK_INLINE Vec raw_product(const Vec& a, const Vec& b) {
  Word t[2 * K];
  Base::begin_product(t);
  accumulate(t, a, b);
  return raw_reduce(t);
}

CUZK_INLINE Vec raw_square(const Vec& a) {
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
  return raw_reduce(t);
}

// ---- elements of Fp (N = 1) and Fp2 (N = 2)

template <unsigned N>
struct Elem {
  Vec c[N];
};

CUZK_INLINE Elem<1> raw_product(const Elem<1>& a, const Elem<1>& b) {
  return {{raw_product(a.c[0], b.c[0])}};
}
/// a < 2: four products of integers, two reductions.
CUZK_INLINE Elem<2> raw_product(const Elem<2>& a, const Elem<2>& b) {
  Elem<2> r;
  {
    Word t[2 * K];
    Base::begin_product(t);
    accumulate(t, a.c[0], b.c[1]);
    accumulate(t, a.c[1], b.c[0]);
    r.c[1] = raw_reduce(t);
  }
  const Vec minus = Base::negate<2>(a.c[1]);
  Word t[2 * K];
  Base::begin_product(t);
  accumulate(t, a.c[0], b.c[0]);
  accumulate(t, minus, b.c[1]);
  r.c[0] = raw_reduce(t);
  return r;
}
template <unsigned N>
CUZK_INLINE Elem<N> product(const Elem<N>& a, const Elem<N>& b) {
  Elem<N> r = raw_product(a, b);
  for (unsigned c = 0; c < N; ++c) r.c[c] = carry_unsigned(r.c[c]);
  return r;
}
CUZK_INLINE Elem<1> raw_square(const Elem<1>& a) {
  return {{raw_square(a.c[0])}};
}
/// (c0 + c1)(c0 - c1) + 2 c0 c1 u, for a < 2.
CUZK_INLINE Elem<2> raw_square(const Elem<2>& a) {
  const Vec sum = Base::add(a.c[0], a.c[1]);
  const Vec difference = Base::sub<2>(a.c[0], a.c[1]);
  const Vec twice = Base::add(a.c[0], a.c[0]);
  return {{raw_product(sum, difference), raw_product(twice, a.c[1])}};
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
/// Raw limbs (each below 2^60 in absolute value) of a number in (-2 p, 2 p + p / 2^16) to [0, p). The
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
    const Word estimate = _mm512_add_epi64(a.c[c].limb[K - 1], _mm512_srai_epi64(a.c[c].limb[K - 2], 52));
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

/// Words kFrom .. kFrom + 5 of eight rows of eight words, as lanes.
template <unsigned kFrom>
CUZK_INLINE Vec transpose(const Word (&row)[kLanes]) {
  static_assert(kFrom == 0 || kFrom == 2);
  Word t[kLanes];
  for (unsigned k = 0; k < 4; ++k) {
    t[2 * k] = _mm512_unpacklo_epi64(row[2 * k], row[2 * k + 1]);  // words 0, 2, 4, 6 of lanes 2k and 2k + 1
    t[2 * k + 1] = _mm512_unpackhi_epi64(row[2 * k], row[2 * k + 1]);  // words 1, 3, 5, 7
  }
  Word w[6];
  for (unsigned odd = 0; odd < 2; ++odd) {
    // Pairs of words 0 and 4 (2 and 6) of four lanes each.
    const Word a04 = _mm512_shuffle_i64x2(t[odd], t[2 + odd], 0x88);
    const Word b04 = _mm512_shuffle_i64x2(t[4 + odd], t[6 + odd], 0x88);
    const Word a26 = _mm512_shuffle_i64x2(t[odd], t[2 + odd], 0xdd);
    const Word b26 = _mm512_shuffle_i64x2(t[4 + odd], t[6 + odd], 0xdd);
    if constexpr (kFrom == 0) {
      w[odd] = _mm512_shuffle_i64x2(a04, b04, 0x88);
      w[2 + odd] = _mm512_shuffle_i64x2(a26, b26, 0x88);
      w[4 + odd] = _mm512_shuffle_i64x2(a04, b04, 0xdd);
    } else {
      w[odd] = _mm512_shuffle_i64x2(a26, b26, 0x88);
      w[2 + odd] = _mm512_shuffle_i64x2(a04, b04, 0xdd);
      w[4 + odd] = _mm512_shuffle_i64x2(a26, b26, 0xdd);
    }
  }
  return Base::from_words(w);
}

/// Whole vectors are read: the words beyond the coordinate belong to the same point.
template <unsigned N>
CUZK_INLINE Elem<N> load(const Side& side, unsigned coordinate) {
  Elem<N> r;
  for (unsigned c = 0; c < N; ++c) {
    const std::size_t offset = (coordinate * N + c) * kCoordinate;
    Word row[kLanes];
    if (coordinate * N + c + 1 < 2 * N) {
      for (unsigned lane = 0; lane < kLanes; ++lane) row[lane] = _mm512_loadu_si512(side.at[lane] + offset);
      r.c[c] = transpose<0>(row);
    } else {
      for (unsigned lane = 0; lane < kLanes; ++lane)
        row[lane] = _mm512_loadu_si512(side.at[lane] + offset - 16);
      r.c[c] = transpose<2>(row);
    }
  }
  return r;
}

/// Into the second-level cache: wanted by a later call.
template <unsigned N>
CUZK_INLINE void fetch_soon(const void* points, PointRef ref) {
  constexpr std::size_t kPoint = 2 * N * kCoordinate;
  const std::byte* at = static_cast<const std::byte*>(points) + static_cast<std::size_t>(ref >> 1) * kPoint;
  for (std::size_t line = 0; line < kPoint; line += 64)
    _mm_prefetch(reinterpret_cast<const char*>(at + line), _MM_HINT_T1);
  _mm_prefetch(reinterpret_cast<const char*>(at + kPoint - 1), _MM_HINT_T1);
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

/// `kWide` vectors are worked on side by side, so that chains of dependent products overlap.
template <class F, unsigned N, unsigned kWide>
struct Kernel {
  static_assert(sizeof(F) == N * kCoordinate);
  static constexpr std::size_t kBlock = kWide * kLanes;
  static constexpr std::size_t kAhead = 2 * kBlock;

  /// What the way back needs of a sum x1, y1 + x2, y2: it does not read the points again.
  struct Step {
    Elem<N> before[kWide];       // product of the denominators of earlier steps
    Elem<N> denominator[kWide];  // of the slope: x2 - x1 + p, but 2 y1 for a tangent, 1 where there is none
    Elem<N> numerator[kWide];
    Elem<N> x1[kWide];
    Elem<N> y1[kWide];    // raw, in (-1, 1)
    Mask special[kWide];  // lanes that are not chords
  };
  using Running = Elem<N>[kWide];

  /// The last block of a job is filled up with repetitions of the last sum, which are not stored.
  static std::size_t steps(const BatchAddJob<F>& job) { return (job.count + kBlock - 1) / kBlock; }

  static void run(const BatchAddJob<F>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
    std::size_t total = 0;
    for (std::size_t j = 0; j < job_count; ++j) total += steps(jobs[j]);
    if (total == 0) return;
    Step* step = reinterpret_cast<Step*>(scratch.reserve(total * sizeof(Step)));
    Running running;
    for (auto& r : running)
      for (unsigned c = 0; c < N; ++c) r.c[c] = c == 0 ? Base::one() : Base::zero();
    for (std::size_t j = 0; j < job_count; ++j) {
      if (jobs[j].count != 0) multiply(jobs[j], step, running);
      step += steps(jobs[j]);
    }
    for (auto& r : running) invert(r);
    for (std::size_t j = job_count; j-- > 0;) {
      step -= steps(jobs[j]);
      if (jobs[j].count != 0) add(jobs[j], step, running);
    }
  }

 private:
  static void invert(Elem<N>& r) {
    F inverses[kLanes];
    for (unsigned c = 0; c < N; ++c)
      Base::store_to(Base::canonical(r.c[c]),
                     [&](unsigned lane) { return reinterpret_cast<Fp*>(&inverses[lane]) + c; });
    invert_lanes(inverses);
    for (unsigned c = 0; c < N; ++c)
      r.c[c] =
          Base::load_from([&](unsigned lane) { return reinterpret_cast<const Fp*>(&inverses[lane]) + c; });
  }

  /// Forward: the slopes' numerators and denominators, and the running product of these.
  static void multiply(const BatchAddJob<F>& job, Step* steps_of_job, Running& running) {
    const std::size_t last = job.count - 1;
    for (std::size_t s = 0; s < steps(job); ++s) {
      Step& step = steps_of_job[s];
      for (unsigned v = 0; v < kWide; ++v) {
        const std::size_t first = s * kBlock + v * kLanes;
        prefetch<N>(job.a, job.a_ref, first + kAhead, last);
        prefetch<N>(job.b, job.b_ref, first + kAhead, last);
        const Side a = side_of<N>(job.a, job.a_ref, first, last);
        const Side b = side_of<N>(job.b, job.b_ref, first, last);
        const Elem<N> x1 = load<N>(a, 0);
        const Elem<N> x2 = load<N>(b, 0);
        step.x1[v] = x1;
        step.denominator[v] = lift<1>(raw_sub(x2, x1));
        const Elem<N> y1 = raw_negate(load<N>(a, 1), a.negate);
        const Elem<N> y2 = raw_negate(load<N>(b, 1), b.negate);
        step.y1[v] = y1;
        step.numerator[v] = lift<2>(raw_sub(y2, y1));
        step.before[v] = running[v];
        step.special[v] = 0;
        const unsigned suspects = suspicious(x1, x2);
        if (__builtin_expect(suspects != 0, 0)) {
          unsigned special = 0;
          for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((suspects >> lane & 1) == 0) continue;
            const SpecialSum<F> sum = special_lane<F>(a, b, lane);
            if (sum.kind == SumKind::chord) continue;
            special |= 1U << lane;
            set_lane(step.denominator[v], lane, sum.denominator);
            set_lane(step.numerator[v], lane, sum.numerator);
          }
          step.special[v] = static_cast<Mask>(special);
        }
      }
      for (unsigned v = 0; v < kWide; ++v) running[v] = product(running[v], step.denominator[v]);
    }
  }

  /// Backward: running[] holds the inverse of the products up to and including this job's denominators.
  static void add(const BatchAddJob<F>& job, const Step* steps_of_job, Running& running) {
    const std::size_t last = job.count - 1;
    const std::size_t soon_a_step = (job.soon_count + steps(job) - 1) / steps(job);
    std::size_t soon = 0;
    for (std::size_t s = steps(job); s-- > 0;) {
      const Step& step = steps_of_job[s];
      Elem<N> slope[kWide];
      Elem<N> x3[kWide];
      Elem<N> y3[kWide];
      for (unsigned v = 0; v < kWide; ++v) slope[v] = product(running[v], step.before[v]);
      for (unsigned v = 0; v < kWide; ++v) running[v] = product(running[v], step.denominator[v]);
      for (const std::size_t end = std::min(soon + soon_a_step, job.soon_count); soon < end; ++soon)
        fetch_soon<N>(job.a, job.soon[soon]);
      for (unsigned v = 0; v < kWide; ++v) slope[v] = product(slope[v], step.numerator[v]);
      for (unsigned v = 0; v < kWide; ++v) {
        // x1 + x2: by the denominator, except that x2 = x1 for a tangent.
        Elem<N> sum_x;
        for (unsigned c = 0; c < N; ++c) {
          const Vec x2 =
              Base::raw_sub(Base::raw_add(step.x1[v].c[c], step.denominator[v].c[c]), Base::multiple<1>());
          sum_x.c[c] = Base::raw_add(step.x1[v].c[c], Base::select(step.special[v], step.x1[v].c[c], x2));
        }
        x3[v] = reduce_signed(raw_sub(raw_square(slope[v]), sum_x));
      }
      for (unsigned v = 0; v < kWide; ++v)
        y3[v] = reduce_signed(
            raw_sub(raw_product(slope[v], lift_shifted(raw_sub(step.x1[v], x3[v]))), step.y1[v]));
      for (unsigned v = 0; v < kWide; ++v) {
        const std::size_t first = s * kBlock + v * kLanes;
        const unsigned valid = first > last             ? 0
                               : last - first >= kLanes ? 0xffU
                                                        : (2U << (last - first)) - 1U;
        std::byte* at[kLanes];
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const std::size_t i = first + lane < last ? first + lane : last;
          at[lane] =
              reinterpret_cast<std::byte*>(job.out + (job.out_index != nullptr ? job.out_index[i] : i));
        }
        const unsigned special = step.special[v] & valid;
        if (__builtin_expect(special != 0, 0)) {
          store_special(job, first, last, special, at, x3[v], y3[v], valid);
        } else {
          store(x3[v], at, 0, static_cast<Mask>(valid));
          store(y3[v], at, 1, static_cast<Mask>(valid));
        }
      }
    }
  }

  /// Stores a vector in which some lanes have sums without a slope: those are found from the points, before
  /// anything overwrites them.
  static __attribute__((noinline)) void store_special(const BatchAddJob<F>& job, std::size_t first,
                                                      std::size_t last, unsigned special,
                                                      std::byte* const (&at)[kLanes], const Elem<N>& x3,
                                                      const Elem<N>& y3, unsigned valid) {
    const Side a = side_of<N>(job.a, job.a_ref, first, last);
    const Side b = side_of<N>(job.b, job.b_ref, first, last);
    SpecialSum<F> sums[kLanes];
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((special >> lane & 1) != 0) sums[lane] = special_lane<F>(a, b, lane);
    store(x3, at, 0, static_cast<Mask>(valid));
    store(y3, at, 1, static_cast<Mask>(valid));
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if ((special >> lane & 1) != 0 && sums[lane].kind != SumKind::tangent)
        std::memcpy(at[lane], &sums[lane].sum, sizeof(Affine<F>));
  }
};

}  // namespace

void batch_add_ifma(const BatchAddJob<Fp>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
  Kernel<Fp, 1, 1>::run(jobs, job_count, scratch);
}
void batch_add_ifma(const BatchAddJob<Fp2>* jobs, std::size_t job_count, BatchAddScratch& scratch) {
  Kernel<Fp2, 2, 2>::run(jobs, job_count, scratch);
}

}  // namespace cuzk::detail
