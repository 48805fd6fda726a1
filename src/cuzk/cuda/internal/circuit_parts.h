#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cuzk/cuda/internal/device_key.h"
#include "cuzk/cuda/internal/pinned_pool.h"
#include "cuzk/cuda/msm.h"
#include "cuzk/groth16/prover.h"

namespace cuzk::cuda {

class CudaProver;

/// A circuit ready for a launch: what is uploaded, in pinned memory.
struct CudaPrepared : groth16::Prepared::State {
  std::shared_ptr<const groth16::ProvingKey> key;
  const CudaProver* owner = nullptr;
  PinnedPool::Lease pinned;
  // The pinned buffer: inputs and wide values, and at `bits_offset` (bytes) Witness::bits.
  std::uint64_t values = 0;  ///< their number
  std::uint64_t bits_offset = 0;
  std::uint64_t bit_words = 0;
  Fr r, s;

  [[nodiscard]] const unsigned char* at(std::uint64_t offset) const { return pinned.data() + offset; }
};

/// One query's sum in the pieces that the device left.
template <class F>
struct QueryParts {
  std::vector<Xyzz<F>> bits;
  std::vector<WindowSums<F>> wide;

  [[nodiscard]] Jacobian<F> total() const {
    Jacobian<F> sum = Jacobian<F>::infinity();
    for (const WindowSums<F>& part : wide) sum += part.total();
    for (const Xyzz<F>& part : bits) sum += part.to_jacobian();
    return sum;
  }
};

/// All sums of a proof.
struct CircuitParts {
  QueryParts<Fp> h, l, a, b_g1;
  QueryParts<Fp2> b_g2;
};

/// Tells how far a launch is; one thread, under the device lock. Weights are estimates, from before the first
/// run, of an H200's nanoseconds for one element; only their proportions matter.
class Progress {
 public:
  Progress(const std::function<void(double)>& tell, std::size_t circuits, const DeviceKey& key,
           std::uint64_t domain)
      : tell_(tell) {
    const auto query = [](const auto& q, double scale) {
      return scale * (static_cast<double>(q.bit_count) * kBit + static_cast<double>(q.wide_count) * kWide);
    };
    total_ = static_cast<double>(circuits) *
             (static_cast<double>(domain) * (kRow + kQuotient + kFull) + query(key.l, 1) + query(key.a, 1) +
              query(key.b_g1, 1) + query(key.b_g2, kG2));
  }
  static constexpr double kRow = 0.1;
  static constexpr double kQuotient = 1.8;
  static constexpr double kFull = 4.6;
  static constexpr double kBit = 0.2;
  static constexpr double kWide = 6;
  static constexpr double kG2 = 3;

  void add(std::uint64_t elements, double cost_of_one) {
    done_ += static_cast<double>(elements) * cost_of_one;
    if (tell_ && elements != 0 && done_ < total_) tell_(done_ / total_);
  }
  void finish() const {
    if (tell_) tell_(1);
  }

 private:
  const std::function<void(double)>& tell_;
  double total_ = 0;
  double done_ = 0;
};

}  // namespace cuzk::cuda
