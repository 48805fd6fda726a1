#include "cuzk/ntt/domain.h"

#include "cuzk/base/result.h"

namespace cuzk::ntt {

Domain::Domain(unsigned log_size) : log_size_(log_size) {
  CUZK_CHECK(log_size <= kFrTwoAdicity);
  omega_ = fr_root_of_unity(log_size);
  omega_inverse_ = omega_.inverse();
  size_inverse_ = Fr::from_u64(std::uint64_t{1} << log_size).inverse();
}

Fr Domain::vanishing(const Fr& tau) const {
  Fr power = tau;
  for (unsigned i = 0; i < log_size_; ++i) power = power.square();
  return power - Fr::one();
}

std::size_t reverse_bits(std::size_t i, unsigned bits) {
  std::size_t r = 0;
  for (unsigned b = 0; b < bits; ++b) r |= (i >> b & 1) << (bits - 1 - b);
  return r;
}

}  // namespace cuzk::ntt
