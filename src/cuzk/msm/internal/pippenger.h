#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/msm/internal/digits.h"
#include "cuzk/msm/internal/tree_sum.h"
#include "cuzk/msm/internal/weighted_sum.h"
#include "cuzk/msm/msm.h"

namespace cuzk::msm_detail {

/// One multi-scalar multiplication. The bases are taken in slices that are small enough for their points to
/// be found through the address translation caches and the last-level cache. Within a slice every step
/// (recoding, counting, sorting, bucket sums) is one parallel loop over all windows; the sums of a slice's
/// buckets are added to those of the slices before. "Bucket" below is a number in the flattened array of
/// buckets: window * buckets per window + magnitude - 1.
template <class F>
class Pippenger {
 public:
  Pippenger(ThreadPool& pool, std::span<const Affine<F>> bases, std::span<const Fr> scalars, BatchAdd<F> add,
            unsigned window_bits, const MsmOptions& options)
      : pool_(pool), bases_(bases), scalars_(scalars), add_(add), windows_(window_bits), options_(options) {
    CUZK_CHECK(bases.size() == scalars.size() && bases.size() < kMaxReferablePoints);
  }

  Jacobian<F> run() {
    const std::size_t n = bases_.size();
    buckets_.resize(windows_.count() * windows_.buckets());
    // Slices of equal size; a bucket should have several points of each.
    const std::size_t wanted =
        options_.slice != 0 ? options_.slice : std::max(kSlicePoints, 4 * windows_.buckets());
    const std::size_t slices = (n + wanted - 1) / wanted;
    const std::size_t slice = slices == 0 ? 0 : (n + slices - 1) / slices;
    for (std::size_t first = 0; first < n; first += slice) {
      add_slice(first, std::min(slice, n - first), first != 0);
      if (options_.progress) options_.progress(std::min(first + slice, n));
    }
    std::vector<Jacobian<F>> sums(windows_.count(), Jacobian<F>::infinity());
    combine(sums.data());
    Jacobian<F> total = Jacobian<F>::infinity();
    for (unsigned w = windows_.count(); w-- > 0;) {
      if (!total.is_infinity())
        for (unsigned b = 0; b < windows_.bits(); ++b) total = total.dbl();
      total += sums[w];
    }
    return total;
  }

 private:
  static constexpr std::size_t kSlicePoints = std::size_t{1} << 17;
  static constexpr std::size_t kRecodeBlock = 256;

  /// A range of buckets, or a part of one large bucket (`piece` says which of the partial sums it gives).
  struct Task {
    std::size_t first_bucket;
    std::size_t end_bucket;
    std::size_t first_ref;
    std::size_t end_ref;
    std::size_t piece;
  };
  static constexpr std::size_t kWhole = ~std::size_t{0};

  /// A bucket whose points were summed in several pieces.
  struct Split {
    std::size_t bucket;
    std::size_t first_piece;
    std::size_t end_piece;
  };

