#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "cuzk/cuda/internal/affine_launch.cuh"
#include "cuzk/cuda/internal/device_fixed_base.h"
#include "cuzk/cuda/internal/device_stream.h"
#include "cuzk/cuda/internal/fixed_base_steps.h"
#include "cuzk/cuda/internal/item_grid.cuh"

namespace cuzk::cuda {
namespace fixed_base_kernels {

static __global__ void list_multiples(FixedBaseLayout layout, std::uint32_t known, std::uint32_t count,
                                      AdditionList list) {
  CUZK_FOR_ITEMS(i, count) list_multiple(layout, known, static_cast<std::uint32_t>(i), list);
}

/// codes[w * stride + i]: the digits of scalar i.
static __global__ void scalar_digits(FixedBaseLayout layout, const Fr32* scalars, std::uint32_t count,
                                     std::uint32_t stride, std::uint32_t* codes) {
  CUZK_FOR_ITEMS(i, count) {
    const BiasedScalar k = biased(layout.windows, add_detail::load_words(scalars + i));
    for (unsigned w = 0; w < layout.windows.count; ++w)
      codes[std::uint64_t{w} * stride + i] = digit_code(layout.windows, k, 0, w);
  }
}

static __global__ void list_products(FixedBaseLayout layout, unsigned w, const std::uint32_t* codes,
                                     std::uint32_t count, AdditionList list) {
  CUZK_FOR_ITEMS(i, count) list_product(layout, w, static_cast<std::uint32_t>(i), codes[i], list);
}

/// The sums after window 0.
template <class F>
__global__ void first_entries(FixedBaseLayout layout, const std::uint32_t* codes, std::uint32_t count,
                              Affine<F>* points) {
  CUZK_FOR_ITEMS(i, count) {
    const Affine<F>* const from = points + entry_of(layout, 0, codes[i]);
    Affine<F>* const to = points + layout.table_points() + i;
    const F x = add_detail::load_words(&from->x);
    const F y = add_detail::load_y(from, (codes[i] & 1) != 0);
    add_detail::store_words(&to->x, x);
    add_detail::store_words(&to->y, y);
  }
}

}  // namespace fixed_base_kernels

template <class F, class Host>
class FixedBaseRun : public DeviceFixedBase<Host> {
 public:
  FixedBaseRun(Context& context, std::uint64_t expected)
      : context_(context),
        layout_{fixed_base_windows(expected)},
        batch_(static_cast<std::uint32_t>(std::clamp<std::uint64_t>(expected, 1, kBatch))) {}

  Result<void> fill(const Affine<Host>& base) {
    using namespace fixed_base_kernels;
    const DigitWindows& windows = layout_.windows;
    const std::uint64_t most =
        std::max<std::uint64_t>(batch_, std::uint64_t{windows.count} * windows.buckets(0) / 2);
    const std::uint64_t table_bytes = sizeof(Affine<F>) * layout_.table_points();
    CUZK_TRY(take(points_, table_bytes + sizeof(Affine<F>) * batch_));
    CUZK_TRY(take(list_, sizeof(ListedPair) * most));
    CUZK_TRY(take(index_, 8 * most));
    CUZK_TRY(take(codes_, 8 * most));
    CUZK_TRY(take(digits_, std::uint64_t{4} * windows.count * batch_));
    CUZK_TRY(take(scalars_, sizeof(Fr) * batch_));
    CUZK_TRY(adder_.reserve(context_, most));
    for (Buffer& buffer : buffers_) {
      CUZK_TRY_ASSIGN(buffer.scalars, context_.allocate_pinned(sizeof(Fr) * batch_, kStage));
      CUZK_TRY_ASSIGN(buffer.points, context_.allocate_pinned(sizeof(Affine<Host>) * batch_, kStage));
      CUZK_TRY_ASSIGN(buffer.done, Fence::create(context_));
    }
    CUZK_TRY(context_.check(cudaMemsetAsync(points_.as<void>(), 0, table_bytes, context_.stream()), kStage));
    const std::vector<Affine<Host>> firsts = window_bases(layout_, base);
    for (unsigned w = 0; w < windows.count; ++w)
      CUZK_TRY(context_.upload(points_.as<Affine<F>>() + std::uint64_t{w} * layout_.stride() + 1, &firsts[w],
                               sizeof firsts[w], kStage));
    for (std::uint32_t known = 1; known < windows.buckets(0); known *= 2) {
      const std::uint32_t count = windows.count * known;
      list_multiples<<<item_grid(count), kItemThreads, 0, context_.stream()>>>(layout_, known, count,
                                                                               additions());
      CUZK_TRY(add(count));
    }
    return context_.synchronize(kStage);
  }

