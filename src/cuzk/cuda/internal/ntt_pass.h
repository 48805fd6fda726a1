#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"
#include "cuzk/cuda/internal/block.h"
#include "cuzk/cuda/internal/factor32.h"

namespace cuzk::cuda {

/// Factors with their quotients (factor32.h), in two arrays. Without quotients the values are in Montgomery
/// form: half the memory, and a product that takes a quarter longer.
struct FactorTable {
  const Fr32* value = nullptr;
  const Fr32* quotient = nullptr;

  CUZK_HD explicit operator bool() const { return value != nullptr; }
};

/// The factors of an eight-point transform, w a root of order 8. The products by w and w^3 are made of two
/// others: w x + w^3 y and w^3 x + w y are the sum and the difference of (w + w^3) / 2 (x + y) and
/// (w - w^3) / 2 (x - y).
struct EightPointFactors {
  Factor32 quarter;     ///< w^2
  Factor32 sum;         ///< (w + w^3) / 2
  Factor32 difference;  ///< (w - w^3) / 2
};

/// What the transforms of a pass multiply by inside.
struct InsideFactors {
  FactorTable powers;       ///< powers 0 .. 511 of a root of order 512
  EightPointFactors eight;  ///< of its 64th power; in the pass itself, so that a kernel has them as constants
};

/// One pass of a number theoretic transform: 2^log_points-point transforms along one digit of the index, up
/// to 2^9 points at once, for a tile of columns that a block holds in registers and exchanges through shared
/// memory.
///
/// A transform of size n takes its index apart into digits, most significant first, of log_points bits each.
/// The pass of a digit works on elements 2^log_stride apart. Natural to reversed order ("dif"): passes from
/// the top digit down, an inter-pass factor after each but the last. Reversed to natural ("dit") is the
/// mirror image. Nothing is ever permuted. Inside a pass a thread holds eight elements and does three levels
/// at a time.
///
/// Values are loose (below 2 r) between passes and inside them: sums and differences are corrected by 2 r,
/// and products by factors give less than 1.91 r of loose values. Montgomery products, which want one reduced
/// operand, have a table's entry or an input of the transform for it.
struct NttPass {
  unsigned log_points;    ///< 3 to 9
  unsigned least_levels;  ///< of the step at bit 0: what log_points leaves of 3, or 3
  unsigned log_stride;    ///< 0 for the pass over neighbours
  unsigned log_columns;   ///< columns of a tile, at least 1; threads = 2^(log_columns + log_points - 3)
  std::uint32_t
      columns;  ///< n / 2^log_points; a multiple of the tile, or less than one tile. n is below 2^32

  const Fr32* in;
  Fr32* out;                 ///< may be `in`: a tile writes what it has read
  const Fr32* load_factor;   ///< or null: in[i] * load_factor[i], both reduced; with a dif part only
  const Fr32* store_factor;  ///< or null: the result times store_factor[i] (reduced); with a dit part only
  const Fr32* subtract;      ///< or null: the result less subtract[i] (loose); dif over neighbours only
  bool reduce;               ///< store fully reduced values; with a dit part or over neighbours only

  /// The factors inside the dif part and inside the dit part.
  InsideFactors dif;
  InsideFactors dit;

  /// Not of the pass over neighbours: the factors between this pass and the one beside it, by position in a
  /// span of 2^(log_stride + log_points) elements: root^(column * row'), row' the bit-reversed row, times
  /// what a coset and a scaling want of this row. Dif multiplies before storing, dit after loading. With
  /// `between_high`, the exponent is split: column = high * 2^between_shift + low, and the factor is
  /// between_high[row, high] * between[row, low]; small tables, one more product.
  FactorTable between;
  FactorTable between_high;
  unsigned between_shift;

