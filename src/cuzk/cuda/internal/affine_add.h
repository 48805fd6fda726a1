#pragma once

#include <cstdint>

#include "cuzk/cuda/internal/block.h"
#include "cuzk/cuda/internal/inverse32.h"
#include "cuzk/curve/point.h"

namespace cuzk::cuda {

/// Many independent additions of affine points with one inversion for a whole block of threads
/// (gpu-kernels.md section 2.6 B): five products and a square an addition, and a share of the inversion.
/// Complete: equal points, opposite points and infinity give the right sums. Coordinates are fully reduced,
/// in and out.

using G1Affine32 = Affine<Fp32>;
using G2Affine32 = Affine<Fp2x32>;
static_assert(sizeof(G1Affine32) == sizeof(G1Affine) && sizeof(G2Affine32) == sizeof(G2Affine));

/// One addition: where the operands are, whether they are taken with the opposite sign, and where the sum
/// goes.
template <class F>
struct PointPair {
  const Affine<F>* a;
  const Affine<F>* b;
  Affine<F>* out;
  bool negate_a;
  bool negate_b;
};

namespace add_detail {

/// Sixteen bytes at a time. Limb by limb into registers: a copy through a pointer to the whole would put the
/// value into local memory.
template <class Params>
CUZK_HD CUZK_INLINE Field32<Params> load_words(const Field32<Params>* p) {
#if defined(__CUDA_ARCH__)
  Field32<Params> r;
  const uint4* from = reinterpret_cast<const uint4*>(p);
  CUZK_UNROLL
  for (int i = 0; i < r.N / 4; ++i) {
    const uint4 v = from[i];
    r.limb[4 * i] = v.x;
    r.limb[4 * i + 1] = v.y;
    r.limb[4 * i + 2] = v.z;
    r.limb[4 * i + 3] = v.w;
  }
  return r;
#else
  return *p;
#endif
}
template <class Params>
CUZK_HD CUZK_INLINE void store_words(Field32<Params>* p, const Field32<Params>& v) {
#if defined(__CUDA_ARCH__)
  uint4* to = reinterpret_cast<uint4*>(p);
  CUZK_UNROLL
  for (int i = 0; i < v.N / 4; ++i)
    to[i] = make_uint4(v.limb[4 * i], v.limb[4 * i + 1], v.limb[4 * i + 2], v.limb[4 * i + 3]);
#else
  *p = v;
#endif
}
CUZK_HD CUZK_INLINE Fp2x32 load_words(const Fp2x32* p) {
  return {load_words(&p->c0), load_words(&p->c1)};
}
CUZK_HD CUZK_INLINE void store_words(Fp2x32* p, const Fp2x32& v) {
  store_words(&p->c0, v.c0);
  store_words(&p->c1, v.c1);
}
template <class F>
CUZK_HD CUZK_INLINE F load_y(const Affine<F>* p, bool negate) {
  const F y = load_words(&p->y);
  return negate ? -y : y;
}

/// How a sum is found: by the chord, by the tangent, or without a slope.
enum class SumKind { chord, tangent, first, second, infinity };

template <class F>
CUZK_HD CUZK_INLINE SumKind classify(const F& xa, const F& ya, const F& xb, const F& yb) {
  if (xa.is_zero() && ya.is_zero()) return SumKind::second;
  if (xb.is_zero() && yb.is_zero()) return SumKind::first;
  if (!(xa == xb)) return SumKind::chord;
  // A point of order two is its own opposite; the curves have none, other inputs must not divide by zero.
  return ya == yb && !ya.is_zero() ? SumKind::tangent : SumKind::infinity;
}

/// Whether the chord may not hold: the coordinates y decide only then.
template <class F>
CUZK_HD CUZK_INLINE bool is_suspect(const F& difference, const F& xa, const F& xb) {
  return difference.is_zero() || xa.is_zero() || xb.is_zero();
}

/// The denominator of the slope, from the coordinates x; one where no slope is needed.
template <class F>
CUZK_HD CUZK_INLINE F denominator(const PointPair<F>& pair) {
  const F xa = load_words(&pair.a->x);
  const F xb = load_words(&pair.b->x);
  const F d = xb - xa;
  if (!is_suspect(d, xa, xb)) return d;
  const F ya = load_y(pair.a, pair.negate_a);
  const F yb = load_y(pair.b, pair.negate_b);
  switch (classify(xa, ya, xb, yb)) {
    case SumKind::chord:
      return d;
    case SumKind::tangent:
      return ya.dbl();
    default:
      return F::one();
  }
}

/// The sum, and `inverse` (of this denominator and all earlier ones) taken on to the earlier ones. `before`
/// is the product of the earlier denominators.
template <class F>
CUZK_HD CUZK_INLINE void finish_sum(const PointPair<F>& pair, const F& before, F& inverse) {
  const F xa = load_words(&pair.a->x);
  const F xb = load_words(&pair.b->x);
  const F ya = load_y(pair.a, pair.negate_a);
  const F yb = load_y(pair.b, pair.negate_b);
  F d = xb - xa;
  F numerator = yb - ya;
  if (is_suspect(d, xa, xb)) {
    const SumKind kind = classify(xa, ya, xb, yb);
    if (kind == SumKind::tangent) {
      d = ya.dbl();
      const F xx = xa.square();
      numerator = xx.dbl() + xx;
    } else if (kind != SumKind::chord) {
      const F zero = F::zero();
      store_words(&pair.out->x, kind == SumKind::first ? xa : kind == SumKind::second ? xb : zero);
      store_words(&pair.out->y, kind == SumKind::first ? ya : kind == SumKind::second ? yb : zero);
      return;
    }
  }
  const F slope = numerator * (inverse * before);
  inverse = inverse * d;
  const F x = slope.square() - xa - xb;
  store_words(&pair.out->x, x);
  store_words(&pair.out->y, slope * (xa - x) - ya);
}

}  // namespace add_detail

/// The first of a pair of points in a level of a bucket tree, and the place of the sum in the next level.
struct ListedPair {
  std::uint32_t from;
  std::uint32_t to;
};

/// The additions of a launch. One type for all kinds, so that the kernel is compiled once: what it adds to an
/// addition is a branch that all threads take alike.
template <class F>
class PointPairs {
 public:
  /// out[i] = in[2 i] + in[2 i + 1].
  static PointPairs neighbours(const Affine<F>* in, Affine<F>* out) {
    PointPairs p(Kind::neighbours, in, out);
    return p;
  }
  /// The same for points picked by their indices.
  static PointPairs picked(const Affine<F>* bases, const std::uint32_t* index, Affine<F>* out) {
    PointPairs p(Kind::picked, bases, out);
    p.index_ = index;
    return p;
  }
  /// Halves of groups: out[g, j] = in[g, j] + in[g, j + width] for j < width = 2^log_width, where groups lie
  /// in_stride (and out_stride) points apart. `out` may be `in`.
  static PointPairs halves(const Affine<F>* in, Affine<F>* out, unsigned log_width, std::uint32_t in_stride,
                           std::uint32_t out_stride) {
    PointPairs p(Kind::halves, in, out);
    p.log_width_ = log_width;
    p.in_stride_ = in_stride;
    p.out_stride_ = out_stride;
    return p;
  }
  /// sums[i] += more[i].
  static PointPairs parallel(Affine<F>* sums, const Affine<F>* more) {
    PointPairs p(Kind::parallel, sums, sums);
    p.more_ = more;
    return p;
  }
  /// The pairs of a list, of points that lie `distance` apart; sums stay in the same array.
  static PointPairs listed(const ListedPair* list, Affine<F>* points, std::uint32_t distance) {
    PointPairs p(Kind::listed, points, points);
    p.list_ = list;
    p.in_stride_ = distance;
    return p;
  }
  /// The pairs of a list in the first level, whose points are bases as the sorted entries pick them: bit 0 of
  /// a code takes the opposite point.
  static PointPairs listed_bases(const ListedPair* list, const std::uint32_t* codes,
                                 const std::uint32_t* index, const Affine<F>* bases, Affine<F>* out) {
    PointPairs p(Kind::listed_bases, bases, out);
    p.list_ = list;
    p.codes_ = codes;
    p.index_ = index;
    return p;
  }

