#pragma once

#include <span>
#include <vector>

#include "cuzk/field/fr.h"
#include "cuzk/r1cs/variable.h"

namespace cuzk {

struct Term {
  Variable variable;
  Fr coefficient;
};

/// A sum of variables with coefficients. Adding is cheap and keeps no order; canonicalize() brings the terms
/// into the one canonical form: ascending variables, duplicates merged, zero coefficients dropped
/// (constraint-system-and-gadgets 1.2 and 1.4). The buffer is kept over clear(), so one object serves many
/// constraints without allocating.
class LinearCombination {
 public:
  void clear() { count_ = 0; }

  LinearCombination& add(Variable v) { return add(v, Fr::one()); }
  LinearCombination& add(Variable v, const Fr& coefficient) {
    if (count_ == buffer_.size()) grow();
    buffer_[count_++] = {v, coefficient};
    return *this;
  }
  LinearCombination& sub(Variable v) {
    constexpr Fr kMinusOne = -Fr::one();
    return add(v, kMinusOne);
  }
  LinearCombination& sub(Variable v, const Fr& coefficient) { return add(v, -coefficient); }
  /// `other` may be this object.
  LinearCombination& add(const LinearCombination& other) { return add(Fr::one(), other); }
  LinearCombination& add(const Fr& factor, const LinearCombination& other);

  void canonicalize() {
    for (std::size_t i = 0; i < count_; ++i)
      if ((i != 0 && !(buffer_[i - 1].variable < buffer_[i].variable)) || buffer_[i].coefficient.is_zero())
        return sort_and_merge();
  }

  /// As added, or canonical after canonicalize().
  [[nodiscard]] std::span<const Term> terms() const { return std::span(buffer_).first(count_); }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  void grow();
  void sort_and_merge();

  std::vector<Term> buffer_;  // the first count_ entries are the terms
  std::size_t count_ = 0;
};

}  // namespace cuzk
