#pragma once

#include <cstdint>
#include <cstring>

#include "cuzk/cuda/internal/block.h"
#include "cuzk/cuda/internal/inverse32.h"
#include "cuzk/cuda/internal/point_pairs.h"

namespace cuzk::cuda {

/// Multiprocessors that add at a time, more than any card has that we know: on a larger one the others have
/// nothing to do, so that what sums take is bounded (sum_memory.h).
inline constexpr unsigned kMostMultiprocessors = 192;
/// Additions of a thread that share an inversion, at the most.
inline constexpr std::uint32_t kMostSteps = 256;

/// What is copied at a time.
struct alignas(16) Chunk {
  std::uint32_t word[4];
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
  Field32<Params> r;
  std::memcpy(&r, p, sizeof r);
  return r;
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
  std::memcpy(p, &v, sizeof v);
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
CUZK_HD CUZK_INLINE bool is_suspect(const F& xa, const F& xb) {
  return xa == xb || xa.is_zero() || xb.is_zero();
}

/// Products, squares and differences that are reduced no more than their next use asks: loose for Fp (below
/// 1.41 p the products, below 2 p the differences of reduced values), reduced for Fp2. The difference is not
/// Field32's difference_loose, which takes loose operands.
CUZK_HD CUZK_INLINE Fp32 loose_product(const Fp32& a, const Fp32& b) {
  return Fp32::product(a, b);
}
CUZK_HD CUZK_INLINE Fp2x32 loose_product(const Fp2x32& a, const Fp2x32& b) {
  return a * b;
}
CUZK_HD CUZK_INLINE Fp32 loose_difference(const Fp32& a, const Fp32& b) {
  return Fp32::plain_difference(a, b);
}
CUZK_HD CUZK_INLINE Fp2x32 loose_difference(const Fp2x32& a, const Fp2x32& b) {
  return a - b;
}
/// -v or p - v.
CUZK_HD CUZK_INLINE Fp32 loose_negative(const Fp32& v) {
  return v.plain_negative();
}
CUZK_HD CUZK_INLINE Fp2x32 loose_negative(const Fp2x32& v) {
  return -v;
}
CUZK_HD CUZK_INLINE Fp32 reduced(const Fp32& v) {
  return v.reduced();
}
CUZK_HD CUZK_INLINE Fp2x32 reduced(const Fp2x32& v) {
  return v;
}
/// Of a loose value, reduced.
CUZK_HD CUZK_INLINE Fp32 square_of(const Fp32& v) {
  return Fp32::Wide::square(v).reduce().reduced();
}
CUZK_HD CUZK_INLINE Fp2x32 square_of(const Fp2x32& v) {
  return v.square();
}

/// The chunks of a value, `stride` apart.
template <class Params>
CUZK_HD CUZK_INLINE void store_chunks(Chunk* to, std::size_t stride, const Field32<Params>& v) {
  CUZK_UNROLL
  for (int i = 0; i < v.N / 4; ++i) {
#if defined(__CUDA_ARCH__)
    *reinterpret_cast<uint4*>(to + i * stride) =
        make_uint4(v.limb[4 * i], v.limb[4 * i + 1], v.limb[4 * i + 2], v.limb[4 * i + 3]);
#else
    std::memcpy(to + i * stride, v.limb + 4 * i, sizeof(Chunk));
#endif
  }
}
CUZK_HD CUZK_INLINE void store_chunks(Chunk* to, std::size_t stride, const Fp2x32& v) {
  store_chunks(to, stride, v.c0);
  store_chunks(to + sizeof(Fp32) / sizeof(Chunk) * stride, stride, v.c1);
}

/// Copies from global to shared memory that are there, for the thread that asked, after wait_for_copies(),
/// and take no registers until then. On the host they are there at once.
CUZK_HD CUZK_INLINE void copy_async(Chunk* to, const Chunk* from) {
#if defined(__CUDA_ARCH__)
  const auto shared = static_cast<std::uint32_t>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
  std::memcpy(to, from, sizeof(Chunk));
#endif
}
CUZK_HD CUZK_INLINE void wait_for_copies() {
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
/// Values loaded from memory before this are loaded again after it, not kept in registers.
CUZK_HD CUZK_INLINE void forget_loads() {
#if defined(__CUDA_ARCH__)
  asm volatile("" ::: "memory");
#endif
}

}  // namespace add_detail

/// What a thread keeps between the passes.
template <class F>
struct AffineAddState {
  F product;
};

/// The shared memory of a block: a slot for each thread, with the coordinates x and y of both operands and
/// the product of the earlier denominators. The nodes of the tree take the place of slots between the passes.
template <class F>
class AddMemory {
 public:
  static constexpr unsigned kField = sizeof(F) / sizeof(Chunk);
  /// Odd, so that the same chunk of eight threads lies in different banks.
  static constexpr unsigned kSlot = (5 * kField) | 1;