  CUZK_HD CUZK_INLINE PointPair<F> operator[](std::uint32_t i) const {
    switch (kind_) {
      case Kind::neighbours:
        return {in_ + 2 * std::uint64_t{i}, in_ + 2 * std::uint64_t{i} + 1, out_ + i, false, false};
      case Kind::picked:
        return {in_ + index_[2 * std::uint64_t{i}], in_ + index_[2 * std::uint64_t{i} + 1], out_ + i, false,
                false};
      case Kind::halves: {
        const std::uint64_t width = std::uint64_t{1} << log_width_;
        const std::uint64_t group = i >> log_width_;
        const std::uint64_t place = i & (width - 1);
        const Affine<F>* const a = in_ + group * in_stride_ + place;
        return {a, a + width, out_ + group * out_stride_ + place, false, false};
      }
      case Kind::parallel:
        return {in_ + i, more_ + i, out_ + i, false, false};
      case Kind::listed: {
        const Affine<F>* const a = in_ + list_[i].from;
        return {a, a + in_stride_, out_ + list_[i].to, false, false};
      }
      case Kind::listed_bases:
        break;
    }
    const std::uint32_t from = list_[i].from;
    return {in_ + index_[from], in_ + index_[from + 1], out_ + list_[i].to, (codes_[from] & 1) != 0,
            (codes_[from + 1] & 1) != 0};
  }

