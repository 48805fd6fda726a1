#include "cuzk/r1cs/linear_combination.h"

#include <algorithm>

namespace cuzk {

void LinearCombination::grow() {
  buffer_.resize(std::max<std::size_t>(16, 2 * buffer_.size()));
}

LinearCombination& LinearCombination::add(const Fr& factor, const LinearCombination& other) {
  const std::size_t count = other.count_;  // `other` may be this object
  for (std::size_t i = 0; i < count; ++i) {
    const Term term = other.buffer_[i];
    add(term.variable, factor * term.coefficient);
  }
  return *this;
}

void LinearCombination::sort_and_merge() {
  constexpr std::size_t kInsertionLimit = 16;
  const auto before = [](const Term& a, const Term& b) { return a.variable < b.variable; };
  if (count_ <= kInsertionLimit) {
    for (std::size_t i = 1; i < count_; ++i)
      for (std::size_t j = i; j > 0 && before(buffer_[j], buffer_[j - 1]); --j)
        std::swap(buffer_[j], buffer_[j - 1]);
  } else {
    std::sort(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(count_), before);
  }
  std::size_t out = 0;
  for (std::size_t i = 0; i < count_;) {
    Term merged = buffer_[i];
    for (++i; i < count_ && buffer_[i].variable == merged.variable; ++i)
      merged.coefficient += buffer_[i].coefficient;
    if (!merged.coefficient.is_zero()) buffer_[out++] = merged;
  }
  count_ = out;
}

}  // namespace cuzk
