#pragma once

#include <cstddef>

#include "cuzk/field/fr.h"

namespace cuzk::ntt {

/// The evaluation domain of n = 2^log_size points omega^0 .. omega^(n-1), log_size <= 32, omega as in
/// fr_root_of_unity (groth16-and-formats 1.6). A small value; copying is cheap.
class Domain {
 public:
  explicit Domain(unsigned log_size);

  [[nodiscard]] unsigned log_size() const { return log_size_; }
  [[nodiscard]] std::size_t size() const { return std::size_t{1} << log_size_; }
  [[nodiscard]] const Fr& omega() const { return omega_; }
  [[nodiscard]] const Fr& omega_inverse() const { return omega_inverse_; }
  [[nodiscard]] const Fr& size_inverse() const { return size_inverse_; }
  /// tau^n - 1: the domain's vanishing polynomial.
  [[nodiscard]] Fr vanishing(const Fr& tau) const;

 private:
  unsigned log_size_;
  Fr omega_;
  Fr omega_inverse_;
  Fr size_inverse_;
};

/// i with its low `bits` bits reversed, i < 2^bits.
std::size_t reverse_bits(std::size_t i, unsigned bits);

}  // namespace cuzk::ntt
