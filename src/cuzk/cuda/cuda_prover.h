#pragma once

#include <list>
#include <memory>
#include <mutex>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/cuda/prover_plan.h"
#include "cuzk/groth16/prover.h"

namespace cuzk::cuda {

struct DeviceKey;
class PinnedPool;

/// The CUDA backend: every kernel of a proof runs on one device, the key resident in its memory.
///
/// A launch uploads bits and wide values of the witness and nothing else, evaluates the rows and the
/// quotient, and sums the queries; a few points come back, which finish() adds. Circuits of a batch run one
/// after the other.
///
/// Keys: the first launch of a key copies it, holding the lock; hold() does so ahead of it. Where there is no
/// room, keys that were used longest ago go first. One that does not fit an empty device is refused (kIo,
/// "out of memory", with the bytes needed and free); Context::fault() then says none. After every circuit as
/// many bytes are in use as before it; anything else is an error (kInternal).
///
/// Progress of a launch (LaunchOptions::progress) is told after every stage and piece of a sum, so a circuit
/// has about ten steps.
///
/// Threads: any number may share it. Launches are one at a time even where callers pass different locks or
/// none.
class CudaProver : public groth16::Prover {
 public:
  /// Both must outlive the prover, and every Prepared of it the context; the pool decodes keys. The prover
  /// wants the context for itself.
  CudaProver(Context& context, ThreadPool& pool);
  /// Gives back all device memory. Takes no device lock: the caller holds it, or nobody else uses the device.
  ~CudaProver() override;

  /// kUsage also for a domain larger than the transforms.
  Result<groth16::Prepared> prepare(std::shared_ptr<const groth16::ProvingKey> key,
                                    std::shared_ptr<const Shape> shape,
                                    std::shared_ptr<const Witness> witness, const Fr& r,
                                    const Fr& s) override;
  Result<groth16::Pending> launch(std::span<groth16::Prepared> batch,
                                  const groth16::LaunchOptions& options = {}) override;
  Result<std::vector<groth16::Proof>> finish(groth16::Pending pending) override;

  /// Copies a key to the device, unless it is there. Takes the lock that `options` names.
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& options = {});
  /// Gives a key's memory back, if it is there.
  void drop(const std::shared_ptr<const groth16::ProvingKey>& key,
            const groth16::LaunchOptions& options = {});

 private:
  struct HeldKey;
  /// Under the lock: the device's copy, made if need be; it becomes the most recent one.
  Result<const DeviceKey*> resident(const std::shared_ptr<const groth16::ProvingKey>& key);
  void forget_gone_keys();

  Context& context_;
  ThreadPool& pool_;
  groth16::DeviceLock lock_;
  std::shared_ptr<PinnedPool> pinned_;
  std::mutex device_;        // taken after the lock; guards the device and held_
  std::list<HeldKey> held_;  // most recent first
};

}  // namespace cuzk::cuda
