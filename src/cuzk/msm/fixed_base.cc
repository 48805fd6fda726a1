#include "cuzk/msm/fixed_base.h"

#include <algorithm>
#include <memory>

#include "cuzk/base/result.h"
#include "cuzk/msm/internal/tree_sum.h"

namespace cuzk {
namespace {

using msm_detail::DigitCode;
using msm_detail::Lender;
using msm_detail::SignedWindows;

/// Products that advance together: enough to hide an inversion for each window.
template <class F>
constexpr std::size_t kBlock = sizeof(F) <= 48 ? 2048 : 1024;

/// One addition for each entry of the table and for each window of each scalar.
unsigned choose_bits(std::size_t count) {
  unsigned best = 1;
  double best_cost = 0;
  for (unsigned bits = 2; bits <= 16; ++bits) {
    const SignedWindows windows(bits);
    const double cost =
        windows.count() * (static_cast<double>(count) + static_cast<double>(windows.buckets()));
    if (best == 1 || cost < best_cost) {
      best = bits;
      best_cost = cost;
    }
  }
  return best;
}

struct Worker {
  BatchAddScratch scratch;
  std::vector<DigitCode> codes;
  std::vector<PointRef> a;
  std::vector<PointRef> b;
  std::vector<std::uint32_t> out;
};

}  // namespace

template <class Point>
FixedBase<Point>::FixedBase(ThreadPool& pool, const Point& base, std::size_t expected_count)
    : add_(batch_add_kernel<F>(pool.isa())), windows_(choose_bits(expected_count)) {
  fill_table(pool, base);
}

template <class Point>
void FixedBase<Point>::fill_table(ThreadPool& pool, const Point& base) {
  const std::size_t buckets = windows_.buckets();
  const unsigned count = windows_.count();
  std::vector<Jacobian<F>> powers(count);
  Jacobian<F> p = Jacobian<F>::from_affine(base);
  for (unsigned w = 0; w < count; ++w) {
    powers[w] = p;
    for (unsigned b = 0; b < windows_.bits(); ++b) p = p.dbl();
  }
  std::vector<Point> first(count);
  batch_to_affine<Jacobian<F>>(powers, first);
  table_.resize(count * buckets);
  for (unsigned w = 0; w < count; ++w) table_[w * buckets] = first[w];

  // Known multiples 1 to m give m + 1 to 2 m; all windows of a round are independent.
  Lender<Worker> workers;
  for (std::size_t m = 1; m < buckets; m *= 2) {
    pool.parallel_for(count * m, kBlock<F>, [&](std::size_t begin, std::size_t end) {
      workers.with([] { return std::make_unique<Worker>(); },
                   [&](Worker& worker) {
                     worker.a.clear();
                     worker.b.clear();
                     worker.out.clear();
                     for (std::size_t i = begin; i < end; ++i) {
                       const std::size_t window = i / m * buckets;
                       worker.a.push_back(static_cast<PointRef>((window + m - 1) << 1));
                       worker.b.push_back(static_cast<PointRef>((window + i % m) << 1));
                       worker.out.push_back(static_cast<std::uint32_t>(window + m + i % m));
                     }
                     const BatchAddJob<F> job{table_.data(),   worker.a.data(), table_.data(),
                                              worker.b.data(), table_.data(),   worker.out.data(),
                                              worker.a.size()};
                     add_(&job, 1, worker.scratch);
                   });
    });
  }
}

template <class Point>
void FixedBase<Point>::multiply(ThreadPool& pool, std::span<const Fr> scalars, std::span<Point> out) const {
  CUZK_CHECK(scalars.size() == out.size());
  const std::size_t buckets = windows_.buckets();
  Lender<Worker> workers;
  const auto block = [&](Worker& worker, std::size_t begin, std::size_t length) {
    worker.codes.resize(windows_.count() * length);
    for (std::size_t i = 0; i < length; ++i)
      windows_.recode(scalars[begin + i].to_int(), worker.codes.data() + i, length);
    Point* sums = out.data() + begin;
    for (std::size_t i = 0; i < length; ++i) {
      const DigitCode code = worker.codes[i];
      if (code <= 1) {
        sums[i] = Point::infinity();
      } else {
        const Point& entry = table_[(code >> 1) - 1];
        sums[i] = (code & 1) != 0 ? -entry : entry;
      }
    }
    for (unsigned w = 1; w < windows_.count(); ++w) {
      worker.a.clear();
      worker.b.clear();
      worker.out.clear();
      for (std::size_t i = 0; i < length; ++i) {
        const DigitCode code = worker.codes[w * length + i];
        if (code <= 1) continue;
        worker.a.push_back(static_cast<PointRef>(i << 1));
        worker.b.push_back(((code >> 1) - 1) << 1 | (code & 1));
        worker.out.push_back(static_cast<std::uint32_t>(i));
      }
      const BatchAddJob<F> job{sums,
                               worker.a.data(),
                               table_.data() + w * buckets,
                               worker.b.data(),
                               sums,
                               worker.out.data(),
                               worker.a.size()};
      add_(&job, 1, worker.scratch);
    }
  };
  pool.parallel_for(scalars.size(), kBlock<F>, [&](std::size_t begin, std::size_t end) {
    workers.with([] { return std::make_unique<Worker>(); },
                 [&](Worker& worker) { block(worker, begin, end - begin); });
  });
}

template class FixedBase<G1Affine>;
template class FixedBase<G2Affine>;

}  // namespace cuzk
