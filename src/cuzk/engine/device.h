#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/prover.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk::engine {

/// What never changes about a device.
struct DeviceInfo {
  std::uint32_t ordinal = 0;       ///< CUDA's; 0 for the CPU
  std::string uuid;                ///< "GPU-..."; empty for the CPU
  std::string name;                ///< for people
  std::uint64_t memory_bytes = 0;  ///< of its own; 0: it uses the host's
};

/// Host memory that a device takes for one circuit, for the engine's budget.
struct KeyHostBytes {
  std::uint64_t key = 0;     ///< from hold() to drop()
  std::uint64_t launch = 0;  ///< by one launch beside witness and Prepared, while it holds the lock
  /// By the Prepared of one partition beside its witness, from prepare() to the end of the launch.
  std::uint64_t prepared = 0;
};

/// Host memory of one witness of `shape`: its bits and its wide values.
[[nodiscard]] std::uint64_t witness_bytes(const Shape& shape);

/// A key on a device, for status and logs. Bytes.
struct HeldKey {
  std::string params;  ///< path of its file
  bool streamed = false;
  std::uint64_t device_held = 0;    ///< of device memory, from hold to drop
  std::uint64_t device_needed = 0;  ///< of device memory, with what a launch takes beside
  std::uint64_t device_limit = 0;   ///< of device memory
  std::uint64_t host = 0;           ///< of host memory, from hold to drop, at the most
  std::uint64_t pinned = 0;         ///< of that, page-locked
  unsigned h_multiples = 1;         ///< points on the device for each one of h
  std::uint64_t pair_sums = 0;      ///< sums of pairs of bit bases on the device
};

/// What is wrong with a device, and with others for its sake.
enum class DeviceFault : std::uint8_t {
  kNone,     ///< it can be given work
  kDevice,   ///< it is lost to this process; others are not touched
  kProcess,  ///< with it every device of this process is lost, until the process has ended
};

/// One physical device: a prover and what the engine must know beside it. Thread-safe; the engine's workers
/// of the device share it, and the engine passes one lock per Device to every launch.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual groth16::Prover& prover() = 0;

  /// Whether the device can be given work. Asked after every call of the prover that failed: not kNone, from
  /// then on, when the error was a sticky one (a lost context). The engine then takes the device out of
  /// service and proves the partition elsewhere; after kProcess it takes all of them out
  /// (EngineParts::on_devices_lost). Must not block.
  [[nodiscard]] virtual DeviceFault fault() = 0;

  /// Free memory of its own, for status rows; 0 when it has none. Must not block.
  [[nodiscard]] virtual std::uint64_t free_memory() { return 0; }

  /// May walk the whole shape: asked once a shape, without a lock of the engine.
  [[nodiscard]] virtual KeyHostBytes key_host_bytes(const Shape& shape) const = 0;
  /// The keys that are on the device. Must not block.
  [[nodiscard]] virtual std::vector<HeldKey> held_keys() const { return {}; }

  /// Copies a key to the device ahead of its first launch; part of loading it. `drop` is called before the
  /// engine lets its reference go. The default does nothing: for provers that keep nothing of a key.
  ///
  /// `options` names the lock that launches take, and how urgently; without one the device uses its own. Like
  /// a launch, both do all that touches the device while they hold that lock, and take no other one that a
  /// launch could wait for after it has been told that it has the device: the timeline counts from there.
  /// What needs only the host (reading and decoding a key) may be done before. Both block
  /// behind the launch or the copy of another key that has the lock, `hold` then for the copy and `drop` for
  /// as long as it takes to free memory. Called on threads that may wait, without a lock of the engine;
  /// `drop` on one of its own, so that what it frees comes late but nothing else does.
  virtual Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                            const groth16::LaunchOptions& options = {}) {
    (void)key, (void)options;
    return {};
  }
  virtual void drop(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& options = {}) {
    (void)key, (void)options;
  }
};

/// The CPU as a device. The pool must outlive it.
class CpuDevice : public Device {
 public:
  explicit CpuDevice(ThreadPool& pool, std::uint32_t ordinal = 0);

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] groth16::Prover& prover() override { return prover_; }
  [[nodiscard]] DeviceFault fault() override { return DeviceFault::kNone; }
  [[nodiscard]] KeyHostBytes key_host_bytes(const Shape& shape) const override;

 private:
  DeviceInfo info_;
  groth16::CpuProver prover_;
};

}  // namespace cuzk::engine
