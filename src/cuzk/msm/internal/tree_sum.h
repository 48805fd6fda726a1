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

/// Points that one step of a TreeSummer takes in: so many additions share an inversion. Twice the points
/// (those of the next step are fetched meanwhile), the sums and the scratch of the kernel stay in the
/// second-level cache.
inline constexpr std::size_t kTreePoints = 1024;

/// Sums of runs of points by pairwise additions, as a pipeline. The first step of a run adds its points in
/// pairs, the next one the sums in pairs, and so on. Each call takes in a chunk of new runs and moves all
/// earlier ones one level on, so that every step has about as many additions as the chunk has points, and one
/// inversion.
///
/// Owns its working memory; one per thread.
template <class F>
class TreeSummer {
 public:
  TreeSummer(BatchAdd<F> kernel, const Affine<F>* points) : kernel_(kernel), points_(points) {}

  BatchAddScratch& scratch() { return scratch_; }

  /// New runs: run j takes the next lengths[j] of `refs`. By the end of finish() its sum is in to[j]
  /// (infinity for an empty run), or, with `accumulate`, has been added to what is there. No two runs between
  /// calls of finish() have the same destination. `soon` are references that the next call will bring, or
  /// none.
  void add(std::span<const PointRef> refs, std::span<const std::uint32_t> lengths, Affine<F>* to,
           bool accumulate = false, std::span<const PointRef> soon = {}) {
    advance_pending();
    singles_.clear();
    Level& level = this->level(0);
    level.pairs.clear();
    std::vector<Affine<F>>& sums = level.sums[parity_];
    if (sums.size() < refs.size()) sums.resize(refs.size());
    std::uint32_t place = 0;
    const PointRef* ref = refs.data();
    for (std::size_t j = 0; j < lengths.size(); ++j) {
      const std::uint32_t length = lengths[j];
      if (length < 2) {
        if (length == 0) {
          if (!accumulate) to[j] = Affine<F>::infinity();
        } else if (accumulate && !to[j].is_infinity()) {
          singles_.push(*ref, static_cast<PointRef>(j << 1), static_cast<std::uint32_t>(j));
        } else {
          to[j] = point(*ref);
        }
        ref += length;
        continue;
      }
      const std::uint32_t items = (length + 1) / 2;
      for (std::uint32_t i = 0; i < length / 2; ++i) level.pairs.push(ref[2 * i], ref[2 * i + 1], place + i);
      if (length % 2 != 0) sums[place + items - 1] = point(ref[length - 1]);
      level.runs.push_back({place, items, to + j, accumulate});
      place += items;
      ref += length;
    }
    if (singles_.size() != 0) jobs_.push_back(singles_.job(points_, to, to));
    jobs_.push_back(level.pairs.job(points_, points_, sums.data()));
    jobs_.back().soon = soon.data();
    jobs_.back().soon_count = soon.size();
    step();
  }

  /// Brings every run to its end.
  void finish() {
    while (pending()) {
      advance_pending();
      step();
    }
  }

 private:
  /// `items` points from `first` on in the sums of a level; a single item is the result.
  struct Run {
    std::uint32_t first;
    std::uint32_t items;
    Affine<F>* to;
    bool accumulate;
  };

  /// Additions of one job.
  struct Pairs {
    std::vector<PointRef> left;
    std::vector<PointRef> right;
    std::vector<std::uint32_t> out;

    [[nodiscard]] std::size_t size() const { return left.size(); }
    void clear() {
      left.clear();
      right.clear();
      out.clear();
    }
    void push(PointRef l, PointRef r, std::uint32_t o) {
      left.push_back(l);
      right.push_back(r);
      out.push_back(o);
    }
    BatchAddJob<F> job(const Affine<F>* a, const Affine<F>* b, Affine<F>* to) const {
      return {a, left.data(), b, right.data(), to, out.data(), left.size()};
    }
  };

  /// Sums of 2^(level + 1) points (or fewer, at the end of a run). A step reads those of the step before and
  /// writes the other half of the buffer.
  struct Level {
    std::vector<Run> runs;
    std::vector<Affine<F>> sums[2];
    Pairs pairs;  // the additions that make them
    // Finished sums (in the half just written) to be added to what is at their destinations:
    Pairs last;
    Affine<F>* last_to = nullptr;
  };

  Affine<F> point(PointRef ref) const {
    const Affine<F>& p = points_[ref >> 1];
    return (ref & 1) != 0 ? -p : p;
  }
  Level& level(std::size_t i) {
    while (levels_.size() <= i) levels_.push_back(std::make_unique<Level>());
    return *levels_[i];
  }
  [[nodiscard]] bool pending() const {
    return std::any_of(levels_.begin(), levels_.end(),
                       [](const auto& l) { return !l->runs.empty() || l->last.size() != 0; });
  }

  /// Pairs the items of every level for the level above, from the top down so that no runs are overtaken.
  void advance_pending() {
    for (const auto& level : levels_)
      if (level->last.size() != 0)
        jobs_.push_back(level->last.job(level->sums[parity_ ^ 1].data(), level->last_to, level->last_to));
    for (std::size_t i = levels_.size(); i-- > 0;) {
      if (levels_[i]->runs.empty()) continue;
      Level& above = level(i + 1);
      Level& here = *levels_[i];
      const std::vector<Affine<F>>& from = here.sums[parity_ ^ 1];
      std::vector<Affine<F>>& sums = above.sums[parity_];
      std::size_t needed = 0;
      for (const Run& run : here.runs) needed += (run.items + 1) / 2;
      if (sums.size() < needed) sums.resize(needed);
      above.pairs.clear();
      std::uint32_t place = 0;
      for (const Run& run : here.runs) {
        const std::uint32_t items = (run.items + 1) / 2;
        for (std::uint32_t k = 0; k < run.items / 2; ++k) {
          const std::uint32_t at = run.first + 2 * k;
          above.pairs.push(at << 1, (at + 1) << 1, place + k);
        }
        if (run.items % 2 != 0) sums[place + items - 1] = from[run.first + run.items - 1];
        above.runs.push_back({place, items, run.to, run.accumulate});
        place += items;
      }
      here.runs.clear();
      jobs_.push_back(above.pairs.job(from.data(), from.data(), sums.data()));
    }
  }

  void step() {
    kernel_(jobs_.data(), jobs_.size(), scratch_);
    jobs_.clear();
    // Runs that are down to one item leave.
    for (const auto& level : levels_) {
      level->last.clear();
      const std::vector<Affine<F>>& sums = level->sums[parity_];
      std::size_t kept = 0;
      for (const Run& run : level->runs) {
        if (run.items > 1) {
          level->runs[kept++] = run;
        } else if (!run.accumulate || run.to->is_infinity()) {
          *run.to = sums[run.first];
        } else {
          // Destinations are numbered from that of the first run, in ascending order.
          if (level->last.size() == 0) level->last_to = run.to;
          const auto at = static_cast<std::uint32_t>(run.to - level->last_to);
          level->last.push(run.first << 1, at << 1, at);
        }
      }
      level->runs.resize(kept);
    }
    parity_ ^= 1;
  }

  BatchAdd<F> kernel_;
  const Affine<F>* points_;
  BatchAddScratch scratch_;
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<BatchAddJob<F>> jobs_;
  Pairs singles_;  // runs of one point that are added to their destinations
  unsigned parity_ = 0;
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
