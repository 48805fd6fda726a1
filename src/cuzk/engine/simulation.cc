#include "cuzk/engine/simulation.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "cuzk/base/bytes.h"
#include "cuzk/curve/point.h"
#include "cuzk/r1cs/shape_recorder.h"

namespace cuzk::engine {
namespace {

constexpr std::string_view kMarker = "simulated";

using PartitionValues = std::pair<std::uint64_t, unsigned>;  // tag and partition

/// A says the tag, C the partition.
groth16::Proof proof_of(PartitionValues values) {
  return {mul(g1_generator(), Fr::from_u64(values.first + 1)).to_affine(), g2_generator(),
          mul(g1_generator(), Fr::from_u64(values.second + 1)).to_affine()};
}

/// The error of a fault, if it is one that comes as an error.
Result<void> apply(SimulatedFault fault) {
  switch (fault) {
    case SimulatedFault::kBadAlloc:
      throw std::bad_alloc();
    case SimulatedFault::kError:
    case SimulatedFault::kSick:
    case SimulatedFault::kFatal:
      return io_error("simulated: the stage failed");
    case SimulatedFault::kDefect:
      return Error{ErrorCode::kInternal, "simulated: a result that cannot be"};
    case SimulatedFault::kParams:
      return bad_params("simulated: the file has become shorter");
    case SimulatedFault::kNone:
    case SimulatedFault::kWrongProof:
      break;
  }
  return {};
}

SimulatedFault fault_at(const Simulation& simulation, SimulatedStage stage, PartitionValues values) {
  return simulation.faults ? simulation.faults(stage, values.first, values.second) : SimulatedFault::kNone;
}

/// In pieces, so that a stop is answered in time.
Result<void> last(Clock& clock, Duration time, const std::stop_token& stop) {
  constexpr Duration kPiece = std::chrono::milliseconds(500);
  const Clock::TimePoint end = clock.now() + time;
  while (clock.now() < end) {
    if (stop.stop_requested()) return Error{ErrorCode::kStopped, "simulated: stopped on request"};
    clock.sleep_until(std::min(end, clock.now() + kPiece));
  }
  return {};
}

class SimulatedStatement : public Statement {
 public:
  SimulatedStatement(std::shared_ptr<const Simulation> simulation, ProofKind proof_kind, std::uint64_t tag)
      : Statement(proof_kind, simulated_circuit(proof_kind), simulated_partitions(proof_kind), "simulated"),
        simulation_(std::move(simulation)),
        tag_(tag) {}

  Result<void> verify_vanilla(ThreadPool&) const override { return {}; }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return kSimulatedStatementBytes; }
  [[nodiscard]] unsigned synthesis_parts() const override { return simulation_->times.synthesis_parts; }
  Result<std::vector<Fr>> public_inputs(unsigned k) const override {
    return std::vector<Fr>{Fr::from_u64(tag_), Fr::from_u64(k)};
  }
  Result<CircuitDigest> digest(unsigned) const override {
    return Error{ErrorCode::kUnsupported, "a simulated statement has no circuit"};
  }
  Result<PartitionWitness> synthesize(ThreadPool&, const Shape&, unsigned k,
                                      std::stop_token stop) const override {
    CUZK_TRY(last(simulation_->clock, simulation_->times.synthesis, stop));
    CUZK_TRY(apply(fault_at(*simulation_, SimulatedStage::kSynthesis, {tag_, k})));
    auto witness = std::make_shared<Witness>();
    witness->inputs = {Fr::one(), Fr::from_u64(tag_), Fr::from_u64(k)};
    return PartitionWitness{std::move(witness), {Fr::from_u64(tag_), Fr::from_u64(k)}};
  }

 private:
  std::shared_ptr<const Simulation> simulation_;
  std::uint64_t tag_;
};

class SimulatedParams : public OpenParams {
 public:
  explicit SimulatedParams(std::uint64_t size) : size_(size) {}
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_; }

 private:
  std::uint64_t size_;
};

class SimulatedKey : public CircuitKey {
 public:
  explicit SimulatedKey(std::shared_ptr<const Simulation> simulation) : simulation_(std::move(simulation)) {}
  [[nodiscard]] const std::shared_ptr<const groth16::ProvingKey>& proving_key() const override {
    return none_;
  }
  Result<void> verify(ThreadPool&, const groth16::ProofInstance& instance) const override {
    simulation_->clock.sleep_for(simulation_->times.verify);
    const auto value = [&](std::size_t i) { return instance.inputs[i].to_int().limb[0]; };
    const groth16::Proof expected = proof_of({value(0), static_cast<unsigned>(value(1))});
    if (groth16::encode_proof(instance.proof) != groth16::encode_proof(expected))
      return bad_input("simulated: the proof does not verify");
    return {};
  }

