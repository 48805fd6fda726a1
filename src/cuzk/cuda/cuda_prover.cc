#include "cuzk/cuda/cuda_prover.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "cuzk/cuda/internal/circuit_parts.h"
#include "cuzk/cuda/internal/device_stream.h"
#include "cuzk/cuda/internal/resident_run.h"
#include "cuzk/cuda/internal/stage_clock.h"
#include "cuzk/cuda/internal/streamed_run.h"
#include "cuzk/groth16/proof_sums.h"

namespace cuzk::cuda {

using groth16::LaunchOptions;
using groth16::Pending;
using groth16::Prepared;
using groth16::ProofSums;
using groth16::ProverClock;
using groth16::ProvingKey;

struct CudaProver::HeldKey {
  std::weak_ptr<const ProvingKey> key;
  const ProvingKey* address = nullptr;
  std::unique_ptr<DeviceKey> device_key;
  KeyMemory memory;
};

namespace {

struct CudaPending : Pending::State {
  struct Circuit {
    std::shared_ptr<const ProvingKey> key;
    CircuitParts parts;
    Fr r, s;
  };
  std::vector<Circuit> circuits;
};

/// Waits for the streams on the way out, whichever way that is: nothing reads pinned memory of a batch any
/// more, and nothing runs without the lock.
class Drain {
 public:
  explicit Drain(Context& context) : context_(context) {}
  Drain(const Drain&) = delete;
  Drain& operator=(const Drain&) = delete;
  ~Drain() { drain(context_); }

 private:
  Context& context_;
};

/// Frees what the pool of witnesses need not keep any more, on the way out, behind the lock if declared
/// before it.
class Trim {
 public:
  explicit Trim(PinnedPool& pool) : pool_(pool) {}
  Trim(const Trim&) = delete;
  Trim& operator=(const Trim&) = delete;
  ~Trim() { pool_.trim(); }

