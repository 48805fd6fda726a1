#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/groth16/verifier.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::engine {

/// A parameter file that is open and whose structure is sound (WARM): a descriptor and the verifying key.
/// Immutable.
class OpenParams {
 public:
  OpenParams() = default;
  OpenParams(const OpenParams&) = delete;
  OpenParams& operator=(const OpenParams&) = delete;
  virtual ~OpenParams() = default;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
};

/// Parameters that are ready to prove and to verify with (HOT). Immutable, thread-safe. The engine budgets
/// the size of the file for them: every proof reads all of it, so pages that the system takes back from its
/// cache cost a read each time.
class CircuitKey {
 public:
  CircuitKey() = default;
  CircuitKey(const CircuitKey&) = delete;
  CircuitKey& operator=(const CircuitKey&) = delete;
  virtual ~CircuitKey() = default;

  /// What the prover takes; null where no prover reads it (simulation).
  [[nodiscard]] virtual const std::shared_ptr<const groth16::ProvingKey>& proving_key() const = 0;
  /// Whether a partition's proof holds, read back from its bytes. kBadInput: not; kInternal: no bytes of one.
  virtual Result<void> verify(ThreadPool& pool, const groth16::ProofInstance& instance) const = 0;
};

/// A shape and how it came about.
struct LoadedShape {
  std::shared_ptr<const Shape> shape;
  bool from_file = false;  ///< read from a saved file rather than recorded
};

/// Where shapes and parameters come from. Thread-safe; the three that work are called on the engine's loader
/// threads, once per circuit at a time. load_shape and load_key may take minutes; a stop that is asked for
/// ends them with kStopped within a second while a circuit is recorded or a file is checked. What they do
/// else (reading or writing a saved shape: seconds for the largest) they do to its end.
class CircuitSource {
 public:
  CircuitSource() = default;
  CircuitSource(const CircuitSource&) = delete;
  CircuitSource& operator=(const CircuitSource&) = delete;
  virtual ~CircuitSource() = default;

  /// Circuits whose parameters are there to be loaded, with the size of the file.
  struct Known {
    std::string circuit_id;
    std::uint64_t size_bytes = 0;
  };
  [[nodiscard]] virtual std::vector<Known> known() const = 0;
  /// Size of the circuit's parameter file. kUsage: no such circuit; kParams: no such file.
  [[nodiscard]] virtual Result<std::uint64_t> params_bytes(const std::string& circuit_id) const = 0;

  virtual Result<LoadedShape> load_shape(ThreadPool& pool, const std::string& circuit_id,
                                         const std::stop_token& stop) = 0;
  /// COLD to WARM. kParams, naming file and offset.
  virtual Result<std::shared_ptr<const OpenParams>> open_params(ThreadPool& pool,
                                                                const std::string& circuit_id) = 0;
  /// WARM to HOT: `params` as from open_params of the same source, `shape` the circuit's. kParams.
  virtual Result<std::shared_ptr<const CircuitKey>> load_key(ThreadPool& pool,
                                                             std::shared_ptr<const OpenParams> params,
                                                             std::shared_ptr<const Shape> shape,
                                                             const std::stop_token& stop) = 0;
};

class SavedShapes;

/// The parameter files of a folder, `<stem>.params` each, and shapes recorded from the circuits (circuit.h),
/// or read where `shapes` has them; without it every run records.
class FileCircuitSource : public CircuitSource {
 public:
  explicit FileCircuitSource(std::string folder, std::shared_ptr<const SavedShapes> shapes = nullptr)
      : folder_(std::move(folder)), shapes_(std::move(shapes)) {}

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

 protected:
  /// Where the circuit's parameter file is, or would be. kUsage: no such circuit.
  [[nodiscard]] virtual Result<std::string> params_path(const std::string& circuit_id) const;

 private:
  std::string folder_;
  std::shared_ptr<const SavedShapes> shapes_;
};

}  // namespace cuzk::engine