 private:
  std::shared_ptr<const Simulation> simulation_;
  std::shared_ptr<const groth16::ProvingKey> none_;
};

}  // namespace

unsigned simulated_partitions(ProofKind kind) {
  if (kind == ProofKind::porep_seal_commit) return 10;
  return kind == ProofKind::snap_deals_update ? 16 : 1;
}

std::string simulated_circuit(ProofKind kind) {
  switch (kind) {
    case ProofKind::porep_seal_commit:
      return "porep-2k";
    case ProofKind::snap_deals_update:
      return "snap-2k";
    case ProofKind::window_post_partition:
      return "wpost-2k";
    case ProofKind::winning_post:
      break;
  }
  return "winning-2k";
}

ProofRequest simulated_request(ProofKind kind, std::uint64_t tag) {
  ProofRequest request;
  request.kind = kind;
  request.sector_number = tag;
  request.vanilla_proof.assign(kMarker.begin(), kMarker.end());
  return request;
}

std::uint64_t simulated_tag(const ProofRequest& request) {
  return request.sector_number;
}

RequestReader simulated_reader(std::shared_ptr<const Simulation> simulation) {
  return [simulation = std::move(simulation)](
             ThreadPool&, const ProofRequest& request) -> Result<std::shared_ptr<const Statement>> {
    if (!std::ranges::equal(request.vanilla_proof, kMarker))
      return bad_input("vanilla_proof: this engine only simulates");
    simulation->clock.sleep_for(simulation->times.read);
    return std::shared_ptr<const Statement>(
        std::make_shared<SimulatedStatement>(simulation, request.kind, simulated_tag(request)));
  };
}

std::vector<std::uint8_t> simulated_proof(std::uint64_t tag, unsigned partitions) {
  std::vector<std::uint8_t> out;
  for (unsigned k = 0; k < partitions; ++k) {
    const groth16::ProofBytes piece = groth16::encode_proof(proof_of({tag, k}));
    out.insert(out.end(), piece.begin(), piece.end());
  }
  return out;
}

// ---- circuits

SimulatedCircuits::SimulatedCircuits(std::shared_ptr<const Simulation> simulation)
    : simulation_(std::move(simulation)) {
  for (const ProofKind kind : kProofKinds) circuits_[simulated_circuit(kind)] = {};
}

std::vector<CircuitSource::Known> SimulatedCircuits::known() const {
  std::vector<Known> out;
  for (const auto& [id, sizes] : circuits_) out.push_back({id, sizes.params_bytes});
  return out;
}

Result<std::uint64_t> SimulatedCircuits::params_bytes(const std::string& circuit_id) const {
  const auto at = circuits_.find(circuit_id);
  if (at == circuits_.end()) return usage_error("there is no circuit '" + circuit_id + "'");
  return at->second.params_bytes;
}

Result<LoadedShape> SimulatedCircuits::load_shape(ThreadPool&, const std::string& circuit_id,
                                                  const std::stop_token& stop) {
  CUZK_TRY(last(simulation_->clock, simulation_->times.load_shape, stop));
  ShapeRecorder recorder;
  for (std::size_t i = 0; i < circuits_.at(circuit_id).bits; ++i) (void)recorder.alloc_bit(false);
  return LoadedShape{std::make_shared<const Shape>(std::move(recorder).finish()), false};
}

Result<std::shared_ptr<const OpenParams>> SimulatedCircuits::open_params(ThreadPool&,
                                                                         const std::string& circuit_id) {
  CUZK_TRY_ASSIGN(const std::uint64_t size, params_bytes(circuit_id));
  return std::shared_ptr<const OpenParams>(std::make_shared<SimulatedParams>(size));
}

Result<std::shared_ptr<const CircuitKey>> SimulatedCircuits::load_key(ThreadPool&,
                                                                      std::shared_ptr<const OpenParams>,
                                                                      std::shared_ptr<const Shape>,
                                                                      const std::stop_token& stop) {
  CUZK_TRY(last(simulation_->clock, simulation_->times.load_key, stop));
  return std::shared_ptr<const CircuitKey>(std::make_shared<SimulatedKey>(simulation_));
}

// ---- device

class SimulatedDevice::SimulatedProver : public groth16::Prover {
 public:
  explicit SimulatedProver(std::shared_ptr<const Simulation> simulation)
      : simulation_(std::move(simulation)), lock_(simulation_->clock) {}

  [[nodiscard]] DeviceFault fault() const {
    if (*simulation_->dead) return DeviceFault::kProcess;
    return sick_ ? DeviceFault::kDevice : DeviceFault::kNone;
  }