  static constexpr std::size_t bytes(unsigned threads) { return threads * kSlot * sizeof(Chunk); }

  CUZK_HD CUZK_INLINE explicit AddMemory(Chunk* slots) : slots_(slots) {}

  [[nodiscard]] CUZK_HD CUZK_INLINE Chunk* slot(unsigned thread) const { return slots_ + thread * kSlot; }
  [[nodiscard]] CUZK_HD CUZK_INLINE F* nodes() const { return reinterpret_cast<F*>(slots_); }

 private:
  Chunk* slots_;
};

namespace add_detail {

/// A thread's slot, and the copies into it.
template <class F>
class Operands {
 public:
  static constexpr unsigned kField = AddMemory<F>::kField;

  CUZK_HD CUZK_INLINE explicit Operands(Chunk* slot) : slot_(slot) {}

  [[nodiscard]] CUZK_HD CUZK_INLINE F xa() const { return value(0); }
  [[nodiscard]] CUZK_HD CUZK_INLINE F xb() const { return value(2); }
  [[nodiscard]] CUZK_HD CUZK_INLINE F ya(std::uint32_t code) const { return signed_value(1, code); }
  [[nodiscard]] CUZK_HD CUZK_INLINE F yb(std::uint32_t code) const { return signed_value(3, code); }
  [[nodiscard]] CUZK_HD CUZK_INLINE F before() const { return value(4); }

  CUZK_HD CUZK_INLINE void fetch_x(const Affine<F>* a, const Affine<F>* b) const {
    fetch(0, kField, reinterpret_cast<const Chunk*>(a), 1);
    fetch(2, kField, reinterpret_cast<const Chunk*>(b), 1);
  }
  CUZK_HD CUZK_INLINE void fetch_points(const Affine<F>* a, const Affine<F>* b) const {
    fetch(0, 2 * kField, reinterpret_cast<const Chunk*>(a), 1);
    fetch(2, 2 * kField, reinterpret_cast<const Chunk*>(b), 1);
  }
  CUZK_HD CUZK_INLINE void fetch_before(const Chunk* from, std::size_t stride) const {
    fetch(4, kField, from, stride);
  }

  CUZK_HD CUZK_INLINE void put_yb(const F& v) const {
    store_words(reinterpret_cast<F*>(slot_ + 3 * kField), v);
  }

 private:
  [[nodiscard]] CUZK_HD CUZK_INLINE F value(unsigned i) const {
    return load_words(reinterpret_cast<const F*>(slot_ + i * kField));
  }
  [[nodiscard]] CUZK_HD CUZK_INLINE F signed_value(unsigned i, std::uint32_t code) const {
    const F v = value(i);
    return (code & 1) != 0 ? loose_negative(v) : v;
  }
  CUZK_HD CUZK_INLINE void fetch(unsigned to, unsigned chunks, const Chunk* from, std::size_t stride) const {
    CUZK_UNROLL
    for (unsigned c = 0; c < chunks; ++c) copy_async(slot_ + to * kField + c, from + c * stride);
  }

