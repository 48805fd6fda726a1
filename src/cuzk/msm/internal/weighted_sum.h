#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuzk/curve/batch_add.h"

namespace cuzk::msm_detail {

/// The last step of a bucket method: 1 B_1 + 2 B_2 + ... + 2^k B_(2^k) for `instances` arrays of 2^k buckets
/// each.
///
/// Write the weight of bucket b (from 0) as hi L + (lo + 1) with L = 2^(k/2): the sum is that of the column
/// sums over hi, weighted lo + 1, plus L times that of the row sums over lo, weighted hi. Two additions a
/// bucket, as in the method of running sums, but all of them pairwise additions of affine points that do not
/// depend on each other. The column and row sums are weighted sums of 2^(k/2) points in turn.
template <class F>
class WeightedSum {
 public:
  WeightedSum(BatchAdd<F> add, BatchAddScratch& scratch) : add_(add), scratch_(scratch) {}

  /// `buckets` holds instances * 2^k points and is overwritten. One sum for each instance.
  std::vector<Jacobian<F>> operator()(Affine<F>* buckets, std::size_t instances, unsigned k) {
    if (k <= kLeaf) return leaves(buckets, instances, k);
    const unsigned low_bits = k / 2;
    const std::size_t low = std::size_t{1} << low_bits;
    const std::size_t high = std::size_t{1} << (k - low_bits);

    // Row sums: the first round leaves the buckets as they are, for the columns.
    std::vector<Affine<F>> rows(instances * high * (low / 2));
    for (std::size_t i = 0; i < instances * high; ++i)
      for (std::size_t l = 0; l < low / 2; ++l)
        push(i * low + l, i * low + l + low / 2, i * (low / 2) + l, buckets, rows.data());
    flush(buckets, rows.data());
    for (std::size_t width = low / 4; width > 0; width /= 2) {
      for (std::size_t i = 0; i < instances * high; ++i)
        for (std::size_t l = 0; l < width; ++l) {
          const std::size_t at = i * (low / 2) + l;
          push(at, at + width, at, rows.data(), rows.data());
        }
      flush(rows.data(), rows.data());
    }
    for (std::size_t width = high / 2; width > 0; width /= 2) {
      for (std::size_t i = 0; i < instances; ++i)
        for (std::size_t l = 0; l < width * low; ++l) {
          const std::size_t at = i * high * low + l;
          push(at, at + width * low, at, buckets, buckets);
        }
      flush(buckets, buckets);
    }

    // Row 0 has weight 0: the others move down by one and get weights 1, 2, ...
    std::vector<Affine<F>> row_sums(instances * high, Affine<F>::infinity());
    std::vector<Affine<F>> column_sums(instances * low);
    for (std::size_t i = 0; i < instances; ++i) {
      for (std::size_t h = 1; h < high; ++h) row_sums[i * high + h - 1] = rows[(i * high + h) * (low / 2)];
      for (std::size_t l = 0; l < low; ++l) column_sums[i * low + l] = buckets[i * high * low + l];
    }
    rows = {};
    const std::vector<Jacobian<F>> by_rows = (*this)(row_sums.data(), instances, k - low_bits);
    std::vector<Jacobian<F>> sums = (*this)(column_sums.data(), instances, low_bits);
    for (std::size_t i = 0; i < instances; ++i) {
      Jacobian<F> scaled = by_rows[i];
      for (unsigned b = 0; b < low_bits; ++b) scaled = scaled.dbl();
      sums[i] += scaled;
    }
    return sums;
  }

 private:
  static constexpr unsigned kLeaf = 2;  // smaller arrays do not fill a batch
  static constexpr std::size_t kBatch = 4096;

  std::vector<Jacobian<F>> leaves(const Affine<F>* buckets, std::size_t instances, unsigned k) {
    std::vector<Jacobian<F>> sums(instances, Jacobian<F>::infinity());
    for (std::size_t i = 0; i < instances; ++i) {
      Jacobian<F> running = Jacobian<F>::infinity();
      for (std::size_t b = std::size_t{1} << k; b-- > 0;) {
        running += buckets[(i << k) + b];
        sums[i] += running;
      }
    }
    return sums;
  }

  void push(std::size_t left, std::size_t right, std::size_t out, const Affine<F>* from, Affine<F>* to) {
    left_.push_back(static_cast<PointRef>(left << 1));
    right_.push_back(static_cast<PointRef>(right << 1));
    out_.push_back(static_cast<std::uint32_t>(out));
    if (left_.size() == kBatch) flush(from, to);
  }
  void flush(const Affine<F>* from, Affine<F>* to) {
    const BatchAddJob<F> job{from, left_.data(), from, right_.data(), to, out_.data(), left_.size()};
    add_(&job, 1, scratch_);
    left_.clear();
    right_.clear();
    out_.clear();
  }

  BatchAdd<F> add_;
  BatchAddScratch& scratch_;
  std::vector<PointRef> left_;
  std::vector<PointRef> right_;
  std::vector<std::uint32_t> out_;
};

}  // namespace cuzk::msm_detail
