#include "cuzk/groth16/scratch_array.h"

#include <sys/mman.h>

#include <new>

namespace cuzk::groth16 {
namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21;

}  // namespace

ScratchMemory::ScratchMemory(std::size_t bytes) {
  if (bytes == 0) return;
  // Whole huge pages once it is worth one. The kernel aligns large mappings itself since 5.18; before, one
  // page at each end stays small.
  bytes_ = bytes >= kHugePage ? (bytes + kHugePage - 1) / kHugePage * kHugePage : bytes;
  void* const data = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = data;
  if (bytes_ >= kHugePage) (void)::madvise(data_, bytes_, MADV_HUGEPAGE);  // advice: small pages work too
}

ScratchMemory::~ScratchMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace cuzk::groth16