  Chunk* slot_;
};

/// The denominator of the slope where the chord may not hold; one where no slope is needed.
template <class F>
CUZK_HD CUZK_INLINE F special_denominator(const PointPairs<F>& pairs, const FoundPair& found) {
  const Affine<F>* const a = pairs.first(found);
  const Affine<F>* const b = pairs.second(found);
  const F xa = load_words(&a->x);
  const F xb = load_words(&b->x);
  const F ya = load_y(a, (found.code_a & 1) != 0);
  switch (classify(xa, ya, xb, load_y(b, (found.code_b & 1) != 0))) {
    case SumKind::chord:
      return loose_difference(xb, xa);
    case SumKind::tangent:
      return ya.dbl();
    default:
      return F::one();
  }
}

/// The inverses of the threads' values in nodes [threads, 2 threads): a tree of products, node i that of
/// nodes 2 i and 2 i + 1, the threads' the leaves. Its root is inverted, and going down, a node's inverse
/// times its sibling's product is the child's inverse.
template <class F, class Block>
CUZK_HD CUZK_INLINE void invert_leaves(F* nodes, Block& block) {
  const std::uint32_t threads = block.threads();
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
}

/// The batch of a thread: its additions 0 to steps - 1, and the products of their denominators.
template <class F>
class ThreadBatch {
 public:
  /// Addition i is number first + i * grid_threads of the launch; chunk c of product i lies at prefix[i *
  /// row + c * team].
  CUZK_HD CUZK_INLINE ThreadBatch(const PointPairs<F>& pairs, std::uint32_t steps, std::uint32_t first,
                                  std::uint32_t grid_threads, Chunk* prefix, unsigned team, Chunk* slot)
      : pairs_(pairs),
        steps_(steps),
        first_(first),
        grid_threads_(grid_threads),
        prefix_(prefix),
        team_(team),
        operands_(slot) {}

  /// The product of all denominators; before each is stored that of the earlier ones.
  CUZK_HD CUZK_INLINE F multiply() const {
    F product = F::one();
    if (steps_ == 0) return product;
    FoundPair found = look_up(0);
    operands_.fetch_x(pairs_.first(found), pairs_.second(found));
    found = look_up(1);
    ListedPair entry = pairs_.entry(number(2));
    for (std::uint32_t i = 0; i < steps_; ++i) {
      wait_for_copies();
      const F xa = operands_.xa();
      const F xb = operands_.xb();
      F d = loose_difference(xb, xa);
      if (is_suspect(xa, xb)) d = special_denominator(pairs_, look_up(i));
      if (i + 1 < steps_) operands_.fetch_x(pairs_.first(found), pairs_.second(found));
      found = pairs_.found(number(i + 2), entry);
      entry = pairs_.entry(number(i + 3));
      store_chunks(row(i), team_, product);
      product = loose_product(product, d);
    }
    return product;
  }

  /// The sums, from the inverse of the product of all denominators.
  CUZK_HD CUZK_INLINE void finish(F inverse) const {
    if (steps_ == 0) return;
    FoundPair found = look_up(steps_ - 1);
    operands_.fetch_points(pairs_.first(found), pairs_.second(found));
    operands_.fetch_before(row(steps_ - 1), team_);
    std::uint32_t to = found.to;
    std::uint32_t code_a = found.code_a;
    std::uint32_t code_b = found.code_b;
    found = look_up(steps_ - 2);
    ListedPair entry = pairs_.entry(number(steps_ - 3));
    for (std::uint32_t i = steps_; i-- > 0;) {
      wait_for_copies();
      Affine<F>* const out = pairs_.sum(to);
      SumKind kind = SumKind::chord;
      F d;
      {
        const F xa = operands_.xa();
        const F xb = operands_.xb();
        d = loose_difference(xb, xa);
        if (is_suspect(xa, xb)) kind = special(out, code_a, code_b, d);
      }
      const F slope_inverse = loose_product(inverse, operands_.before());
      F numerator = operands_.yb(code_b);  // of the tangent, where special() put it
      if (kind != SumKind::tangent) numerator = loose_difference(numerator, operands_.ya(code_a));
      const F slope = loose_product(numerator, slope_inverse);
      F x = square_of(slope);
      forget_loads();
      const F xa = operands_.xa();
      x = x - xa - operands_.xb();
      const F ya = operands_.ya(code_a);
      const bool due = kind == SumKind::chord || kind == SumKind::tangent;
      if (due) store_words(&out->x, x);
      // The operands are all in registers: their places are free.
      if (i > 0) {
        operands_.fetch_points(pairs_.first(found), pairs_.second(found));
        operands_.fetch_before(row(i - 1), team_);
      }
      to = found.to;
      code_a = found.code_a;
      code_b = found.code_b;
      found = pairs_.found(number(i - 2), entry);
      entry = pairs_.entry(number(i - 3));
      const F y = reduced(loose_product(slope, loose_difference(xa, x))) - ya;
      if (due) store_words(&out->y, y);
      inverse = loose_product(inverse, d);
    }
  }

