#include "cuzk/cpu/scratch_array.h"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace cuzk {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;
/// More small pages than the first-level translation cache holds: worth a huge one, which costs its zeroing.
constexpr std::size_t kWorthHuge = std::size_t{1} << 17;

void* map(std::size_t bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  return data;
}

}  // namespace

ScratchMemory::ScratchMemory(std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes < kWorthHuge) {
    data_ = map(bytes);
    bytes_ = bytes;
    return;
  }
  if (bytes > SIZE_MAX - 2 * kHugePage) throw std::bad_alloc();
  bytes_ = (bytes + kHugePage - 1) / kHugePage * kHugePage;
  // The system aligns mappings to small pages (large ones to huge pages since Linux 6.7): one huge page more,
  // and what lies outside the aligned part goes back.
  auto* const begin = static_cast<std::uint8_t*>(map(bytes_ + kHugePage));
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(begin) % kHugePage) % kHugePage;
  if (before != 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes_, kHugePage - before);
  data_ = begin + before;
  (void)::madvise(data_, bytes_, MADV_HUGEPAGE);  // advice: small pages work too
}

ScratchMemory::~ScratchMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace cuzk