 private:
  enum class Kind : std::uint32_t { neighbours, picked, halves, parallel, listed, listed_bases };
  PointPairs(Kind kind, const Affine<F>* in, Affine<F>* out) : kind_(kind), in_(in), out_(out) {}

  Kind kind_;
  unsigned log_width_ = 0;
  std::uint32_t in_stride_ = 0;
  std::uint32_t out_stride_ = 0;
  const Affine<F>* in_;
  Affine<F>* out_;
  const Affine<F>* more_ = nullptr;
  const ListedPair* list_ = nullptr;
  const std::uint32_t* codes_ = nullptr;
  const std::uint32_t* index_ = nullptr;
};

/// What a thread keeps between the passes.
template <class F>
struct AffineAddState {
  F product;
};

/// `count` additions, spread over a grid of `grid_threads` threads in blocks of block.threads() (a power of
/// two). A result may take the place of its own operands. `prefix` has room for grid_threads * max_steps
/// elements, `nodes` (shared memory) for two a thread.
template <class F, class Block>
CUZK_HD CUZK_INLINE void run_affine_add(const PointPairs<F>& pairs, std::uint32_t count, F* prefix,
                                        std::uint32_t grid_threads, std::uint32_t max_steps, Block& block,
                                        F* nodes) {
  using namespace add_detail;
  const std::uint32_t threads = block.threads();
  const std::uint32_t first = block.index() * threads;
  for (std::uint64_t begin = 0; begin + first < count; begin += std::uint64_t{grid_threads} * max_steps) {
    // Step i of a thread is addition begin + i * grid_threads + its number.
    const auto left = static_cast<std::uint32_t>(count - begin);
    const std::uint32_t all = (left - 1) / grid_threads + 1;
    const std::uint32_t steps = all < max_steps ? all : max_steps;

    block.each([&](unsigned thread, AffineAddState<F>& s) {
      s.product = F::one();
      std::uint32_t place = first + thread;
      for (std::uint32_t i = 0; i < steps; ++i, place += grid_threads) {
        if (place >= left) break;
        const F d = denominator(pairs[static_cast<std::uint32_t>(begin) + place]);
        store_words(prefix + place, s.product);
        s.product = s.product * d;
      }
      store_words(nodes + threads + thread, s.product);
    });
    block.barrier();
    // A tree of products: node i is the product of nodes 2 i and 2 i + 1, the threads are the leaves. Its
    // root is inverted, and going down, a node's inverse times its sibling's product is the child's inverse.
    for (std::uint32_t width = threads / 2; width > 0; width /= 2) {
      block.each([&](unsigned thread, AffineAddState<F>&) {
        if (thread >= width) return;
        const std::uint32_t i = width + thread;
        store_words(nodes + i, load_words(nodes + 2 * i) * load_words(nodes + 2 * i + 1));
      });
      block.barrier();
    }
    block.each([&](unsigned thread, AffineAddState<F>&) {
      if (thread == 0) store_words(nodes + 1, inverse(load_words(nodes + 1)));
    });
    block.barrier();
    for (std::uint32_t width = 1; width < threads; width *= 2) {
      block.each([&](unsigned thread, AffineAddState<F>&) {
        if (thread >= width) return;
        const std::uint32_t i = width + thread;
        const F own = load_words(nodes + i);
        const F left_product = load_words(nodes + 2 * i);
        store_words(nodes + 2 * i, own * load_words(nodes + 2 * i + 1));
        store_words(nodes + 2 * i + 1, own * left_product);
      });
      block.barrier();
    }
    block.each([&](unsigned thread, AffineAddState<F>& s) {
      s.product = load_words(nodes + threads + thread);
      for (std::uint32_t i = steps; i-- > 0;) {
        const std::uint64_t place = std::uint64_t{i} * grid_threads + first + thread;
        if (place >= left) continue;
        finish_sum(pairs[static_cast<std::uint32_t>(begin + place)], load_words(prefix + place), s.product);
      }
    });
    block.barrier();
  }
}

}  // namespace cuzk::cuda
