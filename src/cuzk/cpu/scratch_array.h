#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace cuzk {

/// Memory straight from the operating system, in huge pages where it grants them: transforms touch places far
/// apart, which small pages make slow, and freeing gives the memory back at once. Move-only.
class ScratchMemory {
 public:
  ScratchMemory() = default;
  /// At least `bytes` zero bytes, page-aligned; whole huge pages, aligned to them, from 128 KiB on. Throws
  /// std::bad_alloc as operator new does.
  explicit ScratchMemory(std::size_t bytes);
  ScratchMemory(ScratchMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  ScratchMemory& operator=(ScratchMemory&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ScratchMemory();
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// `size` elements in such memory, all bytes zero (for field elements zero, for points infinity).
template <class T>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ScratchArray() = default;
  explicit ScratchArray(std::size_t size) : memory_(size * sizeof(T)), size_(size) {}
  ScratchArray(ScratchArray&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  ScratchArray& operator=(ScratchArray&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  [[nodiscard]] std::span<T> span() const { return {static_cast<T*>(memory_.data()), size_}; }
  /// Gives the memory back.
  void reset() { *this = ScratchArray(); }

 private:
  ScratchMemory memory_;
  std::size_t size_ = 0;
};

}  // namespace cuzk
