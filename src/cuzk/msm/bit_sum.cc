#include "cuzk/msm/bit_sum.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/msm/internal/tree_sum.h"

namespace cuzk {
namespace {

using msm_detail::kTreePoints;
using msm_detail::Lender;
using msm_detail::TreeSummer;

/// The sum over the words [begin, end) of the bitmap, in chunks that run through a pipeline of tree
/// additions.
template <class F>
class BitSummer {
 public:
  BitSummer(BatchAdd<F> add, std::span<const Affine<F>> bases, std::span<const std::uint64_t> bits)
      : bases_(bases), bits_(bits), tree_(add, bases.data()) {}

  Jacobian<F> sum(std::size_t begin, std::size_t end) {
    // Every word gives at most 64 references, every chunk but the last has at least kTreePoints.
    sums_.resize((end - begin) * 64 / kTreePoints + 1);
    std::size_t chunks = 0;
    collect(begin, end, now_);
    while (!now_.empty()) {
      collect(begin, end, next_);
      const auto length = static_cast<std::uint32_t>(now_.size());
      tree_.add(now_, {&length, 1}, &sums_[chunks++], false, next_);
      std::swap(now_, next_);
    }
    tree_.finish();
    Jacobian<F> total = Jacobian<F>::infinity();
    for (std::size_t c = 0; c < chunks; ++c) total += sums_[c];
    return total;
  }

 private:
  /// References of the set bits of the next words, until there are enough; moves `begin`.
  void collect(std::size_t& begin, std::size_t end, std::vector<PointRef>& refs) {
    refs.clear();
    for (; begin < end && refs.size() < kTreePoints; ++begin) {
      std::uint64_t word = bits_[begin];
      const std::size_t left = bases_.size() - 64 * begin;
      if (left < 64) word &= (std::uint64_t{1} << left) - 1;
      for (; word != 0; word &= word - 1)
        refs.push_back(
            static_cast<PointRef>((64 * begin + static_cast<unsigned>(std::countr_zero(word))) << 1));
    }
  }

  std::span<const Affine<F>> bases_;
  std::span<const std::uint64_t> bits_;
  TreeSummer<F> tree_;
  std::vector<PointRef> now_;
  std::vector<PointRef> next_;
  std::vector<Affine<F>> sums_;
};

template <class F>
Jacobian<F> run(ThreadPool& pool, std::span<const Affine<F>> bases, std::span<const std::uint64_t> bits) {
  CUZK_CHECK(bases.size() < kMaxReferablePoints);
  const std::size_t words = (bases.size() + 63) / 64;
  CUZK_CHECK(bits.size() == words);
  if (words == 0) return Jacobian<F>::infinity();
  const BatchAdd<F> add = batch_add_kernel<F>(pool.isa());
  // Ranges of at least 16 words, about eight a thread.
  const std::size_t grain = std::max<std::size_t>(words / (8 * pool.size()), 16);
  std::vector<Jacobian<F>> partial((words + grain - 1) / grain);
  Lender<BitSummer<F>> summers;
  pool.parallel_for(words, grain, [&](std::size_t begin, std::size_t end) {
    summers.with([&] { return std::make_unique<BitSummer<F>>(add, bases, bits); },
                 [&](BitSummer<F>& summer) { partial[begin / grain] = summer.sum(begin, end); });
  });
  Jacobian<F> total = Jacobian<F>::infinity();
  for (const Jacobian<F>& p : partial) total += p;
  return total;
}

}  // namespace

G1Jacobian bit_sum(ThreadPool& pool, std::span<const G1Affine> bases, std::span<const std::uint64_t> bits) {
  return run(pool, bases, bits);
}
G2Jacobian bit_sum(ThreadPool& pool, std::span<const G2Affine> bases, std::span<const std::uint64_t> bits) {
  return run(pool, bases, bits);
}

}  // namespace cuzk