  /// Or null: factors of the coefficients in the pass over neighbours, after the dif part and before the dit
  /// part, by element of a column.
  FactorTable element_scale;
};

/// What a thread keeps: eight elements of one column.
struct NttState {
  Fr32 v[8];
};

namespace ntt_detail {

CUZK_HD constexpr unsigned reverse3(unsigned m) {
  return (m & 1) << 2 | (m & 2) | m >> 2;
}

/// The place of a thread in its tile. Neighbouring threads hold neighbouring elements of memory.
struct Place {
  unsigned column;  // in the tile
  unsigned lane;    // which of the 2^(log_points - 3) threads of the column
};
template <bool kNeighbours>
CUZK_HD CUZK_INLINE Place place_of(const NttPass& p, unsigned thread) {
  if constexpr (kNeighbours) {
    const unsigned log_lanes = p.log_points - 3;
    return {thread >> log_lanes, thread & ((1U << log_lanes) - 1)};
  }
  return {thread & ((1U << p.log_columns) - 1), thread >> p.log_columns};
}

/// Element m of a thread whose eight elements differ in the three index bits from `at` on.
CUZK_HD CUZK_INLINE unsigned element(unsigned lane, unsigned at, unsigned m) {
  return (lane >> at) << (at + 3) | m << at | (lane & ((1U << at) - 1));
}

/// Index into shared memory, in units of 16 bytes; the upper halves of elements lie `shared_half` further.
/// Padded so that eight threads that read 16 bytes at a time meet eight different groups of banks.
template <bool kNeighbours>
CUZK_HD CUZK_INLINE unsigned shared_index(const NttPass& p, unsigned column, unsigned e) {
  if constexpr (kNeighbours)
    return column * ((1U << p.log_points) + (1U << (p.log_points - 3))) + e + (e >> 3);
  return (e << p.log_columns) + column + (p.log_columns <= 2 ? (e >> 3) << p.log_columns : 0);
}
CUZK_HD CUZK_INLINE unsigned shared_half(const NttPass& p) {
  const unsigned elements = 1U << (p.log_points + p.log_columns);
  return elements + (elements >> 3);
}

/// Sixteen bytes, the unit of memory accesses.
struct alignas(16) Quad {
  std::uint32_t w[4];
};

#if defined(__CUDA_ARCH__)
CUZK_HD CUZK_INLINE Fr32 joined(const uint4& low, const uint4& high) {
  return {{low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w}};
}
#endif
/// Of a table: kept near, by the path for memory that no kernel of the time writes.
CUZK_HD CUZK_INLINE Fr32 load(const Fr32* p) {
#if defined(__CUDA_ARCH__)
  const auto* const quads = reinterpret_cast<const uint4*>(p);
  return joined(__ldg(quads), __ldg(quads + 1));
#else
  return *p;
#endif
}
/// Of data that is used once, so that tables stay near.
CUZK_HD CUZK_INLINE Fr32 load_once(const Fr32* p) {
#if defined(__CUDA_ARCH__)
  const auto* const quads = reinterpret_cast<const uint4*>(p);
  return joined(__ldcs(quads), __ldcs(quads + 1));
#else
  return *p;
#endif
}
CUZK_HD CUZK_INLINE void store(Fr32* p, const Fr32& v) {
#if defined(__CUDA_ARCH__)
  reinterpret_cast<uint4*>(p)[0] = make_uint4(v.limb[0], v.limb[1], v.limb[2], v.limb[3]);
  reinterpret_cast<uint4*>(p)[1] = make_uint4(v.limb[4], v.limb[5], v.limb[6], v.limb[7]);
#else
  *p = v;
#endif
}

template <bool kNeighbours>
CUZK_HD CUZK_INLINE void put(const NttPass& p, Quad* shared, const Place& place, unsigned at,
                             const NttState& s) {
  const unsigned half = shared_half(p);
  CUZK_UNROLL
  for (unsigned m = 0; m < 8; ++m) {
    const unsigned i = shared_index<kNeighbours>(p, place.column, element(place.lane, at, m));
    const Fr32& v = s.v[m];
    shared[i] = {{v.limb[0], v.limb[1], v.limb[2], v.limb[3]}};
    shared[i + half] = {{v.limb[4], v.limb[5], v.limb[6], v.limb[7]}};
  }
}
template <bool kNeighbours>
CUZK_HD CUZK_INLINE void get(const NttPass& p, const Quad* shared, const Place& place, unsigned at,
                             NttState& s) {
  const unsigned half = shared_half(p);
  CUZK_UNROLL
  for (unsigned m = 0; m < 8; ++m) {
    const unsigned i = shared_index<kNeighbours>(p, place.column, element(place.lane, at, m));
    const Quad a = shared[i];
    const Quad b = shared[i + half];
    CUZK_UNROLL
    for (int k = 0; k < 4; ++k) {
      s.v[m].limb[k] = a.w[k];
      s.v[m].limb[k + 4] = b.w[k];
    }
  }
}

/// (a, b) <- (a + b, a - b), loose.
CUZK_HD CUZK_INLINE void butterfly(Fr32& a, Fr32& b) {
  const Fr32 d = Fr32::difference_loose(a, b);
  a = Fr32::sum_loose(a, b);
  b = d;
}

/// v times a factor of the pass.
CUZK_HD CUZK_INLINE Fr32 times(const Factor32& factor, const Fr32& v) {
  return times_factor(factor.value, factor.quotient, v);
}
/// (a, b) <- (w a + w^3 b, w^3 a + w b), w a root of order 8: what two levels with their factors make of a
/// and b, since w^2 (w a - w^3 b) is w^3 a + w b.
CUZK_HD CUZK_INLINE void times_eighths(const EightPointFactors& factors, Fr32& a, Fr32& b) {
  butterfly(a, b);
  a = times(factors.sum, a);
  b = times(factors.difference, b);
  butterfly(a, b);
}

/// The last `levels` levels of an eight-point transform: all three, or transforms of four or two neighbours.
/// Natural in, reversed out. All three take 4 products and 13 butterflies, where levels of their own take 5
/// and 12.
CUZK_HD CUZK_INLINE void dif_levels(NttState& s, unsigned levels, const EightPointFactors& factors) {
  if (levels >= 3) {
    CUZK_UNROLL
    for (unsigned m = 0; m < 4; ++m) butterfly(s.v[m], s.v[m + 4]);
  }
  if (levels >= 2) {
    butterfly(s.v[0], s.v[2]);
    butterfly(s.v[1], s.v[3]);
    s.v[3] = times(factors.quarter, s.v[3]);
    if (levels >= 3) {
      s.v[6] = times(factors.quarter, s.v[6]);
      times_eighths(factors, s.v[5], s.v[7]);
      butterfly(s.v[4], s.v[6]);
    } else {
      butterfly(s.v[4], s.v[6]);
      butterfly(s.v[5], s.v[7]);
      s.v[7] = times(factors.quarter, s.v[7]);
    }
  }
  CUZK_UNROLL
  for (unsigned g = 0; g < 8; g += 2) butterfly(s.v[g], s.v[g + 1]);
}
/// The mirror image: reversed in, natural out.
CUZK_HD CUZK_INLINE void dit_levels(NttState& s, unsigned levels, const EightPointFactors& factors) {
  CUZK_UNROLL
  for (unsigned g = 0; g < 8; g += 2) butterfly(s.v[g], s.v[g + 1]);
  if (levels >= 2) {
    s.v[3] = times(factors.quarter, s.v[3]);
    butterfly(s.v[0], s.v[2]);
    butterfly(s.v[1], s.v[3]);
    if (levels >= 3) {
      butterfly(s.v[4], s.v[6]);
      s.v[6] = times(factors.quarter, s.v[6]);
      times_eighths(factors, s.v[5], s.v[7]);
    } else {
      s.v[7] = times(factors.quarter, s.v[7]);
      butterfly(s.v[4], s.v[6]);
      butterfly(s.v[5], s.v[7]);
    }
  }
  if (levels >= 3) {
    CUZK_UNROLL
    for (unsigned m = 0; m < 4; ++m) butterfly(s.v[m], s.v[m + 4]);
  }
}

/// Always 0, as a loose v is below 2 r. But the compiler cannot know, so an address that is made with it
/// waits for v.
CUZK_HD CUZK_INLINE unsigned zero_after(const Fr32& v) {
  return v.limb[7] > Fr32::twice_modulus(7) ? 1 : 0;
}
/// What of the next factor is asked for before the product of an element with its own is done: the quotient
/// alone; or, one product earlier still, all of it.
enum class Ahead : std::uint8_t { quotient, whole };
/// Element m from kFirst on times entry index(m, zero) of `table`, which has quotients. `zero` must go into
/// the address: left alone, the compiler makes all addresses and asks for many factors beforehand, for which
/// the registers do not suffice. So a factor waits for the product before it, or before that; asked for later
/// still, it takes 1 % longer. Where more is alive, between passes, only its quotient, which a product needs
/// first, is ahead.
template <unsigned kFirst, Ahead kAhead, class Index>
CUZK_HD CUZK_INLINE void multiply_in_turn(const FactorTable& table, NttState& s, const Index& index) {
  unsigned last = 0;    // known when the product before is
  unsigned before = 0;  // when that before it is
  Fr32 next{};
  if constexpr (kAhead == Ahead::quotient) next = load(table.quotient + index(kFirst, 0));
  CUZK_UNROLL
  for (unsigned m = kFirst; m < 8; ++m) {
    if constexpr (kAhead == Ahead::quotient) {
      const Fr32 quotient = next;
      const Fr32 value = load(table.value + index(m, last));
      if (m < 7) next = load(table.quotient + index(m + 1, last));
      s.v[m] = times_factor(value, quotient, s.v[m]);
    } else {
      const std::uint32_t i = index(m, before);
      before = last;
      s.v[m] = times_factor(load(table.value + i), load(table.quotient + i), s.v[m]);
    }
    last = zero_after(s.v[m]);
  }
}

/// The factors inside a pass, between the three levels at index bit `at` and those below: element m of a
/// thread by the root of order 2^(at + 3) to the power (bits below at) * reverse3(m).
CUZK_HD CUZK_INLINE void multiply_inside(NttState& s, unsigned lane, unsigned at, const FactorTable& powers) {
  const unsigned low = (lane & ((1U << at) - 1)) << (6 - at);
  multiply_in_turn<1, Ahead::whole>(powers, s,
                                    [&](unsigned m, unsigned zero) { return (low | zero) * reverse3(m); });
}

/// Where element e of a column lies in memory: first + (e << log_stride).
struct Column {
  std::uint32_t first;
  std::uint32_t in_span;  // the same within the span of 2^(log_stride + log_points) elements
  bool exists;
};
template <bool kNeighbours>
CUZK_HD CUZK_INLINE Column column_of(const NttPass& p, unsigned block, const Place& place) {
  const std::uint32_t index = (block << p.log_columns) + place.column;
  if constexpr (kNeighbours) return {index << p.log_points, 0, index < p.columns};
  const std::uint32_t in_span = index & ((1U << p.log_stride) - 1);
  const std::uint32_t span = index >> p.log_stride;
  return {(span << (p.log_stride + p.log_points)) + in_span, in_span, index < p.columns};
}

CUZK_HD CUZK_INLINE void multiply_between(const NttPass& p, const Column& column, unsigned lane, unsigned at,
                                          NttState& s) {
  if (p.between.quotient == nullptr) {
    unsigned zero = 0;  // as in multiply_in_turn: a factor at a time
    CUZK_UNROLL
    for (unsigned m = 0; m < 8; ++m) {
      const std::uint32_t row = element(lane | zero, at, m);
      s.v[m] = Fr32::product(load(p.between.value + (row << p.log_stride) + column.in_span), s.v[m]);
      zero = zero_after(s.v[m]);
    }
    return;
  }
  // Without a split, between_shift is log_stride.
  const std::uint32_t low = column.in_span & ((1U << p.between_shift) - 1);
  multiply_in_turn<0, Ahead::quotient>(p.between, s, [&](unsigned m, unsigned zero) {
    return (element(lane | zero, at, m) << p.between_shift) + low;
  });
  if (!p.between_high) return;
  const std::uint32_t high = column.in_span >> p.between_shift;
  multiply_in_turn<0, Ahead::quotient>(p.between_high, s, [&](unsigned m, unsigned zero) {
    return (element(lane | zero, at, m) << (p.log_stride - p.between_shift)) + high;
  });
}

/// Asks for the factors of multiply_between long before they are used.
CUZK_HD CUZK_INLINE void prefetch_between(const NttPass& p, const Column& column, unsigned lane,
                                          unsigned at) {
#if defined(__CUDA_ARCH__)
  if (p.between.quotient != nullptr) return;  // small tables, near already
  CUZK_UNROLL
  for (unsigned m = 0; m < 8; ++m) {
    const std::uint32_t row = element(lane, at, m);
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p.between.value + (row << p.log_stride) + column.in_span));
  }
#else
  (void)p, (void)column, (void)lane, (void)at;
#endif
}

}  // namespace ntt_detail

