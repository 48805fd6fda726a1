#include "cuzk/r1cs/linear_combination.h"

#include <algorithm>

namespace cuzk {

LinearCombination& LinearCombination::add(const Fr& factor, const LinearCombination& other) {
  const std::size_t count = other.terms_.size();  // `other` may be this object
  terms_.reserve(terms_.size() + count);
  for (std::size_t i = 0; i < count; ++i)
    terms_.push_back({other.terms_[i].variable, factor * other.terms_[i].coefficient});
  return *this;
}

void LinearCombination::sort_and_merge() {
  constexpr std::size_t kInsertionLimit = 16;
  if (terms_.size() <= kInsertionLimit) {
    for (std::size_t i = 1; i < terms_.size(); ++i)
      for (std::size_t j = i; j > 0 && terms_[j].variable < terms_[j - 1].variable; --j)
        std::swap(terms_[j], terms_[j - 1]);
  } else {
    std::sort(terms_.begin(), terms_.end(),
              [](const Term& a, const Term& b) { return a.variable < b.variable; });
  }
  std::size_t out = 0;
  for (std::size_t i = 0; i < terms_.size();) {
    Term merged = terms_[i];
    for (++i; i < terms_.size() && terms_[i].variable == merged.variable; ++i)
      merged.coefficient += terms_[i].coefficient;
    if (!merged.coefficient.is_zero()) terms_[out++] = merged;
  }
  terms_.resize(out);
}

}  // namespace cuzk
