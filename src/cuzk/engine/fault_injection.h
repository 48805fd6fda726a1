#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "cuzk/engine/device.h"
#include "cuzk/engine/engine.h"

namespace cuzk::engine {

/// Where a fault can be put.
enum class FaultSite : std::uint8_t {
  kSynthesis,  ///< an allocation fails
  kPrepare,    ///< an allocation fails
  kLaunch,     ///< an allocation fails
  kFinish,     ///< an allocation fails
  kProof,      ///< a bit of the device's result is flipped
};

/// Which calls of which sites go wrong. Only in builds with CUZK_FAULT_INJECTION, and in the engine's tests:
/// the seams of the engine (Device, RequestReader) are wrapped, nothing in it knows of faults. Thread-safe.
class FaultPlan {
 public:
  /// The `call`-th call at the site (0 is the first) fails; of kProof, bit `bit` of its first proof's 192
  /// bytes is flipped.
  void add(FaultSite site, std::uint64_t call, unsigned bit = 0);

  /// Counts a call; whether it is to fail, and with which bit.
  struct Fault {
    unsigned bit = 0;
  };
  [[nodiscard]] std::optional<Fault> next(FaultSite site);
  /// Calls of add that came true.
  [[nodiscard]] std::uint64_t injected() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<FaultSite, std::uint64_t>, unsigned> planned_;
  std::map<FaultSite, std::uint64_t> calls_;
  std::uint64_t injected_ = 0;
};

/// The device with the plan's faults in prepare, launch and finish. A flipped proof that cannot be decoded
/// any more is the error that the provers' own decoder would give (kInternal).
[[nodiscard]] std::shared_ptr<Device> with_faults(std::shared_ptr<Device> device,
                                                  std::shared_ptr<FaultPlan> plan);

/// The reader, whose statements have the plan's faults in synthesis.
[[nodiscard]] RequestReader with_faults(RequestReader reader, std::shared_ptr<FaultPlan> plan);

}  // namespace cuzk::engine
