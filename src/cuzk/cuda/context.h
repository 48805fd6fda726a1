#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "cuzk/base/result.h"

struct CUstream_st;
struct CUevent_st;
struct CUmemPoolHandle_st;

namespace cuzk::cuda {

/// What is wrong with a device, for callers that act on it. The Error that goes with it names device and
/// stage.
enum class Fault {
  none,
  out_of_memory,   ///< the limit or the card is exhausted; the context stays usable
  illegal_access,  ///< a kernel read or wrote outside its memory, or was stopped: a defect; every context of
                   ///< the process is dead, on whatever device, until it has ended (so CUDA's documentation)
  lost,            ///< the device fell off the bus, was reset, or hung; the context is dead
  unavailable,     ///< no device, no driver for it, or no kernels for this card in the program
  other,           ///< any other CUDA error; taken as deadly
};
const char* fault_name(Fault fault);

struct ContextOptions {
  int device = 0;
  /// Bytes of device memory that may be taken at a time, 0 for what the card has free at creation, less a
  /// reserve; more is cut to that, see Context::vram_limit. Counts allocations, not the driver's own.
  std::uint64_t vram_limit = 0;
};

class Context;

/// A piece of device memory. Returned to its context when destroyed, in the order of the context's stream:
/// work launched before may still use it. Move-only; must not outlive its context.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept { swap(other); }
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    DeviceMemory gone(std::move(other));
    swap(gone);
    return *this;
  }
  ~DeviceMemory() { release(); }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }
  void release();

 private:
  friend class Context;
  void swap(DeviceMemory& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  Context* context_ = nullptr;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Page-locked host memory, which copies run to and from at full speed. Nothing may read or write it any more
/// when it is destroyed, on any thread; that may wait for the device. Memory of a dead device stays the
/// process's until it ends. Move-only.
class PinnedMemory {
 public:
  PinnedMemory() = default;
  PinnedMemory(PinnedMemory&& other) noexcept { swap(other); }
  PinnedMemory& operator=(PinnedMemory&& other) noexcept {
    PinnedMemory gone(std::move(other));
    swap(gone);
    return *this;
  }
  ~PinnedMemory();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  friend class Context;
  void swap(PinnedMemory& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  int device_ = 0;
  void* data_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// One device: its stream of work, its memory and its health. All work of a context runs in the order of one
/// stream, `stream()`, but for parts of sums that have too little to do, on streams `beside()` it; another
/// one, `copies()`, moves data.
///
/// Memory comes from a pool of the context's own, with exact accounting: what a request takes is its size
/// rounded up to kGranule, and a request that would pass the limit fails before the driver is asked. Freed
/// memory stays in the pool, so that no call synchronises the device; only where the driver has none for a
/// request under the limit does allocate() wait for stream(), trim the pool and ask again.
///
/// Errors: every call of the CUDA runtime is checked. A deadly one is remembered: fault() tells, and every
/// later call fails with the same message. What a dead context holds counts as given back when it is released
/// or the context goes, and the driver is told; but where the device itself is lost, or a kernel went wrong,
/// the driver refuses, and keeps device memory and page-locked memory until the process ends.
///
/// Threads: one at a time may launch work or take and release device memory (the holder of the device lock).
/// bind(), allocate_pinned(), check(), fault() and the accounting are for any thread at any time. Contexts
/// of one device or of several work beside one another. But where a kernel went wrong
/// (Fault::illegal_access), the runtime gives the same error to every later call of the process, on whatever
/// device, and only another process can go on: "the process must be terminated and relaunched"
/// (cudaErrorIllegalAddress, CUDA Runtime API, Data types).
class Context {
 public:
  static constexpr std::uint64_t kGranule = 512;

  /// Fails where the program has no kernels for the device, too.
  static Result<std::unique_ptr<Context>> create(const ContextOptions& options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  /// Makes the device current for the calling thread, which CUDA asks of every thread that launches work or
  /// takes memory. Also fails when the context is dead.
  Result<void> bind();
  [[nodiscard]] int device() const { return device_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] unsigned multiprocessors() const { return multiprocessors_; }
  /// Blocks with so much shared memory each that a multiprocessor has room for at a time.
  [[nodiscard]] unsigned blocks_by_shared_memory(std::uint64_t bytes_a_block) const {
    return static_cast<unsigned>(shared_bytes_ / (bytes_a_block + shared_bytes_reserved_));
  }
  /// The limit in force: the lesser of that of the options and the card's free memory at creation less a
  /// reserve for the driver.
  [[nodiscard]] std::uint64_t vram_limit() const { return vram_limit_; }
  [[nodiscard]] std::uint64_t bytes_in_use() const;
  /// What may still be taken under the limit.
  [[nodiscard]] std::uint64_t free_bytes() const {
    const std::uint64_t taken = bytes_in_use();
    return taken < vram_limit_ ? vram_limit_ - taken : 0;
  }
  /// The largest bytes_in_use() since creation or reset_peak().
  [[nodiscard]] std::uint64_t peak_bytes() const;
  void reset_peak();
  /// The largest bytes_in_use() since the last watch(): a second high-water mark, the prover's own, as
  /// peak_bytes() is the caller's to reset.
  [[nodiscard]] std::uint64_t watched_bytes() const;
  void watch();
  /// Bytes that a request of `bytes` counts as; one of nothing takes a granule, too.
  static std::uint64_t rounded(std::uint64_t bytes) {
    return (std::max<std::uint64_t>(bytes, 1) + kGranule - 1) / kGranule * kGranule;
  }

  /// `what` names the memory in errors. Contents are undefined (0xA5 in every byte with poison()). Fails with
  /// Fault::out_of_memory, kIo, beyond the limit or where the card has no more, and leaves nothing taken.
  Result<DeviceMemory> allocate(std::uint64_t bytes, const char* what);
  /// Contents are undefined; not counted, and no limit holds. kIo where the host has none left, and fault()
  /// stays as it was.
  Result<PinnedMemory> allocate_pinned(std::uint64_t bytes, const char* what);
  /// Waits for stream() and gives the pool's free memory back to the driver, so that what comes next may cut
  /// it differently.
  Result<void> trim();
  /// What the driver says of the pool, in bytes. In use: by what was allocated and not yet freed. Reserved:
  /// taken of the device, in large steps. The two most since creation or reset_peak(). For checks: as in_use
  /// and peak are counted by the context itself.
  struct PoolMemory {
    std::uint64_t in_use = 0;
    std::uint64_t most_in_use = 0;
    std::uint64_t most_reserved = 0;
  };
  Result<PoolMemory> pool_memory();
  /// For tests: fills memory that is handed out, so that reading before writing shows.
  void poison(bool on) { poison_ = on; }

  /// Copies to device memory in the order of stream(). `from` must stay as it is until the stream has got
  /// there (synchronize()), pinned or not.
  Result<void> upload(void* to, const void* from, std::uint64_t bytes, const char* stage);
  /// Copies from device memory once the work launched before is done, and waits for it.
  Result<void> download(void* to, const void* from, std::uint64_t bytes, const char* stage);

  [[nodiscard]] CUstream_st* stream() const { return stream_; }
  [[nodiscard]] CUstream_st* copies() const { return copies_; }
  /// 0 <= i < kBeside. Who uses one orders it behind stream(), in whose order memory comes and goes, and
  /// stream() behind it, or waits for it. One sum (msm, msms) has its columns of buckets on 0; where sums
  /// over wide bases run side by side, all of the one in G2 is on 0, and the columns of those in G1 are on 1.
  static constexpr unsigned kBeside = 2;
  [[nodiscard]] CUstream_st* beside(unsigned i) const { return beside_[i]; }

  /// Turns the status of a CUDA call (a cudaError_t) into a Result: an error says device, stage and cause.
  Result<void> check(int status, const char* stage);
  /// The status of the launches since the last check, without waiting.
  Result<void> check_launch(const char* stage);
  /// Waits for stream().
  Result<void> synchronize(const char* stage);
  [[nodiscard]] Fault fault() const;

 private:
  friend class DeviceMemory;
  Context() = default;
  void free(void* data, std::uint64_t bytes) noexcept;

  int device_ = 0;
  unsigned shared_bytes_reserved_ = 0;  // of each block, by the driver
  std::string name_;
  unsigned multiprocessors_ = 0;
  unsigned shared_bytes_ = 0;  // of a multiprocessor
  std::uint64_t vram_limit_ = 0;
  bool poison_ = false;
  CUstream_st* stream_ = nullptr;
  CUstream_st* copies_ = nullptr;
  CUmemPoolHandle_st* pool_ = nullptr;

  mutable std::mutex mutex_;
  std::uint64_t in_use_ = 0;  // guarded by mutex_, as are those up to fault_message_ and watched_
  std::uint64_t peak_ = 0;
  Fault fault_ = Fault::none;
  std::string fault_message_;

  CUstream_st* beside_[kBeside] = {};
  std::uint64_t watched_ = 0;
};

}  // namespace cuzk::cuda
