#include "cuzk/field/fr.h"

#include "cuzk/base/random.h"

namespace cuzk {

Fr fr_root_of_unity(unsigned log_size) {
  CUZK_CHECK(log_size <= kFrTwoAdicity);
  // (r - 1) / 2^32: r - 1 ends in exactly 32 zero bits.
  constexpr BigInt<4> kOddPart{
      {0xfffe5bfeffffffff, 0x09a1d80553bda402, 0x299d7d483339d808, 0x0000000073eda753}};
  Fr root = fr_generator().pow(kOddPart);
  for (unsigned i = log_size; i < kFrTwoAdicity; ++i) root = root.square();
  return root;
}

Result<Fr> random_fr() {
  while (true) {
    Bytes32 bytes;
    CUZK_TRY(os_random(bytes));
    bytes[31] &= 0x7f;
    if (auto v = Fr::from_bytes_le(bytes)) return *v;
  }
}

}  // namespace cuzk
