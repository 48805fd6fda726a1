// Eight Poseidon hashes at a time with AVX-512 IFMA. Reached only through poseidon_hash_batch after a
// run-time check.
#include "cuzk/field/internal/ifma.h"
#include "cuzk/hash/poseidon_lanes.h"

namespace cuzk::detail {
namespace {

using Lanes = ifma::Field<FrParams>;
using Vec = Lanes::Vec;
using ifma::Word;

constexpr std::size_t K = Lanes::K;
static_assert(K == kPoseidonLaneDigits);
constexpr std::size_t kMaxWidth = 37;

/// A sum of products with constants, reduced once. Columns hold at most 37 * 10 terms of 52 bits: below 2^61.
class Sum {
 public:
  /// Starts at `start` (not multiplied): the upper columns are what the reduction leaves.
  explicit CUZK_INLINE Sum(const Vec* start = nullptr) {
    Lanes::begin_product(t_);
    if (start != nullptr)
      for (std::size_t i = 0; i < K; ++i) t_[K + i] = start->limb[i];
  }
  CUZK_INLINE void add_constant(const std::uint64_t* digits) {
    for (std::size_t i = 0; i < K; ++i) t_[K + i] = _mm512_add_epi64(t_[K + i], ifma::splat(digits[i]));
  }
  CUZK_INLINE void add_product(const std::uint64_t* shifted_digits, const Vec& b) {
    for (std::size_t i = 0; i < K; ++i) {
      const Word a = ifma::splat(shifted_digits[i]);
      for (std::size_t j = 0; j < K; ++j) t_[i + j] = ifma::lo52(t_[i + j], a, b.limb[j]);
      for (std::size_t j = 0; j < K; ++j) t_[i + j + 1] = ifma::hi52(t_[i + j + 1], a, b.limb[j]);
    }
  }
  CUZK_INLINE void add_product(const Vec& shifted, const Vec& b) {
    for (std::size_t i = 0; i < K; ++i) {
      for (std::size_t j = 0; j < K; ++j) t_[i + j] = ifma::lo52(t_[i + j], shifted.limb[i], b.limb[j]);
      for (std::size_t j = 0; j < K; ++j)
        t_[i + j + 1] = ifma::hi52(t_[i + j + 1], shifted.limb[i], b.limb[j]);
    }
  }
  /// The top limb may exceed 52 bits; all others are digits.
  CUZK_INLINE Vec reduce() { return Lanes::reduce(t_); }

 private:
  Word t_[2 * K];
};

/// Subtracts the multiple of r that leaves less than 1.2 r, for values below 400 r whose limbs are digits but
/// for the top one.
CUZK_INLINE Vec bring_below_two(const Vec& a) {
  // r is 115.93 in units of 2^248 (limb 4 in units of 2^40). 565 / 2^16 is 0.9995 / 115.93: the quotient is
  // underestimated by 0.0005 of itself (0.2 at most), by 1 / 115.93 for the bits left out, and by its
  // fraction.
  static constexpr auto kR = Lanes::multiple_digits(1);
  const Word high = _mm512_srli_epi64(a.limb[K - 1], 40);
  const Word quotient = _mm512_srli_epi64(_mm512_mul_epu32(high, ifma::splat(565)), 16);
  Vec d;
  for (std::size_t i = 0; i < K; ++i)
    d.limb[i] = _mm512_sub_epi64(a.limb[i], _mm512_mullo_epi64(quotient, ifma::splat(kR.digit[i])));
  return Lanes::raw_normalise(d);
}

/// For a hash without trace.
struct NoTrace {
  CUZK_INLINE void below_two(const Vec&) {}
  CUZK_INLINE void any(const Vec&) {}
};

/// Writes values one after the other from where each lane's trace stands.
class Trace {
 public:
  CUZK_INLINE Trace(Fr* const* traces, std::size_t count)
      : mask_(static_cast<ifma::Mask>((1U << count) - 1U)) {
    for (std::size_t lane = 0; lane < kPoseidonLanes; ++lane)
      next_[lane] = lane < count ? traces[lane] : nullptr;
  }
  CUZK_INLINE void below_two(const Vec& v) {
    Lanes::store_to(
        Lanes::canonical(v), [this](unsigned lane) { return next_[lane] + at_; }, mask_);
    ++at_;
  }
  CUZK_INLINE void any(const Vec& v) { below_two(bring_below_two(v)); }