 private:
  /// Numbers past either end are that of addition 0, so that looking ahead needs no conditions.
  [[nodiscard]] CUZK_HD CUZK_INLINE std::uint32_t number(std::uint32_t i) const {
    return first_ + (i < steps_ ? i * grid_threads_ : 0);
  }
  [[nodiscard]] CUZK_HD CUZK_INLINE FoundPair look_up(std::uint32_t i) const {
    return pairs_.found(number(i), pairs_.entry(number(i)));
  }
  [[nodiscard]] CUZK_HD CUZK_INLINE Chunk* row(std::uint32_t i) const {
    return prefix_ + std::size_t{i} * grid_threads_ * AddMemory<F>::kField;
  }
  /// Sums that need the tangent, whose denominator and numerator it finds, or no slope: those it stores, and
  /// the products go on with a denominator of one.
  CUZK_HD CUZK_INLINE SumKind special(Affine<F>* out, std::uint32_t code_a, std::uint32_t code_b,
                                      F& d) const {
    const F xa = operands_.xa();
    const F xb = operands_.xb();
    const F ya = reduced(operands_.ya(code_a));
    const F yb = reduced(operands_.yb(code_b));
    const SumKind kind = classify(xa, ya, xb, yb);
    if (kind == SumKind::tangent) {
      d = ya.dbl();
      const F xx = xa.square();
      const F numerator = xx.dbl() + xx;
      operands_.put_yb((code_b & 1) != 0 ? -numerator : numerator);
    } else if (kind != SumKind::chord) {
      d = F::one();
      const F zero = F::zero();
      store_words(&out->x, kind == SumKind::first ? xa : kind == SumKind::second ? xb : zero);
      store_words(&out->y, kind == SumKind::first ? ya : kind == SumKind::second ? yb : zero);
    }
    return kind;
  }

  const PointPairs<F>& pairs_;
  std::uint32_t steps_;
  std::uint32_t first_;
  std::uint32_t grid_threads_;
  Chunk* prefix_;
  unsigned team_;
  Operands<F> operands_;
};

}  // namespace add_detail

/// Many independent additions of affine points with one inversion for a whole block of threads
/// (gpu-kernels 2.6 B): five products and a square an addition, and a share of the inversion.
/// Complete: equal points, opposite points and infinity give the right sums. Coordinates are fully reduced,
/// in and out.
///
/// `count` additions (below 2^31), spread over a grid of `grid_threads` threads in blocks of block.threads()
/// (a power of two). A result may take the place of its own operands. `prefix` has room for grid_threads *
/// max_steps values, `block_memory` (shared) is AddMemory<F>::bytes(threads) long.
///
/// The operands of an addition are copied to shared memory while others are computed, which needs no
/// registers.
template <class F, class Block>
CUZK_HD CUZK_INLINE void run_affine_add(const PointPairs<F>& pairs, std::uint32_t count, Chunk* prefix,
                                        std::uint32_t grid_threads, std::uint32_t max_steps, Block& block,
                                        Chunk* block_memory) {
  using namespace add_detail;
  using State = AffineAddState<F>;
  const std::uint32_t threads = block.threads();
  const unsigned team = block.team();
  const std::uint32_t first = block.index() * threads;
  if (first >= count) return;
  const AddMemory<F> memory(block_memory);
  F* const nodes = memory.nodes();
  const std::uint32_t all = (count - first - 1) / grid_threads + 1;
  for (std::uint32_t begin = 0; begin < all; begin += max_steps) {
    const std::uint32_t steps = all - begin < max_steps ? all - begin : max_steps;
    // All threads have as many, but for the last one.
    const auto batch = [&](unsigned thread) {
      const std::uint32_t place = first + thread;
      const bool whole = (begin + steps - 1) * grid_threads + place < count;
      return ThreadBatch<F>(pairs, whole ? steps : steps - 1, begin * grid_threads + place, grid_threads,
                            prefix + std::size_t{place - place % team} * AddMemory<F>::kField + place % team,
                            team, memory.slot(thread));
    };
    block.each([&](unsigned thread, State& s) { s.product = batch(thread).multiply(); });
    block.barrier();
    block.each([&](unsigned thread, State& s) { store_words(nodes + threads + thread, reduced(s.product)); });
    block.barrier();
    invert_leaves(nodes, block);
    block.each([&](unsigned thread, State& s) { s.product = load_words(nodes + threads + thread); });
    block.barrier();
    block.each([&](unsigned thread, State& s) { batch(thread).finish(s.product); });
    block.barrier();
  }
}

}  // namespace cuzk::cuda
