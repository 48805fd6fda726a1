#include "cuzk/msm/msm.h"

#include "cuzk/base/result.h"
#include "cuzk/msm/internal/pippenger.h"

namespace cuzk {
namespace {

/// Below this many bases the bucket method has more to set up than to save.
constexpr std::size_t kPlainBases = 4;

/// In units of a batched addition: one for each base and window, two a bucket and as much again for moving it
/// in and out of the cache, and per window some fifty additions that are not batched (measured).
template <class F>
unsigned choose_window_bits(std::size_t count) {
  unsigned best = 1;
  double best_cost = 0;
  for (unsigned bits = 2; bits <= 22; ++bits) {
    const msm_detail::SignedWindows windows(bits);
    const double cost =
        windows.count() * (static_cast<double>(count) + 3.0 * static_cast<double>(windows.buckets()) + 200.0);
    if (best == 1 || cost < best_cost) {
      best = bits;
      best_cost = cost;
    }
  }
  return best;
}

template <class F>
Jacobian<F> plain(std::span<const Affine<F>> bases, std::span<const Fr> scalars) {
  CUZK_CHECK(bases.size() == scalars.size());
  Jacobian<F> sum = Jacobian<F>::infinity();
  for (std::size_t i = 0; i < bases.size(); ++i) sum += mul(bases[i], scalars[i]);
  return sum;
}

template <class F>
Jacobian<F> run(ThreadPool& pool, std::span<const Affine<F>> bases, std::span<const Fr> scalars,
                const MsmOptions& options) {
  CUZK_CHECK(options.window_bits <= 22);
  if (bases.size() <= kPlainBases && options.window_bits == 0) return plain(bases, scalars);
  const unsigned bits = options.window_bits != 0 ? options.window_bits : choose_window_bits<F>(bases.size());
  return msm_detail::Pippenger<F>(pool, bases, scalars, batch_add_kernel<F>(pool.isa()), bits, options).run();
}

}  // namespace

G1Jacobian msm(ThreadPool& pool, std::span<const G1Affine> bases, std::span<const Fr> scalars,
               const MsmOptions& options) {
  return run(pool, bases, scalars, options);
}
G2Jacobian msm(ThreadPool& pool, std::span<const G2Affine> bases, std::span<const Fr> scalars,
               const MsmOptions& options) {
  return run(pool, bases, scalars, options);
}

G1Jacobian msm_plain(std::span<const G1Affine> bases, std::span<const Fr> scalars) {
  return plain(bases, scalars);
}
G2Jacobian msm_plain(std::span<const G2Affine> bases, std::span<const Fr> scalars) {
  return plain(bases, scalars);
}

unsigned msm_window_bits(std::size_t count) {
  return choose_window_bits<Fp>(count);
}

}  // namespace cuzk
