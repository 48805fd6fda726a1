#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "cuzk/curve/batch_add.h"

namespace cuzk::msm_detail {

/// Points that one batch of tree additions starts from: the sums of the first round, the scratch of the
/// kernel and the points themselves stay in the second-level cache, and the inversions (one a round) weigh
/// little.
template <class F>
inline constexpr std::size_t kTreePoints = sizeof(F) <= 48 ? 8192 : 4096;

/// Sums of runs of points by pairwise additions: round after round halves every run, all runs of a call
/// together, with one inversion a round. Owns its working memory; one per thread.
template <class F>
class TreeSummer {
 public:
  explicit TreeSummer(BatchAdd<F> add) : add_(add) {}

  [[nodiscard]] BatchAdd<F> kernel() const { return add_; }
  BatchAddScratch& scratch() { return scratch_; }

  /// Run j takes the next lengths[j] references; its sum goes to emit(j, sum). Empty runs give infinity.
  template <class Emit>
  void sum(const Affine<F>* points, std::span<const PointRef> refs, std::span<const std::uint32_t> lengths,
           Emit&& emit) {
    buffer_.resize(refs.size() / 2 + lengths.size());
    active_.clear();
    clear_pairs();
    std::size_t next = 0;
    std::uint32_t place = 0;
    starts_.resize(lengths.size());
    for (std::size_t j = 0; j < lengths.size(); ++j) {
      const std::uint32_t length = lengths[j];
      const std::uint32_t sums = (length + 1) / 2;
      starts_[j] = place;
      for (std::uint32_t i = 0; i + 1 < length; i += 2)
        push(refs[next + i], refs[next + i + 1], place + i / 2);
      if (length % 2 != 0) {
        const PointRef last = refs[next + length - 1];
        const Affine<F>& p = points[last >> 1];
        buffer_[place + sums - 1] = (last & 1) != 0 ? -p : p;
      }
      if (sums > 1) active_.push_back({place, sums});
      next += length;
      place += sums;
    }
    flush(points);
    // The items of a run sit at start, start + stride, ...: the sum of two replaces the first, and an odd one
    // out is already where the next round expects it.
    for (std::uint32_t stride = 1; !active_.empty(); stride *= 2) {
      std::size_t kept = 0;
      for (const Run run : active_) {
        for (std::uint32_t i = 0; i + 1 < run.items; i += 2) {
          const std::uint32_t at = run.start + i * stride;
          push(at << 1, (at + stride) << 1, at);
        }
        if (run.items > 2) active_[kept++] = {run.start, (run.items + 1) / 2};
      }
      active_.resize(kept);
      flush(buffer_.data());
    }
    for (std::size_t j = 0; j < lengths.size(); ++j)
      emit(j, lengths[j] == 0 ? Affine<F>::infinity() : buffer_[starts_[j]]);
  }

 private:
  struct Run {
    std::uint32_t start;
    std::uint32_t items;
  };

  void clear_pairs() {
    left_.clear();
    right_.clear();
    out_.clear();
  }
  void push(PointRef left, PointRef right, std::uint32_t out) {
    left_.push_back(left);
    right_.push_back(right);
    out_.push_back(out);
  }
  void flush(const Affine<F>* from) {
    add_({from, left_.data(), from, right_.data(), buffer_.data(), out_.data(), left_.size()}, scratch_);
    clear_pairs();
  }

  BatchAdd<F> add_;
  BatchAddScratch scratch_;
  std::vector<Affine<F>> buffer_;
  std::vector<PointRef> left_;
  std::vector<PointRef> right_;
  std::vector<std::uint32_t> out_;
  std::vector<std::uint32_t> starts_;
  std::vector<Run> active_;
};

/// Objects that are costly to make, lent to the ranges of a parallel loop.
template <class T>
class Lender {
 public:
  template <class Make, class Use>
  void with(Make&& make, Use&& use) {
    std::unique_ptr<T> item;
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        item = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!item) item = make();
    use(*item);
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(item));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;  // guarded by mutex_
};

}  // namespace cuzk::msm_detail
