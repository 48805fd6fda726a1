#pragma once

#include <algorithm>
#include <vector>

#include "cuzk/base/hd.h"

namespace cuzk::cuda {

/// A kernel body is a template over one of the two blocks below. It alternates between each(f), which runs
/// f(thread, state) for every thread of the block, and barrier(). What a thread keeps across a barrier lies
/// in its state. On the device each() is the calling thread alone and the state stays in registers; on the
/// host the threads run one after the other, which is how tests run the very same body without a GPU.

#if defined(__CUDACC__)
template <class State>
class DeviceBlock {
 public:
  template <class Body>
  __device__ __forceinline__ void each(Body&& body) {
    body(static_cast<unsigned>(threadIdx.x), state_);
  }
  __device__ __forceinline__ void barrier() { __syncthreads(); }
  __device__ __forceinline__ unsigned index() const { return blockIdx.x; }
  __device__ __forceinline__ unsigned threads() const { return blockDim.x; }
  /// Threads that neighbour in memory.
  __device__ __forceinline__ static constexpr unsigned team() { return 32; }

 private:
  State state_;
};
#endif

template <class State>
class HostBlock {
 public:
  HostBlock(unsigned index, unsigned threads) : index_(index), states_(threads) {}

  template <class Body>
  void each(Body&& body) {
    for (unsigned t = 0; t < states_.size(); ++t) body(t, states_[t]);
  }
  void barrier() {}
  [[nodiscard]] unsigned index() const { return index_; }
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(states_.size()); }
  [[nodiscard]] unsigned team() const { return std::min(threads(), 32U); }

 private:
  unsigned index_;
  std::vector<State> states_;
};

}  // namespace cuzk::cuda
