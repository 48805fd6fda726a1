#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/context.h"
#include "cuzk/cuda/pinned_budget.h"
#include "cuzk/cuda/prover_plan.h"
#include "cuzk/groth16/prover.h"

namespace cuzk::cuda {

struct DeviceKey;
class HostMemory;
class PinnedPool;

/// Proofs do not depend on it.
struct CudaProverOptions {
  Residency residency = Residency::automatic;
  /// Host memory that streamed keys may have page-locked, shared by the provers of a machine; null: one of
  /// this prover's own, PinnedBudget::of_machine(). What does not fit is kept in ordinary memory, from where
  /// copies take some six times as long.
  std::shared_ptr<PinnedBudget> pinned = nullptr;
  /// Multiples of the points of h and sums of pairs of bit bases that resident keys keep, see PlanOptions.
  unsigned multiples = 1;
  bool pairs = false;
  // For tests, see PlanOptions.
  unsigned arrays = 0;
  std::uint64_t piece = 0;
};

/// What a held key takes. Bytes.
struct KeyMemory {
  std::string params;  ///< path of the key's file
  bool streamed = false;
  std::uint64_t held = 0;       ///< of device memory, from hold to drop
  std::uint64_t needed = 0;     ///< of it, with what a launch cannot do without beside
  std::uint64_t limit = 0;      ///< of device memory
  std::uint64_t host = 0;       ///< of host memory, from hold to drop, without `witnesses`
  std::uint64_t pinned = 0;     ///< of that, page-locked
  std::uint64_t witnesses = 0;  ///< page-locked beside it, at the most, for witnesses between launches
  unsigned h_multiples = 1;     ///< points on the device for each one of h
  std::uint64_t pair_sums = 0;  ///< of bit bases, on the device

  /// One line, for logs.
  [[nodiscard]] std::string text() const;
};

/// The CUDA backend: every kernel of a proof runs on one device.
///
/// Keys are resident in device memory where they fit the context's limit, otherwise streamed, all but what
/// there is room for (ProverPlan, printed by its text()). A launch uploads bits and wide values of the
/// witness, evaluates the rows and the quotient, picks the queries' bits and sums the queries; a few points
/// come back, which finish() adds. Circuits of a batch run one after the other; with a streamed key they
/// share every piece of the bases of l, a, b_g1 and b_g2.
///
/// The first launch of a key loads it, holding the lock; hold() does so ahead of it. Where there is no room
/// for it, or for what a launch of a key that is there takes beside, keys that were used longest ago go
/// first. One that an empty device cannot even stream is refused (kIo, "out of memory", with the bytes needed
/// and the limit); Context::fault() then says none. After every launch as many bytes are in use as before it,
/// what a key holds is what its plan says, and so is what a phase of a streamed launch takes (a resident one
/// takes what is free, where that helps); anything else is an error (kInternal).
///
/// Witnesses are prepared in page-locked buffers, which are used again: between launches a prover keeps as
/// many as the plans of the keys that it holds say (ProverPlan::kept_bytes), and none without a key.
///
/// Progress of a launch (LaunchOptions::progress) is told after every stage and piece of a sum, so a circuit
/// has about ten steps.
///
/// Threads: any number may share it. Launches are one at a time even where callers pass different locks or
/// none.
class CudaProver : public groth16::Prover {
 public:
  /// Both must outlive the prover, and the context every Prepared of it. The pool decodes keys. The prover
  /// wants the context for itself.
  CudaProver(Context& context, ThreadPool& pool, const CudaProverOptions& options = {});
  /// Gives back all device memory. Takes no device lock: the caller holds it, or nobody else uses the device.
  ~CudaProver() override;

  /// kUsage also for a domain larger than the transforms; kIo where the host has no page-locked memory left;
  /// a dead context's error, where a buffer must be page-locked: when one is reused, launch() reports it.
  Result<groth16::Prepared> prepare(std::shared_ptr<const groth16::ProvingKey> key,
                                    std::shared_ptr<const Shape> shape,
                                    std::shared_ptr<const Witness> witness, const Fr& r,
                                    const Fr& s) override;
  Result<groth16::Pending> launch(std::span<groth16::Prepared> batch,
                                  const groth16::LaunchOptions& options = {}) override;
  Result<std::vector<groth16::Proof>> finish(groth16::Pending pending) override;

  /// What a key takes here and where it will be, whatever else is held.
  [[nodiscard]] Result<ProverPlan> plan(const groth16::ProvingKey& key) const;
  /// The same for any key of the shape. Walks all rows.
  [[nodiscard]] Result<ProverPlan> plan(const Shape& shape) const;
  /// Loads a key, unless it is there; says whether it did. What is streamed is decoded before the lock is
  /// taken that `options` names.
  Result<bool> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& options = {});
  /// Gives a key's memory back, if it is there.
  void drop(const std::shared_ptr<const groth16::ProvingKey>& key,
            const groth16::LaunchOptions& options = {});
  /// What is held now, the most recent first. Does not wait for launches.
  [[nodiscard]] std::vector<KeyMemory> keys() const;
  /// Page-locked memory that is kept for witnesses and that no Prepared has.
  [[nodiscard]] std::uint64_t kept_bytes() const;

 private:
  struct HeldKey;
  /// Host memory of keys that are gone: to be freed without the lock, where one can.
  using ToFree = std::vector<HostMemory>;
  struct Loaded {
    const DeviceKey* key;
    bool just_now;
  };
  /// Under the lock: the device's copy, made if need be, from `decoded` where it is not null; it becomes the
  /// most recent one, and has what its launches need.
  Result<Loaded> ensure_loaded(const std::shared_ptr<const groth16::ProvingKey>& key,
                               std::unique_ptr<DeviceKey> decoded, ToFree& to_free);
  [[nodiscard]] bool is_held(const groth16::ProvingKey& key) const;
  template <class Which>
  void forget(Which&& which, ToFree& to_free);
  void forget_gone_keys(ToFree& to_free);
  /// Forgets keys, the oldest first, all but the `keep` most recent ones, until `bytes` are free.
  void make_room(std::uint64_t bytes, std::size_t keep, ToFree& to_free);
  /// For keys(), and for how much the pool of witnesses may keep.
  void publish_keys();

  Context& context_;
  ThreadPool& pool_;
  groth16::DeviceLock lock_;  ///< for callers that pass none
  CudaProverOptions options_;
  std::shared_ptr<PinnedPool> pinned_;
  /// Taken after the lock, for callers with different locks or none; where all pass the same one nobody waits
  /// for it. Guards the device and held_.
  std::mutex mutex_;
  std::list<HeldKey> held_;  // most recent first
  /// Guards keys_, which mirrors held_, for readers that must not wait for a launch.
  mutable std::mutex keys_mutex_;
  std::vector<std::pair<const groth16::ProvingKey*, KeyMemory>> keys_;
};

}  // namespace cuzk::cuda