  /// Adds the bases [first, first + n) to the buckets; `accumulate` unless they are the first ones.
  void add_slice(std::size_t first, std::size_t n, bool accumulate) {
    const unsigned count = windows_.count();
    const std::size_t buckets = windows_.buckets();
    // Large vectors are split so that there are enough (window, range) pairs for all threads.
    const std::size_t ranges =
        n < 4096 ? 1 : std::clamp<std::size_t>((2 * pool_.size() + count - 1) / count, 1, n / 2048);
    const std::size_t range_length = (n + ranges - 1) / ranges;

    if (!accumulate) {  // the first slice is the largest
      codes_.reset(new DigitCode[count * n]);
      refs_.reset(new PointRef[count * n]);
    }
    recode(scalars_.subspan(first, n));

    // counts[(window * ranges + range) * (buckets + 1) + magnitude], then turned into places.
    std::vector<std::uint32_t> counts(count * ranges * (buckets + 1), 0);
    pool_.parallel_for(count * ranges, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const DigitCode* codes = codes_.get() + (i / ranges) * n;
        std::uint32_t* c = counts.data() + i * (buckets + 1);
        const std::size_t stop = std::min(n, (i % ranges + 1) * range_length);
        for (std::size_t p = (i % ranges) * range_length; p < stop; ++p) ++c[codes[p] >> 1];
      }
    });
    // The references of a window are stored from window * n on.
    starts_.resize(count * buckets);
    lengths_.resize(count * buckets);
    pool_.parallel_for(count, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t w = begin; w < end; ++w) {
        std::uint32_t place = 0;
        for (std::size_t m = 1; m <= buckets; ++m) {
          const std::uint32_t start = place;
          for (std::size_t r = 0; r < ranges; ++r) {
            std::uint32_t& c = counts[(w * ranges + r) * (buckets + 1) + m];
            const std::uint32_t length = c;
            c = place;
            place += length;
          }
          starts_[w * buckets + m - 1] = start;
          lengths_[w * buckets + m - 1] = place - start;
        }
      }
    });
    pool_.parallel_for(count * ranges, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const DigitCode* codes = codes_.get() + (i / ranges) * n;
        PointRef* refs = refs_.get() + (i / ranges) * n;
        std::uint32_t* places = counts.data() + i * (buckets + 1);
        const std::size_t stop = std::min(n, (i % ranges + 1) * range_length);
        for (std::size_t p = (i % ranges) * range_length; p < stop; ++p) {
          const DigitCode code = codes[p];
          if (code > 1) refs[places[code >> 1]++] = static_cast<PointRef>((first + p) << 1) | (code & 1);
        }
      }
    });
    counts = {};
    sum_buckets(n, accumulate);
  }

  void recode(std::span<const Fr> scalars) {
    const std::size_t n = scalars.size();
    pool_.parallel_for((n + kRecodeBlock - 1) / kRecodeBlock, 16, [&](std::size_t begin, std::size_t end) {
      // Through a small block: the destinations of one scalar are a power of two apart, as a rule, and would
      // evict each other from the cache.
      std::vector<DigitCode> block(kRecodeBlock * windows_.count());
      for (std::size_t b = begin; b < end; ++b) {
        const std::size_t first = b * kRecodeBlock;
        const std::size_t length = std::min(kRecodeBlock, n - first);
        for (std::size_t i = 0; i < length; ++i)
          windows_.recode(scalars[first + i].to_int(), block.data() + i, kRecodeBlock);
        for (unsigned w = 0; w < windows_.count(); ++w)
          std::copy_n(block.data() + w * kRecodeBlock, length, codes_.get() + w * n + first);
      }
    });
  }

  void plan(std::size_t n) {
    const unsigned count = windows_.count();
    const std::size_t buckets = windows_.buckets();
    tasks_.clear();
    splits_.clear();
    pieces_ = 0;
    // As many points as make a full batch, less when that would leave threads without work.
    std::size_t total = 0;
    for (const std::uint32_t length : lengths_) total += length;
    const std::size_t quota = std::clamp<std::size_t>(total / (4 * pool_.size()), 256, kTreePoints);
    for (std::size_t w = 0; w < count; ++w) {
      std::size_t first = w * buckets;
      std::size_t points = 0;
      const auto close = [&](std::size_t end) {
        if (end > first) {
          const std::size_t begin_ref = w * n + starts_[first];
          tasks_.push_back({first, end, begin_ref, begin_ref + points, kWhole});
        }
        points = 0;
      };
      for (std::size_t b = w * buckets; b < (w + 1) * buckets; ++b) {
        const std::size_t length = lengths_[b];
        if (length > quota) {
          close(b);
          const std::size_t parts = (length + quota - 1) / quota;
          splits_.push_back({b, pieces_, pieces_ + parts});
          for (std::size_t p = 0; p < parts; ++p) {
            const std::size_t begin_ref = w * n + starts_[b] + p * quota;
            tasks_.push_back(
                {b, b + 1, begin_ref, begin_ref + std::min(quota, length - p * quota), pieces_++});
          }
          first = b + 1;
          continue;
        }
        if (points + length > quota) {
          close(b);
          first = b;
        }
        points += length;
      }
      close((w + 1) * buckets);
    }
  }

  void sum_buckets(std::size_t n, bool accumulate) {
    plan(n);
    std::vector<Affine<F>> partial(pieces_);
    // A range of tasks is one pipeline: long ranges, but several a thread.
    const std::size_t grain = std::clamp<std::size_t>(tasks_.size() / (4 * pool_.size()), 1, 64);
    pool_.parallel_for(tasks_.size(), grain, [&](std::size_t begin, std::size_t end) {
      with_summer([&](TreeSummer<F>& summer) {
        for (std::size_t t = begin; t < end; ++t) {
          const Task& task = tasks_[t];
          const auto soon = t + 1 < end ? refs_of(tasks_[t + 1]) : std::span<const PointRef>{};
          if (task.piece != kWhole) {
            const auto length = static_cast<std::uint32_t>(task.end_ref - task.first_ref);
            summer.add(refs_of(task), {&length, 1}, partial.data() + task.piece, false, soon);
          } else {
            summer.add(refs_of(task),
                       {lengths_.data() + task.first_bucket, task.end_bucket - task.first_bucket},
                       buckets_.data() + task.first_bucket, accumulate, soon);
          }
        }
        summer.finish();
      });
    });
    pool_.parallel_for(splits_.size(), 1, [&](std::size_t begin, std::size_t end) {
      TreeSummer<F> summer(add_, partial.data());
      for (std::size_t s = begin; s < end; ++s) {
        const Split& split = splits_[s];
        std::vector<PointRef> refs(split.end_piece - split.first_piece);
        for (std::size_t i = 0; i < refs.size(); ++i)
          refs[i] = static_cast<PointRef>((split.first_piece + i) << 1);
        const auto length = static_cast<std::uint32_t>(refs.size());
        summer.add(refs, {&length, 1}, &buckets_[split.bucket], accumulate);
        summer.finish();
      }
    });
  }

  std::span<const PointRef> refs_of(const Task& task) const {
    return {refs_.get() + task.first_ref, task.end_ref - task.first_ref};
  }

  template <class Use>
  void with_summer(Use&& use) {
    summers_.with([&] { return std::make_unique<TreeSummer<F>>(add_, bases_.data()); }, use);
  }

  void combine(Jacobian<F>* sums) {
    const unsigned count = windows_.count();
    const std::size_t buckets = windows_.buckets();
    // Small windows go together, to fill the batches.
    const std::size_t together =
        std::clamp<std::size_t>(4096 / buckets, 1, (count + pool_.size() - 1) / pool_.size());
    pool_.parallel_for(count, together, [&](std::size_t begin, std::size_t end) {
      with_summer([&](TreeSummer<F>& summer) {
        WeightedSum<F> weighted(add_, summer.scratch());
        const std::vector<Jacobian<F>> s =
            weighted(buckets_.data() + begin * buckets, end - begin, windows_.bits() - 1);
        std::copy(s.begin(), s.end(), sums + begin);
      });
    });
  }

  ThreadPool& pool_;
  std::span<const Affine<F>> bases_;
  std::span<const Fr> scalars_;
  BatchAdd<F> add_;
  SignedWindows windows_;
  const MsmOptions& options_;
  Lender<TreeSummer<F>> summers_;

  std::vector<Affine<F>> buckets_;

  // Of the current slice:
  std::unique_ptr<DigitCode[]> codes_;  // [window][scalar]
  std::unique_ptr<PointRef[]> refs_;    // [window][place], sorted by bucket
  std::vector<std::uint32_t> starts_;   // per bucket, relative to its window
  std::vector<std::uint32_t> lengths_;
  std::vector<Task> tasks_;
  std::vector<Split> splits_;
  std::size_t pieces_ = 0;
};

}  // namespace cuzk::msm_detail
