#pragma once

#include <memory>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/prover.h"

namespace cuzk::groth16 {

/// The CPU backend: its device is a thread pool. The embedded default, and the reference for every other
/// backend.
///
/// Memory of a launch, per domain point: three scalars (96 bytes) while the quotient is computed, then one
/// scalar and one decoded point of h (128 bytes) and what the multi-scalar sum needs; after these the wide
/// bases of one query at a time, decoded (96 bytes each, 192 in G2). Bit bases are decoded in pieces.
/// Circuits of a batch run one after the other, so a batch costs no more memory than one circuit.
class CpuProver : public Prover {
 public:
  /// The pool must outlive the prover.
  explicit CpuProver(ThreadPool& pool) : pool_(pool) {}

  Result<Prepared> prepare(std::shared_ptr<const ProvingKey> key, std::shared_ptr<const Shape> shape,
                           std::shared_ptr<const Witness> witness, const Fr& r, const Fr& s) override;
  Result<Pending> launch(std::span<Prepared> batch, const LaunchOptions& options = {}) override;
  Result<std::vector<Proof>> finish(Pending pending) override;

 private:
  ThreadPool& pool_;
  DeviceLock lock_;
};

}  // namespace cuzk::groth16
