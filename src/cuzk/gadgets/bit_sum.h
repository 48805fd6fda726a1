#pragma once

#include <algorithm>
#include <vector>

#include "cuzk/gadgets/boolean.h"

namespace cuzk {

/// A sum of Booleans times powers of two, the form that all batched additions have. Terms are eight bytes
/// each until they are written, and written in canonical order.
class BitSum {
 public:
  void clear() {
    terms_.clear();
    constant_ = Fr::zero();
  }
  /// Adds 2^shift times b; shift < 256.
  void add(const Boolean& b, std::size_t shift) {
    if (b.is_constant()) {
      if (b.is_true()) constant_ += power_of_two(shift);
      return;
    }
    if (b.is_negated()) constant_ += power_of_two(shift);
    terms_.push_back(std::uint64_t{b.bit().variable.code()} << 32 | shift << 1 | (b.is_negated() ? 1U : 0U));
  }
  void write(LinearCombination& lc) {
    if (!std::is_sorted(terms_.begin(), terms_.end())) std::sort(terms_.begin(), terms_.end());
    if (!constant_.is_zero()) lc.add(Variable::one(), constant_);
    for (std::size_t i = 0; i < terms_.size();) {
      const auto code = static_cast<std::uint32_t>(terms_[i] >> 32);
      Fr k = coefficient(terms_[i]);
      for (++i; i < terms_.size() && static_cast<std::uint32_t>(terms_[i] >> 32) == code; ++i)
        k += coefficient(terms_[i]);
      lc.add(Variable::from_code(code), k);
    }
  }

 private:
  static Fr coefficient(std::uint64_t term) {
    const Fr& power = power_of_two(term >> 1 & 0xff);
    return (term & 1) != 0 ? -power : power;
  }

  std::vector<std::uint64_t> terms_;  // variable code, then shift, then sign
  Fr constant_ = Fr::zero();
};

}  // namespace cuzk
