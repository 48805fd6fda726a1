#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cuzk/curve/point.h"
#include "cuzk/field/kernels.h"

namespace cuzk {

/// A reference to a point of an array: index * 2, plus 1 when the point is to be negated. Arrays hold at most
/// 2^31 points.
using PointRef = std::uint32_t;
inline constexpr std::size_t kMaxReferablePoints = std::size_t{1} << 31;

/// `count` independent sums of two affine points:
///   out[out_index[i]] = a[a_ref[i]] + b[b_ref[i]],  0 <= i < count.
/// A null a_ref, b_ref or out_index stands for the identity (element i, not negated).
///
/// `out` may be the array `a` or `b` itself when each sum's place in it is read by that sum alone; no two
/// sums write to the same place.
template <class F>
struct BatchAddJob {
  const Affine<F>* a = nullptr;
  const PointRef* a_ref = nullptr;
  const Affine<F>* b = nullptr;
  const PointRef* b_ref = nullptr;
  Affine<F>* out = nullptr;
  const std::uint32_t* out_index = nullptr;
  std::size_t count = 0;
  /// Points of `a` that a later call will read: brought near meanwhile. A hint, without effect on the result.
  const PointRef* soon = nullptr;
  std::size_t soon_count = 0;
};

/// Working memory of the kernels below, grown on demand and kept for the next call. One per thread.
class BatchAddScratch {
 public:
  /// At least `bytes` bytes, aligned to 64; what was there is lost when it grows.
  std::byte* reserve(std::size_t bytes) {
    if (bytes > capacity_) {
      memory_.reset(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
      capacity_ = bytes;
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t capacity_ = 0;
};

/// Carries out `job_count` jobs with a single field inversion for all of them (Montgomery's trick), about six
/// products of F a sum. No job may write what another one reads. Every case of the group law is handled: P =
/// Q, P = -Q and infinity on either side. The results are affine and reduced, hence the same bits whatever
/// kernel is used. Scratch: 2 F a sum and
/// 2 more.
///
/// Some thousand sums a call hide the inversion and stay in the second-level cache.
template <class F>
using BatchAdd = void (*)(const BatchAddJob<F>* jobs, std::size_t job_count, BatchAddScratch& scratch);

/// The kernel for an instruction set, which must be supported here (isa_supported). F is Fp or Fp2.
template <class F>
BatchAdd<F> batch_add_kernel(Isa isa);
template <>
BatchAdd<Fp> batch_add_kernel<Fp>(Isa isa);
template <>
BatchAdd<Fp2> batch_add_kernel<Fp2>(Isa isa);

}  // namespace cuzk
