#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/engine/engine.h"

namespace cuzk::engine {

/// What one stage of a simulated partition does wrong.
enum class SimulatedFault : std::uint8_t {
  kNone,
  kError,       ///< kIo: memory of the device or the host ran out
  kBadAlloc,    ///< throws std::bad_alloc
  kDefect,      ///< kInternal: a result that cannot be
  kWrongProof,  ///< a well-formed proof that does not verify (finish only)
  kParams,      ///< kParams: the parameters have changed since they were loaded
  kSick,        ///< kIo, and the device is lost from then on (prepare, launch and finish only)
  kFatal,       ///< likewise with every device of the simulation, as a wild access of a CUDA kernel does
};
enum class SimulatedStage : std::uint8_t { kSynthesis, kPrepare, kLaunch, kFinish };

/// How long the stages last, and what goes wrong. Shared by all parts of one simulation.
struct SimulatedTimes {
  Duration read{};  ///< of a request
  Duration synthesis{};
  Duration prepare{};
  Duration kernels{};  ///< for each circuit of a launch
  Duration finish{};
  Duration verify{};
  Duration load_shape{};
  Duration load_key{};
  Duration hold{};               ///< copying a key to a device
  Duration drop{};               ///< taking it away
  unsigned synthesis_parts = 1;  ///< Statement::synthesis_parts
};
/// Asked before each stage of each partition, from the engine's threads; empty: nothing goes wrong. `tag` is
/// simulated_tag of the request.
using SimulatedFaults =
    std::function<SimulatedFault(SimulatedStage stage, std::uint64_t tag, unsigned partition)>;

struct Simulation {
  Clock& clock = real_clock();
  SimulatedTimes times;
  SimulatedFaults faults;
  KeyHostBytes key_host{};  ///< what every device takes for every circuit
  /// Every device is lost (SimulatedFault::kFatal).
  std::shared_ptr<std::atomic<bool>> dead = std::make_shared<std::atomic<bool>>(false);
};

/// A request for a simulated proof: `tag` makes it differ from others. Partitions: 10 for porep-c2, 16 for
/// snap-update, 1 for the others; circuits: "porep-2k", "snap-2k", "wpost-2k", "winning-2k".
[[nodiscard]] ProofRequest simulated_request(ProofKind kind, std::uint64_t tag);
/// What a simulated statement is budgeted for.
inline constexpr std::uint64_t kSimulatedStatementBytes = 1000;
[[nodiscard]] std::uint64_t simulated_tag(const ProofRequest& request);
[[nodiscard]] std::string simulated_circuit(ProofKind kind);

/// Reads requests as from simulated_request; any other is kBadInput.
[[nodiscard]] RequestReader simulated_reader(std::shared_ptr<const Simulation> simulation);

/// The bytes of the proof that a simulated job must come to: well-formed points that say tag and partition.
[[nodiscard]] std::vector<std::uint8_t> simulated_proof(std::uint64_t tag, unsigned partitions);
[[nodiscard]] unsigned simulated_partitions(ProofKind kind);

/// Circuits that load in the simulation's times.
class SimulatedCircuits : public CircuitSource {
 public:
  /// What a circuit is budgeted for: its file, and the boolean variables of its shape.
  struct Sizes {
    std::uint64_t params_bytes = 1 << 20;
    std::size_t bits = 64;
  };
  SimulatedCircuits(std::shared_ptr<const Simulation> simulation, std::map<std::string, Sizes> circuits)
      : simulation_(std::move(simulation)), circuits_(std::move(circuits)) {}
  /// One of default size for every kind.
  explicit SimulatedCircuits(std::shared_ptr<const Simulation> simulation);

  [[nodiscard]] std::vector<Known> known() const override;
  [[nodiscard]] Result<std::uint64_t> params_bytes(const std::string& circuit_id) const override;
  Result<LoadedShape> load_shape(ThreadPool& pool, const std::string& circuit_id,
                                 const std::stop_token& stop) override;
  Result<std::shared_ptr<const OpenParams>> open_params(ThreadPool& pool,
                                                        const std::string& circuit_id) override;
  Result<std::shared_ptr<const CircuitKey>> load_key(ThreadPool& pool,
                                                     std::shared_ptr<const OpenParams> params,
                                                     std::shared_ptr<const Shape> shape,
                                                     const std::stop_token& stop) override;

 private:
  std::shared_ptr<const Simulation> simulation_;
  std::map<std::string, Sizes> circuits_;
};

/// A device whose stages only last.
class SimulatedDevice : public Device {
 public:
  SimulatedDevice(std::shared_ptr<const Simulation> simulation, std::uint32_t ordinal);
  ~SimulatedDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] groth16::Prover& prover() override;
  [[nodiscard]] DeviceFault fault() override;
  [[nodiscard]] KeyHostBytes key_host_bytes(const Shape& shape) const override {
    return {key_host_.key, key_host_.launch, 3 * witness_bytes(shape)};  // as CpuDevice
  }
  /// Lasts SimulatedTimes::hold, under the lock. kIo when the device is lost.
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& options) override;
  /// Lasts SimulatedTimes::drop, under the lock.
  void drop(const std::shared_ptr<const groth16::ProvingKey>& key,
            const groth16::LaunchOptions& options) override;

 private:
  class SimulatedProver;
  DeviceInfo info_;
  KeyHostBytes key_host_;
  std::unique_ptr<SimulatedProver> prover_;
};

}  // namespace cuzk::engine
