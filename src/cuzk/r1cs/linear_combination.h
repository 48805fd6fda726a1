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
  void clear() { terms_.clear(); }

  LinearCombination& add(Variable v) { return add(v, Fr::one()); }
  LinearCombination& add(Variable v, const Fr& coefficient) {
    terms_.push_back({v, coefficient});
    return *this;
  }
  LinearCombination& sub(Variable v) { return add(v, -Fr::one()); }
  LinearCombination& sub(Variable v, const Fr& coefficient) { return add(v, -coefficient); }
  LinearCombination& add(const LinearCombination& other) {
    terms_.insert(terms_.end(), other.terms_.begin(), other.terms_.end());
    return *this;
  }
  LinearCombination& add(const Fr& factor, const LinearCombination& other);

  void canonicalize() {
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if ((i != 0 && !(terms_[i - 1].variable < terms_[i].variable)) || terms_[i].coefficient.is_zero())
        return sort_and_merge();
  }

  /// As added, or canonical after canonicalize().
  [[nodiscard]] std::span<const Term> terms() const { return terms_; }
  [[nodiscard]] bool empty() const { return terms_.empty(); }

 private:
  void sort_and_merge();

  std::vector<Term> terms_;
};

}  // namespace cuzk
