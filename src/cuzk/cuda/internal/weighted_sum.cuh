#pragma once

#include <cuda_runtime.h>

#include "cuzk/cuda/internal/affine_add.h"

namespace cuzk::cuda {

/// Group law in its general form, as calls: these kernels end long computations and are not worth their code
/// size.
template <class F>
__device__ __noinline__ void add_to(Xyzz<F>& sum, const Xyzz<F>& more) {
  sum = sum + more;
}
template <class F>
__device__ __noinline__ void add_to(Xyzz<F>& sum, const Affine<F>& more) {
  sum = sum + more;
}
template <class F>
__device__ __noinline__ void double_it(Xyzz<F>& p) {
  p = p.dbl();
}

/// Points of `sums` weighted sums: point j (weight j + 1) of sum i is first[i * sum_stride + j].
template <class F>
struct WeightedPoints {
  const Xyzz<F>* first;
  std::uint64_t sum_stride;
  std::uint32_t count;
  std::uint32_t sums;
};
/// One kind's sums after the other's.
template <class F>
struct WeightedSums {
  WeightedPoints<F> kinds[3];
};

inline constexpr unsigned kSumThreads = 128;

/// The sums of lines of points that lie in groups of 2^log_group lines, group_stride points apart: line i of
/// a group begins at i * line_stride, and has 2^log_length points, `stride` apart.
template <class F>
struct PointLines {
  const Affine<F>* first;
  Xyzz<F>* out;
  std::uint64_t group_stride;
  std::uint64_t line_stride;
  std::uint64_t stride;
  std::uint32_t count;
  unsigned log_group;
  unsigned log_length;
};
/// Additions without an inversion take twice as long, but a round of those with one takes as long as a dozen
/// of them where it has little to do.
template <class F>
__global__ void line_sums(PointLines<F> lines) {
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lines.count;
       i += gridDim.x * blockDim.x) {
    const std::uint32_t in_group = i & ((1U << lines.log_group) - 1);
    const Affine<F>* const first =
        lines.first + (i >> lines.log_group) * lines.group_stride + in_group * lines.line_stride;
    Xyzz<F> sum = Xyzz<F>::infinity();
    for (std::uint32_t j = 0; j < 1U << lines.log_length; ++j) add_to(sum, first[j * lines.stride]);
    lines.out[i] = sum;
  }
}

/// Block i: out[i] = 1 p_0 + 2 p_1 + ... of sum i. Thread t takes 2^log_run neighbours by running sums: their
/// sum S_t and weighted sum W_t. What is missing is 2^log_run t S_t, and the sum of t S_t is that of the
/// suffix sums S_t + S_(t+1) + ... from t = 1 on.
template <class F>
__global__ void weighted_sums(WeightedSums<F> all, Xyzz<F>* out) {
  extern __shared__ uint4 memory[];
  auto* const shared = reinterpret_cast<Xyzz<F>*>(memory);
  const unsigned thread = threadIdx.x;
  WeightedPoints<F> points = all.kinds[0];
  unsigned sum_of_kind = blockIdx.x;
  for (unsigned kind = 1; kind < 3 && sum_of_kind >= points.sums; ++kind) {
    sum_of_kind -= points.sums;
    points = all.kinds[kind];
  }
  unsigned log_run = 0;
  while (kSumThreads << log_run < points.count) ++log_run;
  const Xyzz<F>* const first = points.first + sum_of_kind * points.sum_stride;
  Xyzz<F> sum = Xyzz<F>::infinity();
  Xyzz<F> total = Xyzz<F>::infinity();
  for (std::uint32_t j = 1U << log_run; j-- > 0;) {
    const std::uint32_t place = (thread << log_run) + j;
    if (place < points.count) add_to(sum, first[place]);
    add_to(total, sum);
  }
  shared[thread] = sum;
  __syncthreads();
  for (unsigned step = 1; step < kSumThreads; step *= 2) {
    const bool reaches = thread + step < kSumThreads;
    if (reaches) sum = shared[thread + step];
    __syncthreads();
    if (reaches) add_to(shared[thread], sum);
    __syncthreads();
  }
  if (thread > 0) {
    sum = shared[thread];
    for (unsigned d = 0; d < log_run; ++d) double_it(sum);
    add_to(total, sum);
  }
  __syncthreads();
  shared[thread] = total;
  __syncthreads();
  for (unsigned step = kSumThreads / 2; step > 0; step /= 2) {
    if (thread < step) add_to(shared[thread], shared[thread + step]);
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = shared[0];
}

/// out[block] = the sum of points block, block + blocks, ...
template <class F>
__global__ void partial_sums(const Affine<F>* points, std::uint32_t count, Xyzz<F>* out) {
  extern __shared__ uint4 memory[];
  auto* const plain = reinterpret_cast<Xyzz<F>*>(memory);
  const unsigned thread = threadIdx.x;
  Xyzz<F> sum = Xyzz<F>::infinity();
  for (std::uint32_t i = blockIdx.x * blockDim.x + thread; i < count; i += gridDim.x * blockDim.x)
    add_to(sum, points[i]);
  plain[thread] = sum;
  __syncthreads();
  for (unsigned step = kSumThreads / 2; step > 0; step /= 2) {
    if (thread < step) add_to(plain[thread], plain[thread + step]);
    __syncthreads();
  }
  if (thread == 0) out[blockIdx.x] = plain[0];
}

}  // namespace cuzk::cuda
