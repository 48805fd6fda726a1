#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/field/fr.h"
#include "cuzk/groth16/device_lock.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk::groth16 {

using ProverClock = std::chrono::steady_clock;

/// One timed part of the device work, for timelines and progress displays.
struct LaunchStage {
  const char* name = "";  ///< static storage
  ProverClock::time_point begin;
  ProverClock::time_point end;
};

/// What a launch did and when. `lock_wait` until `lock_acquired`: waiting; until `lock_released`: device
/// work. These two are taken while the lock is held, so that the times of two launches do not overlap.
struct LaunchReport {
  ProverClock::time_point lock_wait;
  ProverClock::time_point lock_acquired;
  ProverClock::time_point lock_released;
  std::vector<LaunchStage> stages;
};

/// Which lock a launch takes, and how urgently. Without a lock, the prover's own.
struct LaunchOptions {
  std::optional<DeviceLock> lock;
  std::uint64_t urgency = 0;  ///< larger goes first
  /// Gets the fraction of the device work done, in (0, 1], ascending, under the lock: after every stage and
  /// piece of work, which is some ten times a circuit on a device and some hundred on the processor; the last
  /// value of a launch that succeeds is 1. It must return at once. May be empty.
  std::function<void(double)> progress = nullptr;
};

/// A circuit ready for the device: made by Prover::prepare, used by the same prover's launch. Move-only; what
/// is inside belongs to the backend.
class Prepared {
 public:
  /// Must not own device memory: a Prepared may be destroyed at any time, outside the lock, where freeing
  /// would wait for somebody else's work. The same holds for Pending::State.
  struct State {
    virtual ~State() = default;
  };
  explicit Prepared(std::unique_ptr<State> state) : state_(std::move(state)) {}
  [[nodiscard]] State* state() const { return state_.get(); }

 private:
  std::unique_ptr<State> state_;
};

/// Device work that is done and waits for its epilogue; may move to another thread.
class Pending {
 public:
  struct State {
    virtual ~State() = default;
  };
  Pending(std::unique_ptr<State> state, LaunchReport report)
      : state_(std::move(state)), report_(std::move(report)) {}
  [[nodiscard]] State* state() const { return state_.get(); }
  [[nodiscard]] const LaunchReport& report() const { return report_; }

 private:
  std::unique_ptr<State> state_;
  LaunchReport report_;
};

/// The split prover. Four types and no other cross it: Shape, ProvingKey, Witness, Proof. No vector of a, b
/// or c, no full assignment and no pointer to bases is visible here: evaluating the rows belongs to the
/// backend.
///
/// A Prover is one device to its callers. Thread-safe: several workers may use it at a time.
class Prover {
 public:
  Prover() = default;
  Prover(const Prover&) = delete;
  Prover& operator=(const Prover&) = delete;
  virtual ~Prover() = default;

  /// CPU work that takes no lock and launches nothing: checks that the witness has the shape's sizes and that
  /// the key is the shape's, and makes of the witness what the launch reads. A backend may page-lock memory
  /// for it, which may hold up a device, and fails on a dead one. `r` and `s` blind the proof: fresh uniform
  /// scalars (random_fr) for every proof; fixed ones are for tests only. The arguments are shared because the
  /// result outlives the call. kBadInput for a witness of the wrong size, kUsage for a key of another shape.
  virtual Result<Prepared> prepare(std::shared_ptr<const ProvingKey> key, std::shared_ptr<const Shape> shape,
                                   std::shared_ptr<const Witness> witness, const Fr& r, const Fr& s) = 0;

  /// The device work of circuits that share one key. Blocks until it is done; holds the lock for all of it,
  /// and for nothing else. One circuit is the usual case; an empty batch is an error (kUsage).
  ///
  /// A launch that succeeds uses up the elements of `batch`: they hold nothing and cannot be launched again.
  /// One that fails, with an Error or std::bad_alloc, has given the lock back, leaves nothing on the device,
  /// and leaves `batch` as it was: it may be launched again, or dropped.
  virtual Result<Pending> launch(std::span<Prepared> batch, const LaunchOptions& options = {}) = 0;

  /// CPU epilogue, without the lock: final additions, r and s, affine form; proofs in the order of the batch.
  /// Nothing is checked, so of a device that computes wrongly the points may be on no curve: the caller reads
  /// each proof back (reread) and verifies it (verifier.h), and still has what came out where that fails.
  virtual Result<std::vector<Proof>> finish(Pending pending) = 0;
};

/// The proof as a reader will see it: encoded, then decoded with every check. kInternal for one that was
/// computed wrongly.
Result<Proof> reread(const Proof& proof);

/// prepare, launch, finish and reread of one circuit, for callers that do not schedule.
Result<Proof> prove(Prover& prover, std::shared_ptr<const ProvingKey> key, std::shared_ptr<const Shape> shape,
                    std::shared_ptr<const Witness> witness, const Fr& r, const Fr& s,
                    LaunchReport* report = nullptr, const LaunchOptions& options = {});

}  // namespace cuzk::groth16