 private:
  Fr* next_[kPoseidonLanes];
  std::size_t at_ = 0;
  ifma::Mask mask_;
};

/// x^5 + constant (none if null): x < 1.2 gives x^2 < 1.7, x^4 < 2.4, result < 3.4.
template <class Tracer>
CUZK_INLINE Vec s_box(const Vec& x, const std::uint64_t* constant, Tracer& trace) {
  const Vec x_shifted = Lanes::shifted(x);
  const Vec x2 = Lanes::mul_shifted(x_shifted, x);
  const Vec x4 = Lanes::mul(x2, x2);
  Sum sum;
  if (constant != nullptr) sum.add_constant(constant);
  sum.add_product(x_shifted, x4);
  const Vec y = sum.reduce();
  trace.below_two(x2);
  trace.any(x4);
  trace.any(y);
  return y;
}

/// state = state * matrix; every element < 1.2 afterwards. Elements < 20 before.
CUZK_INLINE void mix_dense(Vec* state, std::size_t t, const std::uint64_t* matrix) {
  Vec out[kMaxWidth];
  for (std::size_t j = 0; j < t; ++j) {
    Sum sum;
    for (std::size_t i = 0; i < t; ++i) sum.add_product(matrix + (i * t + j) * K, state[i]);
    out[j] = bring_below_two(sum.reduce());
  }
  for (std::size_t j = 0; j < t; ++j) state[j] = out[j];
}

/// The hashes of `count` messages, < 2.
template <class Tracer>
CUZK_INLINE Vec hash_lanes(const PoseidonLaneTables& c, const Fr* messages, std::size_t count,
                           Tracer& trace) {
  const std::size_t t = c.width;
  const auto mask = static_cast<ifma::Mask>((1U << count) - 1U);
  const std::uint64_t* next = c.compressed;
  const auto constant = [](const std::uint64_t* digits) {
    Vec v;
    for (std::size_t i = 0; i < K; ++i) v.limb[i] = ifma::splat(digits[i]);
    return v;
  };
  Vec state[kMaxWidth];
  state[0] = bring_below_two(Lanes::add(constant(c.domain_tag), constant(next)));
  for (std::size_t i = 1; i < t; ++i) {
    const Vec m = Lanes::load_from([=](unsigned lane) { return messages + lane * (t - 1) + (i - 1); }, mask);
    state[i] = bring_below_two(Lanes::add(m, constant(next + i * K)));
  }
  next += t * K;

  const unsigned half = c.full_rounds / 2;
  NoTrace silent;
  for (unsigned round = 0; round < half; ++round, next += t * K) {
    for (std::size_t i = 0; i < t; ++i) {
      if (round > 0) trace.below_two(state[i]);
      state[i] = round == 0 && i == 0 ? s_box(state[i], next, silent) : s_box(state[i], next + i * K, trace);
    }
    mix_dense(state, t, round + 1 < half ? c.mds : c.pre_sparse);
  }
  // Elements 1.. grow by less than 2.6 a round: below 22 between two reductions, the dot product below 370.
  const std::uint64_t* sparse = c.sparse;
  for (unsigned round = 0; round < c.partial_rounds; ++round, next += K, sparse += (2 * t - 1) * K) {
    trace.below_two(state[0]);
    const Vec first = s_box(state[0], next, trace);
    Sum sum;
    sum.add_product(sparse, first);
    for (std::size_t i = 1; i < t; ++i) sum.add_product(sparse + i * K, state[i]);
    for (std::size_t i = 1; i < t; ++i) {
      Sum updated(&state[i]);
      updated.add_product(sparse + (t + i - 1) * K, first);
      state[i] = updated.reduce();
    }
    state[0] = bring_below_two(sum.reduce());
    if (round % 8 == 7 || round + 1 == c.partial_rounds)
      for (std::size_t i = 1; i < t; ++i) state[i] = bring_below_two(state[i]);
  }
  for (unsigned round = 0; round + 1 < half; ++round, next += t * K) {
    for (std::size_t i = 0; i < t; ++i) {
      trace.below_two(state[i]);
      state[i] = s_box(state[i], next + i * K, trace);
    }
    mix_dense(state, t, c.mds);
  }
  Sum sum;
  for (std::size_t i = 0; i < t; ++i) {
    trace.below_two(state[i]);
    sum.add_product(c.mds + (i * t + 1) * K, s_box(state[i], nullptr, trace));
  }
  const Vec hash = bring_below_two(sum.reduce());
  trace.below_two(hash);
  return hash;
}

}  // namespace

void poseidon_lanes_ifma(const PoseidonLaneTables& c, const Fr* messages, Fr* out, std::size_t count) {
  NoTrace silent;
  const Vec hash = Lanes::canonical(hash_lanes(c, messages, count, silent));
  Lanes::store_to(
      hash, [=](unsigned lane) { return out + lane; }, static_cast<ifma::Mask>((1U << count) - 1U));
}

void poseidon_trace_lanes_ifma(const PoseidonLaneTables& c, const Fr* messages, Fr* const* traces,
                               std::size_t count) {
  Trace trace(traces, count);
  (void)hash_lanes(c, messages, count, trace);
}

}  // namespace cuzk::detail
