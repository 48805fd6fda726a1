#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cuzk::timeline {

/// What happened. The names on the wire (name_of) are fixed: operators' scripts look for them.
enum class EventKind : std::uint8_t {
  kSynthStart,    ///< SYNTH_START: a synthesis worker took the partition (`worker`: which one)
  kSynthEnd,      ///< SYNTH_END: its witness is complete
  kGpuQueue,      ///< GPU_QUEUE: the device queue accepted it
  kGpuPickup,     ///< GPU_PICKUP: a device worker took it
  kGpuStart,      ///< GPU_START: that worker began, with the work that needs no lock
  kGpuEnd,        ///< GPU_END: the worker is done with it, the epilogue included where the worker runs it
  kLockWait,      ///< LOCK_WAIT: the worker asked for the device lock
  kLockAcquired,  ///< LOCK_ACQUIRED
  kLockReleased,  ///< LOCK_RELEASED
  kKernelStart,   ///< KERNEL_START: device event mapped to the host clock; detail `stage=NAME`
  kKernelEnd,     ///< KERNEL_END: likewise
  kEpilogueEnd,   ///< EPILOGUE_END: the proof of the partition exists
  kVerifyEnd,     ///< VERIFY_END: its check has an answer
  kJobDone,       ///< JOB_DONE: the job reached its final state; detail `state=NAME`; no partition
  kKeyStart,      ///< KEY_START: the device lock was taken for a key: detail `circuit=ID`, `what=copy` or
                  ///< `what=drop`; no job
  kKeyEnd,        ///< KEY_END: and was given back; the same detail
};
inline constexpr std::size_t kEventKinds = 16;

// Thread-safe, but for two calls with one event of which one is add_detail.

/// "SYNTH_START" and so on; static storage.
std::string_view name_of(EventKind kind);
/// The kind with that name, exactly; nothing for any other text.
std::optional<EventKind> kind_named(std::string_view name);

/// One event. Times are nanoseconds of a monotonic clock, the same one for all events of a recording; they
/// need not come in order (kernel times are known only when the launch is over).
struct Event {
  std::int64_t time_ns = 0;
  EventKind kind = EventKind::kJobDone;
  std::string job = {};                         ///< the engine's job id; empty for what is no job's
  std::optional<std::uint32_t> partition = {};  ///< absent: the whole job, or a launch of several partitions
  std::optional<std::uint32_t> device = {};     ///< ordinal; absent for what no device does
  std::optional<std::uint32_t> worker = {};     ///< of the synthesis workers, or of that device's workers
  std::string detail = {};                      ///< further `key=value`, comma-separated, in any order

  friend bool operator==(const Event&, const Event&) = default;
};

/// Appends `key=value` to the detail. The bytes that would end a value or a line (comma, control characters)
/// become '_' in the value; the key is a literal of the caller.
void add_detail(Event& event, std::string_view key, std::string_view value);
void add_detail(Event& event, std::string_view key, std::uint64_t value);
/// A duration in milliseconds with decimals.
void add_detail_ms(Event& event, std::string_view key, std::int64_t nanoseconds);

/// The value of `key` in the detail; a view into the event.
std::optional<std::string_view> detail_of(const Event& event, std::string_view key);

/// Nanoseconds as milliseconds with as many decimals as the value has, at most six: "1300", "0.25". Exact.
std::string format_ms(std::int64_t nanoseconds);

}  // namespace cuzk::timeline