  Result<void> make(ThreadPool& pool, std::uint64_t count, const groth16::PointMaker::Scalars& scalars,
                    const groth16::PointMaker::Points<Host>& points) override {
    Result<void> made = run(pool, count, scalars, points);
    const Result<void> drained =
        context_.synchronize(kStage);  // the buffers are free again, whatever happened
    return made ? drained : made;
  }

 private:
  static constexpr const char* kStage = "fixed base";
  static constexpr std::uint64_t kBatch = std::uint64_t{1} << 21;
  struct Buffer {
    PinnedMemory scalars;
    PinnedMemory points;
    Fence done;
    std::uint32_t count = 0;
  };

  Result<void> take(DeviceMemory& memory, std::uint64_t bytes) {
    CUZK_TRY_ASSIGN(memory, context_.allocate(bytes, kStage));
    return {};
  }
  [[nodiscard]] AdditionList additions() const {
    return {list_.as<ListedPair>(), index_.as<std::uint32_t>(), codes_.as<std::uint32_t>()};
  }
  Result<void> add(std::uint32_t count) {
    CUZK_TRY(context_.check_launch(kStage));
    auto* const points = points_.as<Affine<F>>();
    return adder_(PointPairs<F>::listed_bases(list_.as<ListedPair>(), codes_.as<std::uint32_t>(),
                                              index_.as<std::uint32_t>(), points, points),
                  count);
  }

  Result<void> run(ThreadPool& pool, std::uint64_t count, const groth16::PointMaker::Scalars& scalars,
                   const groth16::PointMaker::Points<Host>& points) {
    Buffer* before = nullptr;
    for (std::uint64_t begin = 0, k = 0; begin < count; begin += batch_, ++k) {
      Buffer& buffer = buffers_[k % 2];
      buffer.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(batch_, count - begin));
      const std::span<Fr> room(buffer.scalars.template as<Fr>(), buffer.count);
      pool.parallel_for(room.size(), std::size_t{1} << 12,
                        [&](std::size_t b, std::size_t e) { scalars(begin + b, room.subspan(b, e - b)); });
      CUZK_TRY(launch(buffer));
      if (before != nullptr) CUZK_TRY(deliver(*before, points));
      before = &buffer;
    }
    return before == nullptr ? Result<void>() : deliver(*before, points);
  }

  Result<void> launch(Buffer& buffer) {
    using namespace fixed_base_kernels;
    const cudaStream_t stream = context_.stream();
    const std::uint32_t n = buffer.count;
    auto* const digits = digits_.as<std::uint32_t>();
    auto* const points = points_.as<Affine<F>>();
    CUZK_TRY(
        context_.upload(scalars_.as<void>(), buffer.scalars.template as<void>(), sizeof(Fr) * n, kStage));
    scalar_digits<<<item_grid(n), kItemThreads, 0, stream>>>(layout_, scalars_.as<Fr32>(), n, batch_, digits);
    first_entries<F><<<item_grid(n), kItemThreads, 0, stream>>>(layout_, digits, n, points);
    for (unsigned w = 1; w < layout_.windows.count; ++w) {
      list_products<<<item_grid(n), kItemThreads, 0, stream>>>(layout_, w, digits + std::uint64_t{w} * batch_,
                                                               n, additions());
      CUZK_TRY(add(n));
    }
    CUZK_TRY(
        context_.check(cudaMemcpyAsync(buffer.points.template as<void>(), points + layout_.table_points(),
                                       sizeof(Affine<F>) * n, cudaMemcpyDeviceToHost, stream),
                       kStage));
    return buffer.done.record(stream, kStage);
  }

  Result<void> deliver(Buffer& buffer, const groth16::PointMaker::Points<Host>& points) {
    CUZK_TRY(buffer.done.synchronize(kStage));
    return points({buffer.points.template as<Affine<Host>>(), buffer.count});
  }

  Context& context_;
  FixedBaseLayout layout_;
  std::uint32_t batch_;
  AffineAdder<F> adder_;
  DeviceMemory points_, list_, index_, codes_, digits_, scalars_;
  Buffer buffers_[2];
};

template <class F, class Host>
Result<std::unique_ptr<DeviceFixedBase<Host>>> make_fixed_base(Context& context, const Affine<Host>& base,
                                                               std::uint64_t expected) {
  auto run = std::make_unique<FixedBaseRun<F, Host>>(context, expected);
  CUZK_TRY(run->fill(base));
  return std::unique_ptr<DeviceFixedBase<Host>>(std::move(run));
}

}  // namespace cuzk::cuda
