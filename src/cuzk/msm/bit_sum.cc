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

/// Sums set bits from several words until a batch is full.
template <class F>
class BitSummer {
 public:
  explicit BitSummer(BatchAdd<F> add) : tree_(add) { refs_.reserve(kTreePoints<F> + 64); }

  /// The sum over the words [begin, end).
  Jacobian<F> sum(std::span<const Affine<F>> bases, std::span<const std::uint64_t> bits, std::size_t begin,
                  std::size_t end) {
    Jacobian<F> total = Jacobian<F>::infinity();
    refs_.clear();
    for (std::size_t w = begin; w < end; ++w) {
      std::uint64_t word = bits[w];
      const std::size_t left = bases.size() - 64 * w;
      if (left < 64) word &= (std::uint64_t{1} << left) - 1;
      for (; word != 0; word &= word - 1)
        refs_.push_back(static_cast<PointRef>((64 * w + static_cast<unsigned>(std::countr_zero(word))) << 1));
      if (refs_.size() >= kTreePoints<F>) add_batch(bases, total);
    }
    if (!refs_.empty()) add_batch(bases, total);
    return total;
  }

 private:
  void add_batch(std::span<const Affine<F>> bases, Jacobian<F>& total) {
    const auto length = static_cast<std::uint32_t>(refs_.size());
    tree_.sum(bases.data(), refs_, {&length, 1}, [&](std::size_t, const Affine<F>& sum) { total += sum; });
    refs_.clear();
  }

  TreeSummer<F> tree_;
  std::vector<PointRef> refs_;
};

template <class F>
Jacobian<F> run(ThreadPool& pool, std::span<const Affine<F>> bases, std::span<const std::uint64_t> bits,
                Isa isa) {
  CUZK_CHECK(isa_supported(isa) && bases.size() < kMaxReferablePoints);
  const std::size_t words = (bases.size() + 63) / 64;
  CUZK_CHECK(bits.size() == words);
  if (words == 0) return Jacobian<F>::infinity();
  const BatchAdd<F> add = batch_add_kernel<F>(isa);
  // Ranges of at least 16 words, about eight a thread.
  const std::size_t grain = std::max<std::size_t>(words / (8 * pool.size()), 16);
  std::vector<Jacobian<F>> partial((words + grain - 1) / grain);
  Lender<BitSummer<F>> summers;
  pool.parallel_for(words, grain, [&](std::size_t begin, std::size_t end) {
    summers.with([&] { return std::make_unique<BitSummer<F>>(add); },
                 [&](BitSummer<F>& summer) { partial[begin / grain] = summer.sum(bases, bits, begin, end); });
  });
  Jacobian<F> total = Jacobian<F>::infinity();
  for (const Jacobian<F>& p : partial) total += p;
  return total;
}

}  // namespace

G1Jacobian bit_sum(ThreadPool& pool, std::span<const G1Affine> bases, std::span<const std::uint64_t> bits,
                   Isa isa) {
  return run(pool, bases, bits, isa);
}
G2Jacobian bit_sum(ThreadPool& pool, std::span<const G2Affine> bases, std::span<const std::uint64_t> bits,
                   Isa isa) {
  return run(pool, bases, bits, isa);
}

}  // namespace cuzk
