#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuzk/cuda/context.h"

namespace cuzk::cuda {

/// Page-locked buffers that are used again, since page-locking one takes about as long as filling it and
/// makes the driver wait for the device. Of each size nobody's buffers are at most as many as keep() said
/// last, none before; beyond that those are freed that came back first. Thread-safe.
class PinnedPool {
 public:
  /// A buffer on loan. Goes back when destroyed, which frees what is too much; may outlive the pool's owner,
  /// not the context.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&&) noexcept = default;
    Lease& operator=(Lease&& other) noexcept {
      give_back();
      pool_ = std::move(other.pool_);
      memory_ = std::move(other.memory_);
      return *this;
    }
    ~Lease() { give_back(); }
    [[nodiscard]] unsigned char* data() const { return memory_.as<unsigned char>(); }

   private:
    friend class PinnedPool;
    void give_back() noexcept;
    std::shared_ptr<PinnedPool> pool_;
    PinnedMemory memory_;
  };

  /// `bytes` exactly, as circuits of one kind ask for equal sizes: a larger buffer would keep more than is
  /// known of. kIo when there is no memory.
  static Result<Lease> take(const std::shared_ptr<PinnedPool>& pool, Context& context, std::uint64_t bytes);

  /// How many buffers of each size may stay though nobody has them; those of one size add up. Frees nothing
  /// yet.
  struct Kept {
    std::uint64_t bytes;  ///< of each
    std::uint64_t count;
  };
  void keep(std::vector<Kept> kept);
  /// Frees what is too much, which may wait for the device.
  void trim() noexcept;
  /// Of buffers that nobody has.
  [[nodiscard]] std::uint64_t idle_bytes() const;

 private:
  /// Takes out the first buffer that is too much; none where nothing is.
  [[nodiscard]] PinnedMemory excess() noexcept;

  mutable std::mutex mutex_;
  std::vector<PinnedMemory> free_;  // the last that came back last; has room for every buffer that there is
  std::size_t buffers_ = 0;         // guarded by mutex_, as is all of it
  std::uint64_t idle_ = 0;
  std::vector<Kept> kept_;
};

}  // namespace cuzk::cuda
