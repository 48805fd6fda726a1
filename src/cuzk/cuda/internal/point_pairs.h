#pragma once

#include <cstdint>

#include "cuzk/cuda/field32.h"
#include "cuzk/curve/point.h"

namespace cuzk::cuda {

using G1Affine32 = Affine<Fp32>;
using G2Affine32 = Affine<Fp2x32>;
static_assert(sizeof(G1Affine32) == sizeof(G1Affine) && sizeof(G2Affine32) == sizeof(G2Affine));

/// The first of a pair of points in a level of a bucket tree, and the place of the sum in the next level.
struct ListedPair {
  std::uint32_t from;
  std::uint32_t to;
};

/// An addition: which points, of which arrays the list knows, and where the sum goes. Bit 0 of a code: the
/// opposite point.
struct FoundPair {
  std::uint32_t a;
  std::uint32_t b;
  std::uint32_t to;
  std::uint32_t code_a;
  std::uint32_t code_b;
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
  /// Halves of groups, all of them in fewer than 2^32 points: out[g, j] = in[g, j] + in[g, j + width] for j <
  /// width = 2^log_width, where groups lie in_stride (and out_stride) points apart. `out` may be `in`.
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

  /// Addition i is looked up in two steps, so that each can be under way while others are computed: where its
  /// points are listed, and which ones they are.
  [[nodiscard]] CUZK_HD CUZK_INLINE ListedPair entry(std::uint32_t i) const {
    return kind_ == Kind::listed || kind_ == Kind::listed_bases ? list_[i] : ListedPair{};
  }
  [[nodiscard]] CUZK_HD CUZK_INLINE FoundPair found(std::uint32_t i, const ListedPair& entry) const {
    switch (kind_) {
      case Kind::neighbours:
        return {2 * i, 2 * i + 1, i, 0, 0};
      case Kind::picked:
        return {index_[2 * std::uint64_t{i}], index_[2 * std::uint64_t{i} + 1], i, 0, 0};
      case Kind::halves: {
        const std::uint32_t width = std::uint32_t{1} << log_width_;
        const std::uint32_t group = i >> log_width_;
        const std::uint32_t place = i & (width - 1);
        const std::uint32_t a = group * in_stride_ + place;
        return {a, a + width, group * out_stride_ + place, 0, 0};
      }
      case Kind::parallel:
        return {i, i, i, 0, 0};
      case Kind::listed:
        return {entry.from, entry.from + in_stride_, entry.to, 0, 0};
      case Kind::listed_bases:
        break;
    }
    const std::uint64_t at = entry.from;
    return {index_[at], index_[at + 1], entry.to, codes_[at], codes_[at + 1]};
  }
  [[nodiscard]] CUZK_HD CUZK_INLINE const Affine<F>* first(const FoundPair& f) const { return in_ + f.a; }
  [[nodiscard]] CUZK_HD CUZK_INLINE const Affine<F>* second(const FoundPair& f) const { return more_ + f.b; }
  [[nodiscard]] CUZK_HD CUZK_INLINE Affine<F>* sum(std::uint32_t to) const { return out_ + to; }

 private:
  enum class Kind : std::uint32_t { neighbours, picked, halves, parallel, listed, listed_bases };
  PointPairs(Kind kind, const Affine<F>* in, Affine<F>* out) : kind_(kind), in_(in), out_(out), more_(in) {}

  Kind kind_;
  unsigned log_width_ = 0;
  std::uint32_t in_stride_ = 0;
  std::uint32_t out_stride_ = 0;
  const Affine<F>* in_;
  Affine<F>* out_;
  const Affine<F>* more_;  ///< of the second operands
  const ListedPair* list_ = nullptr;
  const std::uint32_t* codes_ = nullptr;
  const std::uint32_t* index_ = nullptr;
};

}  // namespace cuzk::cuda