  Result<groth16::Prepared> prepare(std::shared_ptr<const groth16::ProvingKey>, std::shared_ptr<const Shape>,
                                    std::shared_ptr<const Witness> witness, const Fr&, const Fr&) override {
    simulation_->clock.sleep_for(simulation_->times.prepare);
    const auto value = [&](std::size_t i) { return witness->inputs[i].to_int().limb[0]; };
    const PartitionValues values{value(1), static_cast<unsigned>(value(2))};
    CUZK_TRY(stage(SimulatedStage::kPrepare, values));
    auto state = std::make_unique<SimulatedPrepared>();
    state->values = values;
    return groth16::Prepared(std::move(state));
  }

  Result<groth16::Pending> launch(std::span<groth16::Prepared> batch,
                                  const groth16::LaunchOptions& options) override {
    Clock& clock = simulation_->clock;
    auto pending = std::make_unique<SimulatedPending>();
    groth16::LaunchReport report;
    report.lock_wait = clock.now();
    {
      const groth16::DeviceLock::Hold hold = options.lock.value_or(lock_).acquire(options.urgency);
      report.lock_acquired = clock.now();
      for (const groth16::Prepared& prepared : batch) {
        const PartitionValues values = dynamic_cast<const SimulatedPrepared&>(*prepared.state()).values;
        const Clock::TimePoint begin = clock.now();
        clock.sleep_for(simulation_->times.kernels);
        CUZK_TRY(stage(SimulatedStage::kLaunch, values));
        report.stages.push_back({"simulated", begin, clock.now()});
        pending->values.push_back(values);
      }
      report.lock_released = clock.now();
    }
    for (groth16::Prepared& prepared : batch) prepared = groth16::Prepared(nullptr);
    return groth16::Pending(std::move(pending), std::move(report));
  }

  /// The device is taken up by a key.
  void key(Duration time, const groth16::LaunchOptions& options) {
    if (time == Duration::zero()) return;
    const groth16::DeviceLock::Hold hold = options.lock.value_or(lock_).acquire(options.urgency);
    simulation_->clock.sleep_for(time);
  }
  Result<void> hold(const groth16::LaunchOptions& options) {
    key(simulation_->times.hold, options);
    if (fault() != DeviceFault::kNone) return io_error("simulated: the device is lost");
    return {};
  }

  void drop(const groth16::LaunchOptions& options) { key(simulation_->times.drop, options); }

  Result<std::vector<groth16::Proof>> finish(groth16::Pending pending) override {
    simulation_->clock.sleep_for(simulation_->times.finish);
    std::vector<groth16::Proof> proofs;
    for (const PartitionValues& values : dynamic_cast<const SimulatedPending&>(*pending.state()).values) {
      const SimulatedFault fault = fault_at(*simulation_, SimulatedStage::kFinish, values);
      lose(fault);
      CUZK_TRY(apply(fault));
      proofs.push_back(fault == SimulatedFault::kWrongProof ? proof_of({values.first, values.second + 1})
                                                            : proof_of(values));
    }
    return proofs;
  }

 private:
  struct SimulatedPrepared : groth16::Prepared::State {
    PartitionValues values;
  };
  struct SimulatedPending : groth16::Pending::State {
    std::vector<PartitionValues> values;
  };

  void lose(SimulatedFault fault) {
    if (fault == SimulatedFault::kSick) sick_ = true;
    if (fault == SimulatedFault::kFatal) *simulation_->dead = true;
  }

  Result<void> stage(SimulatedStage stage, PartitionValues values) {
    const SimulatedFault fault = fault_at(*simulation_, stage, values);
    lose(fault);
    // A lost context fails everybody who uses it.
    if (this->fault() != DeviceFault::kNone) return io_error("simulated: the device is lost");
    return apply(fault);
  }

  std::shared_ptr<const Simulation> simulation_;
  groth16::DeviceLock lock_;
  std::atomic<bool> sick_{false};
};

SimulatedDevice::SimulatedDevice(std::shared_ptr<const Simulation> simulation, std::uint32_t ordinal)
    : info_{ordinal, "SIM-" + std::to_string(ordinal), "simulated " + std::to_string(ordinal), 0},
      key_host_(simulation->key_host),
      prover_(std::make_unique<SimulatedProver>(std::move(simulation))) {}
SimulatedDevice::~SimulatedDevice() = default;

groth16::Prover& SimulatedDevice::prover() {
  return *prover_;
}

Result<void> SimulatedDevice::hold(const std::shared_ptr<const groth16::ProvingKey>&,
                                   const groth16::LaunchOptions& options) {
  return prover_->hold(options);
}

void SimulatedDevice::drop(const std::shared_ptr<const groth16::ProvingKey>&,
                           const groth16::LaunchOptions& options) {
  prover_->drop(options);
}

DeviceFault SimulatedDevice::fault() {
  return prover_->fault();
}

}  // namespace cuzk::engine