/// Runs one tile. kDif and kDit choose the parts; both together is the pass over neighbours of an inverse and
/// a forward transform in a row. kNeighbours says whether it is the pass over neighbours. `shared`:
/// ntt_shared_bytes(pass).
template <bool kDif, bool kDit, bool kNeighbours, class Block>
CUZK_HD CUZK_INLINE void run_ntt_tile(const NttPass& p, Block& block, ntt_detail::Quad* shared) {
  using namespace ntt_detail;
  static_assert(kNeighbours || kDif != kDit);
  const unsigned top = p.log_points - 3;
  const unsigned log_stride = kNeighbours ? 0 : p.log_stride;
  // Over neighbours, memory is touched with the layout whose threads of a column lie side by side.
  const unsigned load_at = kDif || kNeighbours ? top : 0;
  const unsigned store_at = kDit || kNeighbours ? top : 0;

  block.each([&](unsigned thread, NttState& s) {
    const Place place = place_of<kNeighbours>(p, thread);
    const Column column = column_of<kNeighbours>(p, block.index(), place);
    if (!column.exists) return;
    if (!kNeighbours) prefetch_between(p, column, place.lane, kDif ? store_at : load_at);
    CUZK_UNROLL
    for (unsigned m = 0; m < 8; ++m) {
      const std::uint32_t i = column.first + (element(place.lane, load_at, m) << log_stride);
      s.v[m] = load_once(p.in + i);
      if (kDif && p.load_factor != nullptr) s.v[m] = Fr32::product(s.v[m], load_once(p.load_factor + i));
    }
    if (!kDif && !kNeighbours) multiply_between(p, column, place.lane, load_at, s);
  });

  unsigned at = load_at;
  const auto exchange = [&](unsigned to) {
    if (to == at) return;
    block.each([&](unsigned thread, NttState& s) {
      put<kNeighbours>(p, shared, place_of<kNeighbours>(p, thread), at, s);
    });
    block.barrier();
    block.each([&](unsigned thread, NttState& s) {
      get<kNeighbours>(p, shared, place_of<kNeighbours>(p, thread), to, s);
    });
    at = to;
  };

  if constexpr (kDif) {
    while (true) {
      const unsigned levels = at == 0 ? p.least_levels : 3;
      block.each([&](unsigned thread, NttState& s) {
        dif_levels(s, levels, p.dif.eight);
        if (at != 0) multiply_inside(s, place_of<kNeighbours>(p, thread).lane, at, p.dif.powers);
      });
      if (at == 0) break;
      exchange(at >= 3 ? at - 3 : 0);
    }
  } else {
    exchange(0);
  }

  if (kNeighbours && p.element_scale) {
    block.each([&](unsigned thread, NttState& s) {
      const unsigned lane = place_of<kNeighbours>(p, thread).lane;
      multiply_in_turn<0, Ahead::whole>(
          p.element_scale, s, [&](unsigned m, unsigned zero) { return element(lane | zero, 0, m); });
    });
  }

  if constexpr (kDit) {
    while (true) {
      const unsigned levels = at == 0 ? p.least_levels : 3;
      block.each([&](unsigned thread, NttState& s) {
        if (at != 0) multiply_inside(s, place_of<kNeighbours>(p, thread).lane, at, p.dit.powers);
        dit_levels(s, levels, p.dit.eight);
      });
      if (at == top) break;
      exchange(at + levels);
    }
  } else {
    exchange(store_at);
  }

  block.each([&](unsigned thread, NttState& s) {
    const Place place = place_of<kNeighbours>(p, thread);
    const Column column = column_of<kNeighbours>(p, block.index(), place);
    if (!column.exists) return;
    if (kDif && !kNeighbours) multiply_between(p, column, place.lane, store_at, s);
    CUZK_UNROLL
    for (unsigned m = 0; m < 8; ++m) {
      const std::uint32_t i = column.first + (element(place.lane, store_at, m) << log_stride);
      Fr32 v = s.v[m];
      if (kDit && p.store_factor != nullptr) v = Fr32::product(load_once(p.store_factor + i), v);
      if (!kDit && kNeighbours && p.subtract != nullptr)
        v = Fr32::difference_loose(v, load_once(p.subtract + i));
      store(p.out + i, (kDit || kNeighbours) && p.reduce ? v.reduced() : v);
    }
  });
}

inline std::size_t ntt_shared_bytes(const NttPass& p) {
  return 2 * sizeof(ntt_detail::Quad) * ntt_detail::shared_half(p);
}
inline unsigned ntt_threads(const NttPass& p) {
  return 1U << (p.log_columns + p.log_points - 3);
}
inline unsigned ntt_blocks(const NttPass& p) {
  return (p.columns + (1U << p.log_columns) - 1) >> p.log_columns;
}

}  // namespace cuzk::cuda