 private:
  PinnedPool& pool_;
};

/// All circuits of a launch, in the way of the key's plan. No byte may stay in use.
Result<std::vector<CircuitParts>> run_circuits(Context& context, const DeviceKey& key,
                                               std::span<const CudaPrepared* const> circuits,
                                               StageClock& clock, Progress& progress) {
  const std::uint64_t before = context.bytes_in_use();
  const auto unchanged = [&]() -> Result<void> {
    const std::uint64_t after = context.bytes_in_use();
    if (after == before) return {};
    return Error{ErrorCode::kInternal, "device " + std::to_string(context.device()) + ": " +
                                           std::to_string(before) + " bytes in use before a proof, " +
                                           std::to_string(after) + " after it"};
  };
  if (key.plan.streamed) {
    CUZK_TRY_ASSIGN(std::vector<CircuitParts> parts, run_streamed(context, key, circuits, clock, progress));
    CUZK_TRY(unchanged());
    return parts;
  }
  std::vector<CircuitParts> parts;
  for (const CudaPrepared* circuit : circuits) {
    CUZK_TRY_ASSIGN(CircuitParts of_circuit, run_resident(context, key, *circuit, clock, progress));
    CUZK_TRY(unchanged());
    parts.push_back(std::move(of_circuit));
  }
  return parts;
}

}  // namespace

CudaProver::CudaProver(Context& context, ThreadPool& pool, const CudaProverOptions& options)
    : context_(context), pool_(pool), options_(options), pinned_(std::make_shared<PinnedPool>()) {
  if (options_.pinned == nullptr)
    options_.pinned = std::make_shared<PinnedBudget>(PinnedBudget::of_machine());
}

CudaProver::~CudaProver() {
  const std::lock_guard guard(mutex_);
  (void)context_.bind();
  held_.clear();
}

Result<Prepared> CudaProver::prepare(std::shared_ptr<const ProvingKey> key,
                                     std::shared_ptr<const Shape> shape,
                                     std::shared_ptr<const Witness> witness, const Fr& r, const Fr& s) {
  if (key->shape() != shape) return usage_error("the proving key was loaded for another shape");
  CUZK_TRY(shape->validate(*witness));
  if (shape->domain_log_size() > Ntt::kMaxLogSize)
    return usage_error("the circuit's domain of 2^" + std::to_string(shape->domain_log_size()) +
                       " points is larger than this backend's transforms");
  auto state = std::make_unique<CudaPrepared>();
  state->owner = this;
  state->values = witness->inputs.size() + witness->wide.size();
  state->bit_words = witness->bits.size();
  const WitnessLayout layout(state->values, shape->num_bits());
  state->bits_offset = layout.bits;
  CUZK_TRY_ASSIGN(state->pinned, PinnedPool::take(pinned_, context_, layout.bytes));
  const auto put = [&](std::uint64_t offset, const void* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(state->pinned.data() + offset, from, bytes);
  };
  put(0, witness->inputs.data(), witness->inputs.size() * sizeof(Fr));
  put(witness->inputs.size() * sizeof(Fr), witness->wide.data(), witness->wide.size() * sizeof(Fr));
  put(state->bits_offset, witness->bits.data(), 8 * witness->bits.size());
  state->key = std::move(key);
  state->r = r;
  state->s = s;
  return Prepared(std::move(state));
}

template <class Which>
void CudaProver::forget(Which&& which, ToFree& to_free) {
  held_.remove_if([&](HeldKey& held) {
    if (!which(held)) return false;
    for (HostMemory& memory : held.device_key->take_host()) to_free.push_back(std::move(memory));
    return true;
  });
  publish_keys();
}

void CudaProver::forget_gone_keys(ToFree& to_free) {
  forget([](const HeldKey& held) { return held.key.expired(); }, to_free);
}

void CudaProver::make_room(std::uint64_t bytes, std::size_t keep, ToFree& to_free) {
  while (held_.size() > keep && bytes > context_.free_bytes()) {
    const HeldKey* const oldest = &held_.back();
    forget([&](const HeldKey& held) { return &held == oldest; }, to_free);
  }
}

void CudaProver::publish_keys() {
  const std::lock_guard guard(keys_mutex_);
  keys_.clear();
  std::vector<PinnedPool::Kept> witnesses;
  for (const HeldKey& held : held_) {
    keys_.emplace_back(held.address, held.memory);
    witnesses.push_back({held.device_key->plan.witness, held.device_key->plan.kept_witnesses});
  }
  pinned_->keep(std::move(witnesses));
}

std::vector<KeyMemory> CudaProver::keys() const {
  const std::lock_guard guard(keys_mutex_);
  std::vector<KeyMemory> out;
  for (const auto& [address, memory] : keys_) out.push_back(memory);
  return out;
}

std::uint64_t CudaProver::kept_bytes() const {
  return pinned_->idle_bytes();
}

bool CudaProver::is_held(const ProvingKey& key) const {
  const std::lock_guard guard(keys_mutex_);
  return std::any_of(keys_.begin(), keys_.end(), [&](const auto& held) { return held.first == &key; });
}

std::string KeyMemory::text() const {
  std::string out = std::string(streamed ? "streamed" : "resident") + ", " + std::to_string(needed) + " of " +
                    std::to_string(limit) + " bytes of device memory needed, " + std::to_string(held) +
                    " of them held";
  if (host != 0)
    out += "; " + std::to_string(host) + " bytes of host memory, " + std::to_string(pinned) + " page-locked";
  if (witnesses != 0)
    out += "; up to " + std::to_string(witnesses) + " bytes page-locked for witnesses between launches";
  if (h_multiples > 1) out += "; " + std::to_string(h_multiples) + " points for each one of h";
  if (pair_sums != 0) out += "; sums of " + std::to_string(pair_sums) + " pairs of bit bases";
  return out;
}

Result<ProverPlan> CudaProver::plan(const Shape& shape) const {
  const auto plan =
      plan_prover(key_counts(shape, pool_), {context_.vram_limit(), options_.residency, options_.arrays,
                                             options_.piece, options_.multiples, options_.pairs});
  if (plan) return plan;
  return plan.error().within("device " + std::to_string(context_.device()));
}
Result<ProverPlan> CudaProver::plan(const ProvingKey& key) const {
  const auto plan = this->plan(*key.shape());
  if (plan) return plan;
  return plan.error().within("proving key " + key.path());
}

Result<CudaProver::Loaded> CudaProver::ensure_loaded(const std::shared_ptr<const ProvingKey>& key,
                                                     std::unique_ptr<DeviceKey> decoded, ToFree& to_free) {
  forget_gone_keys(to_free);  // before addresses are compared: a new key may lie where one was that is gone
  const auto found = std::find_if(held_.begin(), held_.end(),
                                  [&](const HeldKey& held) { return held.address == key.get(); });
  if (found != held_.end()) {
    if (decoded != nullptr)
      for (HostMemory& memory : decoded->take_host()) to_free.push_back(std::move(memory));
    held_.splice(held_.begin(), held_, found);
    publish_keys();
    make_room(found->memory.needed - found->memory.held, 1, to_free);
    return Loaded{found->device_key.get(), false};
  }
  std::optional<ProverPlan> plan;
  if (decoded == nullptr) {
    CUZK_TRY_ASSIGN(plan, this->plan(*key));
  }
  const std::uint64_t needed = (decoded != nullptr ? decoded->plan : *plan).needed_bytes();
  make_room(needed, 0, to_free);
  if (decoded == nullptr) {
    to_free.clear();  // the key that comes may need that memory
    CUZK_TRY_ASSIGN(decoded, DeviceKey::prepare(context_, pool_, *key, *plan, options_.pinned));
  }
  CUZK_TRY(decoded->load(context_, pool_, *key));
  const DeviceKey::HostBytes host = decoded->host_bytes();
  const KeyMemory memory{key->path(),
                         decoded->plan.streamed,
                         decoded->plan.resident_bytes(),
                         needed,
                         context_.vram_limit(),
                         host.all,
                         host.pinned,
                         decoded->plan.kept_bytes(),
                         decoded->plan.h_windows.multiples,
                         decoded->plan.pair_sums()};
  held_.push_front({key, key.get(), std::move(decoded), memory});
  publish_keys();
  return Loaded{held_.front().device_key.get(), true};
}

Result<bool> CudaProver::hold(const std::shared_ptr<const ProvingKey>& key, const LaunchOptions& options) {
  if (key->shape()->domain_log_size() > Ntt::kMaxLogSize)
    return usage_error("the circuit's domain is larger than this backend's transforms");
  ToFree to_free;
  const Trim trim(*pinned_);
  std::unique_ptr<DeviceKey> decoded;
  if (!is_held(*key)) {
    CUZK_TRY(context_.bind());
    CUZK_TRY_ASSIGN(const ProverPlan plan, this->plan(*key));
    CUZK_TRY_ASSIGN(decoded, DeviceKey::prepare(context_, pool_, *key, plan, options_.pinned));
  }
  const groth16::DeviceLock::Hold lock = options.lock.value_or(lock_).acquire(options.urgency);
  const std::lock_guard guard(mutex_);
  CUZK_TRY(context_.bind());
  const Drain drain(context_);
  CUZK_TRY_ASSIGN(const Loaded loaded, ensure_loaded(key, std::move(decoded), to_free));
  return loaded.just_now;
}

void CudaProver::drop(const std::shared_ptr<const ProvingKey>& key, const LaunchOptions& options) {
  ToFree to_free;
  const Trim trim(*pinned_);
  const groth16::DeviceLock::Hold lock = options.lock.value_or(lock_).acquire(options.urgency);
  const std::lock_guard guard(mutex_);
  (void)context_.bind();  // on a dead device nothing is left to free
  const Drain drain(context_);
  forget([&](const HeldKey& held) { return held.address == key.get(); }, to_free);
  forget_gone_keys(to_free);
}

Result<Pending> CudaProver::launch(std::span<Prepared> batch, const LaunchOptions& options) {
  if (batch.empty()) return usage_error("a launch of no circuit");
  std::vector<const CudaPrepared*> circuits;
  for (const Prepared& prepared : batch) {
    const auto* circuit = dynamic_cast<const CudaPrepared*>(prepared.state());
    if (circuit == nullptr || circuit->owner != this)
      return usage_error("a prepared circuit of another prover, or one launched before");
    if (!circuits.empty() && circuit->key != circuits.front()->key)
      return usage_error("the circuits of a launch have different proving keys");
    circuits.push_back(circuit);
  }
  groth16::LaunchReport report;
  auto pending = std::make_unique<CudaPending>();
  ToFree to_free;
  report.lock_wait = ProverClock::now();
  {
    const groth16::DeviceLock::Hold lock = options.lock.value_or(lock_).acquire(options.urgency);
    const std::lock_guard guard(mutex_);
    report.lock_acquired = ProverClock::now();
    CUZK_TRY(context_.bind());
    const Drain drain(context_);
    CUZK_TRY_ASSIGN(const Loaded loaded, ensure_loaded(circuits.front()->key, nullptr, to_free));
    const DeviceKey& key = *loaded.key;
    CUZK_TRY_ASSIGN(StageClock clock, StageClock::start(context_));
    Progress progress(options.progress, circuits.size(), key, std::uint64_t{1} << key.ntt->log_size());
    CUZK_TRY_ASSIGN(std::vector<CircuitParts> parts, run_circuits(context_, key, circuits, clock, progress));
    for (std::size_t i = 0; i < circuits.size(); ++i)
      pending->circuits.push_back({circuits[i]->key, std::move(parts[i]), circuits[i]->r, circuits[i]->s});
    CUZK_TRY_ASSIGN(const std::vector<StageClock::Stage> stages, clock.stages());
    for (const StageClock::Stage& stage : stages)
      report.stages.push_back({stage.name, stage.begin, stage.end});
    progress.finish();
    report.lock_released = ProverClock::now();
  }
  for (Prepared& prepared : batch) prepared = Prepared(nullptr);
  return Pending(std::move(pending), std::move(report));
}

Result<std::vector<groth16::Proof>> CudaProver::finish(Pending pending) {
  const auto* state = dynamic_cast<const CudaPending*>(pending.state());
  if (state == nullptr) return usage_error("a pending launch of another backend, or one finished before");
  std::vector<groth16::Proof> proofs;
  for (const CudaPending::Circuit& circuit : state->circuits) {
    const CircuitParts& parts = circuit.parts;
    const ProofSums sums{parts.h.total(), parts.l.total(), parts.a.total(), parts.b_g1.total(),
                         parts.b_g2.total()};
    proofs.push_back(assemble_proof(circuit.key->vk(), sums, circuit.r, circuit.s));
  }
  return proofs;
}

}  // namespace cuzk::cuda
