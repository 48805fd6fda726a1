#include "cuzk/field/internal/ifma.h"
#include "cuzk/field/internal/kernel_tables.h"

// The transform kernels on eight lanes.
//
// A scratch row is five words of 52-bit limbs in all eight lanes, *lazy*: limbs are signed 64-bit numbers
// whose weighted sum is congruent, modulo 2^260, to a value in [0, 2^260 = 35.3 p). A level adds at most 2 p
// to a value and 2^58 to a limb, so that 14 levels need neither carries nor reductions but those of the
// multiplied operand.
//
// Factors w are constants, therefore multiplied by Shoup's method instead of Montgomery's: with
// w' = floor(2^260 w / p) and q = floor(a w' / 2^260), a w - q p is in [0, (1 + a / 2^260) p + p 2^-40),
// below 2 p, for every a below 2^260 * 0.99; only its low 260 bits have to be computed. Here w is a plain
// integer, not in Montgomery form: the product keeps the data's own factor R.
namespace cuzk::internal {
namespace {

using L = ifma::Field<FrParams>;
using ifma::hi52;
using ifma::lo52;
using ifma::Mask;
using ifma::splat;
using ifma::Word;
using Vec = L::Vec;

constexpr std::size_t kRow = 8 * L::K;     // words of a scratch row
constexpr std::size_t kFactor = 2 * L::K;  // w, then w'
constexpr std::size_t K = L::K;

/// 2^260 - p, in 52-bit digits.
constexpr L::Digits complement_digits() {
  L::Digits d = L::multiple_digits(1);
  std::uint64_t carry = 1;
  for (auto& digit : d.digit) {
    digit = (~digit & ifma::kMask52) + carry;
    carry = digit >> 52;
    digit &= ifma::kMask52;
  }
  return d;
}
constexpr L::Digits kComplement = complement_digits();

CUZK_INLINE Vec read(const std::uint64_t* row) {
  Vec v;
  for (std::size_t i = 0; i < K; ++i) v.limb[i] = _mm512_load_si512(row + 8 * i);
  return v;
}
CUZK_INLINE void write(std::uint64_t* row, const Vec& v) {
  for (std::size_t i = 0; i < K; ++i) _mm512_store_si512(row + 8 * i, v.limb[i]);
}

/// Carries only: the low 52 bits of the limbs become the digits, which is all that the multiplier reads.
CUZK_INLINE Vec carried(const Vec& a) {
  Vec r;
  r.limb[0] = a.limb[0];
  for (std::size_t i = 1; i < K; ++i)
    r.limb[i] = _mm512_add_epi64(a.limb[i], _mm512_srai_epi64(r.limb[i - 1], 52));
  return r;
}

struct Factor {
  Word w[K];
  Word quotient[K];
};
CUZK_INLINE Factor factor_at(const std::uint64_t* words) {
  Factor f;
  for (std::size_t i = 0; i < K; ++i) {
    f.w[i] = splat(words[i]);
    f.quotient[i] = splat(words[K + i]);
  }
  return f;
}

/// a w modulo p, < 2, lazy. `a` is carried.
CUZK_INLINE Vec times(const Vec& a, const Factor& f) {
  // Columns 4 to 9 of a * w'; what is left out below adds less than 2^-48 to the quotient's error.
  Word q[K + 1];
  CUZK_UNROLL
  for (auto& column : q) column = _mm512_setzero_si512();
  CUZK_UNROLL
  for (std::size_t i = 0; i < K; ++i) CUZK_UNROLL
  for (std::size_t j = 0; j < K; ++j) {
    if (i + j >= 4) q[i + j - 4] = lo52(q[i + j - 4], a.limb[i], f.quotient[j]);
    if (i + j >= 3) q[i + j - 3] = hi52(q[i + j - 3], a.limb[i], f.quotient[j]);
  }
  Vec r;
  CUZK_UNROLL
  for (auto& limb : r.limb) limb = _mm512_setzero_si512();
  CUZK_UNROLL
  for (std::size_t i = 0; i < K; ++i) CUZK_UNROLL
  for (std::size_t j = 0; i + j < K; ++j) {
    r.limb[i + j] = lo52(r.limb[i + j], a.limb[i], f.w[j]);
    if (i + j + 1 < K) r.limb[i + j + 1] = hi52(r.limb[i + j + 1], a.limb[i], f.w[j]);
  }
  CUZK_UNROLL
  for (std::size_t i = 1; i <= K; ++i) q[i] = _mm512_add_epi64(q[i], _mm512_srli_epi64(q[i - 1], 52));
  CUZK_UNROLL
  for (std::size_t i = 0; i < K; ++i) CUZK_UNROLL
  for (std::size_t j = 0; i + j < K; ++j) {
    const Word c = splat(kComplement.digit[j]);
    r.limb[i + j] = lo52(r.limb[i + j], q[i + 1], c);
    if (i + j + 1 < K) r.limb[i + j + 1] = hi52(r.limb[i + j + 1], q[i + 1], c);
  }
  return r;
}

/// (x, y) -> (x + t, x - t + M p) for t < M: values grow by M.
template <std::uint64_t M>
CUZK_INLINE void cross(Vec& x, Vec& y, const Vec& t) {
  const Vec m = L::multiple<M>();
  for (std::size_t i = 0; i < K; ++i) {
    y.limb[i] = _mm512_sub_epi64(_mm512_add_epi64(x.limb[i], m.limb[i]), t.limb[i]);
    x.limb[i] = _mm512_add_epi64(x.limb[i], t.limb[i]);
  }
}
CUZK_INLINE void butterfly(Vec& x, Vec& y, const Factor& f) {
  cross<2>(x, y, times(carried(y), f));
}
/// With factor one, for y < M.
template <std::uint64_t M>
CUZK_INLINE void butterfly_one(Vec& x, Vec& y) {
  const Vec t = y;
  cross<M>(x, y, t);
}

/// Any lazy value -> canonical. The top digit gives the quotient by p to within one.
CUZK_INLINE Vec reduce(const Vec& lazy) {
  constexpr std::uint64_t kTop = L::multiple_digits(1).digit[K - 1];  // p / 2^208, 47 bits
  constexpr std::uint64_t kReciprocal =
      static_cast<std::uint64_t>((static_cast<unsigned __int128>(1) << 98) / (kTop + 1));
  static_assert(kReciprocal <= ifma::kMask52);
  Vec a = carried(lazy);
  const Word q = _mm512_srli_epi64(hi52(_mm512_setzero_si512(), a.limb[K - 1], splat(kReciprocal)), 46);
  const Word mask = splat(ifma::kMask52);
  for (auto& limb : a.limb) limb = _mm512_and_si512(limb, mask);
  // a + q (2^260 - p) modulo 2^260.
  for (std::size_t j = 0; j < K; ++j) {
    const Word c = splat(kComplement.digit[j]);
    a.limb[j] = lo52(a.limb[j], q, c);
    if (j + 1 < K) a.limb[j + 1] = hi52(a.limb[j + 1], q, c);
  }
  return L::canonical(L::raw_normalise(a));
}

void prepare(std::span<const Fr> factors, std::uint64_t* out) {
  // 128-bit arithmetic on 52-bit digits; this runs once per table.
  constexpr std::uint64_t kInv = Fr::inv64() & ifma::kMask52;
  for (std::size_t f = 0; f < factors.size(); ++f, out += kFactor) {
    const Fr& factor = factors[f];
    const Fr plain = multiply(factor, Fr{{1, 0, 0, 0}});
    for (std::size_t i = 0; i < K; ++i) out[i] = L::digit_of(plain, i);
    // 2^260 w = w' p + rest with rest = 2^260 w mod p = 16 times the Montgomery form; so w' = -rest / p
    // modulo 2^260, the digits that make rest + w' p vanish from below.
    const Fr rest = multiply(factor, multiply(Fr{{16, 0, 0, 0}}, Fr::r_squared()));
    unsigned __int128 column[K + 1] = {};
    for (std::size_t i = 0; i < K; ++i) column[i] = L::digit_of(rest, i);
    for (std::size_t i = 0; i < K; ++i) {
      const std::uint64_t m = (static_cast<std::uint64_t>(column[i]) * kInv) & ifma::kMask52;
      out[K + i] = m;
      for (std::size_t j = 0; i + j < K; ++j)
        column[i + j] += static_cast<unsigned __int128>(m) * L::multiple_digits(1).digit[j];
      column[i + 1] += column[i] >> 52;
    }
  }
}

void load(std::uint64_t* scratch, const Fr* src, std::size_t rows, std::size_t row_stride,
          std::size_t lane_stride) {
  if (lane_stride == 1) {
    for (std::size_t r = 0; r < rows; ++r, scratch += kRow, src += row_stride) {
      // Rows are far apart: the hardware does not see them coming.
      const char* ahead = reinterpret_cast<const char*>(src + (r + 12 < rows ? 12 * row_stride : 0));
      for (int line = 0; line < 4; ++line) _mm_prefetch(ahead + 64 * line, _MM_HINT_T0);
      write(scratch, L::load(src));
    }
  } else {
    for (std::size_t r = 0; r < rows; ++r, scratch += kRow, src += row_stride)
      write(scratch, L::load_from([src, lane_stride](unsigned lane) { return src + lane * lane_stride; }));
  }
}
void store(Fr* dst, const std::uint64_t* scratch, std::size_t rows, std::size_t row_stride,
           std::size_t lane_stride) {
  if (lane_stride == 1) {
    for (std::size_t r = 0; r < rows; ++r, scratch += kRow, dst += row_stride)
      L::store(dst, reduce(read(scratch)));
  } else {
    for (std::size_t r = 0; r < rows; ++r, scratch += kRow, dst += row_stride)
      L::store_to(reduce(read(scratch)),
                  [dst, lane_stride](unsigned lane) { return dst + lane * lane_stride; });
  }
}

// Both transforms do two levels in one sweep over the rows, after a single one where the number of levels is
// odd. Rows come in below 2 (reduced, or just scaled). The first sweep has the factors one and i and leaves
// them below 8; every later level adds 2, which makes 32 after 14 levels.

// Sweeps go depth first: the last ones of a part work on kPart rows, which the first level cache holds.
constexpr std::size_t kPart = 64;

/// Two levels on block i of `size` rows: x, y -> x + w y, x - w y with one factor for the whole block, then
/// one for each half of it.
void split_sweep(std::uint64_t* block, std::size_t i, std::size_t size, const std::uint64_t* factors) {
  const std::size_t q = size / 4;
  const Factor f = factor_at(factors + i * kFactor);
  const Factor f0 = factor_at(factors + 2 * i * kFactor);
  const Factor f1 = factor_at(factors + (2 * i + 1) * kFactor);
  for (std::size_t j = 0; j < q; ++j) {
    std::uint64_t* p = block + j * kRow;
    Vec x0 = read(p);
    Vec x1 = read(p + q * kRow);
    Vec x2 = read(p + 2 * q * kRow);
    Vec x3 = read(p + 3 * q * kRow);
    butterfly(x0, x2, f);
    butterfly(x1, x3, f);
    butterfly(x0, x1, f0);
    butterfly(x2, x3, f1);
    write(p, x0);
    write(p + q * kRow, x1);
    write(p + 2 * q * kRow, x2);
    write(p + 3 * q * kRow, x3);
  }
}

/// All levels on block i of `size` rows, a power of four.
void split(std::uint64_t* block, std::size_t i, std::size_t size, const std::uint64_t* factors) {
  if (size > kPart) {
    split_sweep(block, i, size, factors);
    for (std::size_t c = 0; c < 4; ++c) split(block + c * (size / 4) * kRow, 4 * i + c, size / 4, factors);
    return;
  }
  for (std::size_t s = size; s > 1; s /= 4)
    for (std::size_t k = 0; k < size / s; ++k)
      split_sweep(block + k * s * kRow, i * (size / s) + k, s, factors);
}

/// The two levels that join transforms of `half` rows into such of 4 half rows, everywhere in `size` rows.
void join_sweep(std::uint64_t* block, std::size_t half, std::size_t size, const std::uint64_t* factors) {
  for (std::size_t j = 0; j < half; ++j) {
    const Factor f = factor_at(factors + (half + j) * kFactor);
    const Factor f0 = factor_at(factors + (2 * half + j) * kFactor);
    const Factor f1 = factor_at(factors + (3 * half + j) * kFactor);
    for (std::size_t base = j; base < size; base += 4 * half) {
      std::uint64_t* p = block + base * kRow;
      Vec x0 = read(p);
      Vec x1 = read(p + half * kRow);
      Vec x2 = read(p + 2 * half * kRow);
      Vec x3 = read(p + 3 * half * kRow);
      butterfly(x0, x1, f);
      butterfly(x2, x3, f);
      butterfly(x0, x2, f0);
      butterfly(x1, x3, f1);
      write(p, x0);
      write(p + half * kRow, x1);
      write(p + 2 * half * kRow, x2);
      write(p + 3 * half * kRow, x3);
    }
  }
}

/// All levels on `size` rows that hold transforms of `half` rows; size / half is a power of four.
void join(std::uint64_t* block, std::size_t half, std::size_t size, const std::uint64_t* factors) {
  if (size > kPart && size > 4 * half) {
    for (std::size_t c = 0; c < 4; ++c) join(block + c * (size / 4) * kRow, half, size / 4, factors);
    join_sweep(block, size / 4, size, factors);
    return;
  }
  for (std::size_t h = half; h < size; h *= 4) join_sweep(block, h, size, factors);
}

void natural_to_reversed(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors) {
  if (log_rows == 0) return;
  const std::size_t rows = std::size_t{1} << log_rows;
  std::size_t size = rows;  // of a block
  if (log_rows % 2 != 0) {
    for (std::size_t j = 0; j < rows / 2; ++j) {
      Vec x = read(scratch + j * kRow);
      Vec y = read(scratch + (rows / 2 + j) * kRow);
      butterfly_one<2>(x, y);
      write(scratch + j * kRow, x);
      write(scratch + (rows / 2 + j) * kRow, y);
    }
    size /= 2;
  } else {
    const std::size_t q = rows / 4;
    const Factor f = factor_at(factors + kFactor);
    for (std::size_t j = 0; j < q; ++j) {
      std::uint64_t* p = scratch + j * kRow;
      Vec x0 = read(p);
      Vec x1 = read(p + q * kRow);
      Vec x2 = read(p + 2 * q * kRow);
      Vec x3 = read(p + 3 * q * kRow);
      butterfly_one<2>(x0, x2);
      butterfly_one<2>(x1, x3);
      butterfly_one<4>(x0, x1);
      butterfly(x2, x3, f);
      write(p, x0);
      write(p + q * kRow, x1);
      write(p + 2 * q * kRow, x2);
      write(p + 3 * q * kRow, x3);
    }
    size /= 4;
  }
  for (std::size_t i = 0; size > 1 && i * size < rows; ++i)
    split(scratch + i * size * kRow, i, size, factors);
}

void reversed_to_natural(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors,
                         bool cyclic) {
  if (log_rows == 0) return;
  const std::size_t rows = std::size_t{1} << log_rows;
  std::size_t half = 1;
  if (log_rows % 2 != 0) {
    const Factor f = factor_at(factors + kFactor);
    for (std::size_t j = 0; j < rows; j += 2) {
      Vec x = read(scratch + j * kRow);
      Vec y = read(scratch + (j + 1) * kRow);
      if (cyclic) {
        butterfly_one<2>(x, y);
      } else {
        butterfly(x, y, f);
      }
      write(scratch + j * kRow, x);
      write(scratch + (j + 1) * kRow, y);
    }
    half = 2;
  } else if (cyclic) {
    const Factor f = factor_at(factors + 3 * kFactor);
    for (std::size_t j = 0; j < rows; j += 4) {
      std::uint64_t* p = scratch + j * kRow;
      Vec x0 = read(p);
      Vec x1 = read(p + kRow);
      Vec x2 = read(p + 2 * kRow);
      Vec x3 = read(p + 3 * kRow);
      butterfly_one<2>(x0, x1);
      butterfly_one<2>(x2, x3);
      butterfly_one<4>(x0, x2);
      butterfly(x1, x3, f);
      write(p, x0);
      write(p + kRow, x1);
      write(p + 2 * kRow, x2);
      write(p + 3 * kRow, x3);
    }
    half = 4;
  }
  if (half < rows) join(scratch, half, rows, factors);
}

void scale_rows(std::uint64_t* scratch, std::size_t rows, const std::uint64_t* factors) {
  for (std::size_t r = 0; r < rows; ++r)
    write(scratch + r * kRow, times(carried(read(scratch + r * kRow)), factor_at(factors + r * kFactor)));
}

void scale_progression(std::uint64_t* scratch, unsigned log_rows, const Fr (&first)[8], const Fr (&ratio)[8],
                       bool reversed) {
  // Four chains of powers side by side hide the latency of the step.
  constexpr std::size_t kChains = 4;
  const std::size_t rows = std::size_t{1} << log_rows;
  Fr start[8];
  Fr step[8];
  for (std::size_t l = 0; l < 8; ++l) {
    start[l] = first[l];
    const Fr two = multiply(ratio[l], ratio[l]);
    step[l] = multiply(two, two);
  }
  Vec power[kChains];
  for (auto& p : power) {
    p = L::load(start);
    for (std::size_t l = 0; l < 8; ++l) start[l] = multiply(start[l], ratio[l]);
  }
  const Vec stride = L::shifted(L::load(step));
  for (std::size_t r = 0; r < rows; r += kChains)
    for (std::size_t c = 0; c < kChains && r + c < rows; ++c) {
      std::uint64_t* row = scratch + (reversed ? reverse_bits(r + c, log_rows) : r + c) * kRow;
      // The power is < 2 (a product with a canonical factor), the row < 2^260: 35.3 * 2 * 0.453 + 1 = 33.
      write(row, L::mul_shifted(L::shifted(power[c]), carried(read(row))));
      power[c] = L::mul_shifted(stride, power[c]);
    }
}

}  // namespace

const NttKernels kNttIfma{
    kRow,       kFactor,          prepare, load, store, natural_to_reversed, reversed_to_natural,
    scale_rows, scale_progression};

}  // namespace cuzk::internal
