#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/cuda/internal/device_bits.h"
#include "cuzk/cuda/internal/device_rows.h"
#include "cuzk/cuda/internal/host_memory.h"
#include "cuzk/cuda/ntt.h"
#include "cuzk/cuda/prover_plan.h"
#include "cuzk/groth16/proving_key.h"

namespace cuzk::cuda {

/// The bases of one query: the first bit bases in device memory, those behind them in host memory; wide ones
/// in either.
template <class F>
struct DeviceQuery {
  DeviceMemory bit_bases;
  DeviceMemory wide_bases;
  std::uint64_t bit_count = 0;
  std::uint64_t wide_count = 0;
  std::uint64_t resident_bits = 0;
  BasePairs pairs;  ///< behind the resident bit bases, of a resident query
  bool wide_resident = true;
  HostMemory streamed_bits;
  HostMemory streamed_wide;
};

/// Everything of a key and its shape that a launch reads, in device memory and, for what the plan streams, in
/// host memory. Loaded and destroyed under the device lock.
struct DeviceKey {
  /// The part of the work that needs no device lock: decodes what the plan streams to host memory. Takes
  /// exactly plan.host_bytes() of it. The context must be bound.
  static Result<std::unique_ptr<DeviceKey>> prepare(Context& context, ThreadPool& pool,
                                                    const groth16::ProvingKey& key, const ProverPlan& plan,
                                                    const std::shared_ptr<PinnedBudget>& budget);
  /// Copies the rest; waits until all is there. Takes exactly plan.resident_bytes(), or fails, and then the
  /// key is of no use any more. A plan that does not fit what is left is refused before anything is taken: an
  /// out of memory error that says both numbers.
  Result<void> load(Context& context, ThreadPool& pool, const groth16::ProvingKey& key);
  /// The host memory, for whoever frees it, which may take seconds, without the lock; nothing is launched any
  /// more.
  [[nodiscard]] std::vector<HostMemory> take_host();
  /// Bytes of the host memory, and those of them that are page-locked.
  struct HostBytes {
    std::uint64_t all = 0;
    std::uint64_t pinned = 0;
  };
  [[nodiscard]] HostBytes host_bytes() const;

  ProverPlan plan;
  /// In reversed order, as Ntt::quotient leaves the scalars; behind it the plan's multiples.
  DeviceMemory h;
  HostMemory streamed_h;  ///< or in the order of the file
  /// One fewer than the domain: the coefficient of degree n - 1 is zero, and last in reversed order as well.
  std::uint64_t h_count = 0;
  DeviceQuery<Fp> l, a, b_g1;
  DeviceQuery<Fp2> b_g2;
  /// Places among the values (inputs, then wide ones) of the scalars of wide bases.
  DeviceMemory l_places, a_places, b_places;
  /// Which of a witness's bits bit bases have.
  BitSelection l_bits, a_bits, b_bits;
  DeviceRows rows;
  std::unique_ptr<Ntt> ntt;
  /// Where the quotient keeps the arrays that have no room on the device: a o b, then b.
  HostMemory arrays[2];

 private:
  template <class Key, class Visit>
  static void visit_host(Key& key, Visit&& visit);
};

}  // namespace cuzk::cuda
