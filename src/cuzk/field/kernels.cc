#include "cuzk/field/kernels.h"

#include <new>

#include "cuzk/base/result.h"
#include "cuzk/field/internal/kernel_tables.h"
#include "cuzk/field/inverse.h"

namespace cuzk {
namespace internal {

Fr multiply(const Fr& a, const Fr& b) {
  return a * b;
}
Fp multiply(const Fp& a, const Fp& b) {
  return a * b;
}
Fr invert(const Fr& a) {
  return a.inverse();
}
Fp invert(const Fp& a) {
  return a.inverse();
}
void check_lengths(bool equal) {
  CUZK_CHECK(equal);
}

ScratchWords::ScratchWords(std::size_t count)
    : words_(
          static_cast<std::uint64_t*>(::operator new (count * sizeof(std::uint64_t), std::align_val_t{64}))) {
}
ScratchWords::~ScratchWords() {
  ::operator delete (words_, std::align_val_t{64});
}

}  // namespace internal

namespace {

/// The table of `isa` among those of all instruction sets.
template <class Table>
const Table& choose(Isa isa, const Table& portable, const Table& adx, const Table& ifma) {
  CUZK_CHECK(isa_supported(isa));
  if (isa == Isa::ifma) return ifma;
  return isa == Isa::adx ? adx : portable;
}

}  // namespace

#if defined(CUZK_HAVE_X86_KERNELS)
const FrKernels& fr_kernels(Isa isa) {
  return choose(isa, internal::kFrPortable, internal::kFrAdx, internal::kFrIfma);
}
const FpKernels& fp_kernels(Isa isa) {
  return choose(isa, internal::kFpPortable, internal::kFpAdx, internal::kFpIfma);
}
const NttKernels& ntt_kernels(Isa isa) {
  return choose(isa, internal::kNttPortable, internal::kNttAdx, internal::kNttIfma);
}
#else
const FrKernels& fr_kernels(Isa isa) {
  return choose(isa, internal::kFrPortable, internal::kFrPortable, internal::kFrPortable);
}
const FpKernels& fp_kernels(Isa isa) {
  return choose(isa, internal::kFpPortable, internal::kFpPortable, internal::kFpPortable);
}
const NttKernels& ntt_kernels(Isa isa) {
  return choose(isa, internal::kNttPortable, internal::kNttPortable, internal::kNttPortable);
}
#endif

}  // namespace cuzk
