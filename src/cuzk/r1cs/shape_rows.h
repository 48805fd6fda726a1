#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/r1cs/row_store.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// The terms of one linear combination of a shape's row, in canonical order. A view into the shape.
class TermView {
 public:
  struct Item {
    Variable variable;
    const Fr& coefficient;
  };
  class Iterator {
   public:
    Iterator(const TermView* view, std::size_t at) : view_(view), at_(at) {}
    Item operator*() const { return (*view_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const TermView* view_;
    std::size_t at_;
  };

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] Item operator[](std::size_t i) const {
    return {Variable::from_code(columns_[i]), coefficients_[coefficient_id(i)]};
  }
  /// Index into ShapeRows::coefficients().
  [[nodiscard]] std::uint32_t coefficient_id(std::size_t i) const {
    return low_[i] | (high_ == nullptr ? 0U : static_cast<std::uint32_t>(high_[i]) << 16);
  }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size_}; }

 private:
  friend class ShapeRows;
  const std::uint32_t* columns_ = nullptr;
  const std::uint16_t* low_ = nullptr;
  const std::uint16_t* high_ = nullptr;
  const Fr* coefficients_ = nullptr;
  std::size_t size_ = 0;
};

/// The rows of a shape, for those who read them: backends, parameter generation, digests. A view of two
/// words; the shape must outlive it. Thread-safe.
class ShapeRows {
 public:
  using Run = RowStore::Run;

  explicit ShapeRows(const Shape& shape) : shape_(shape), store_(*shape.rows_) {}

  /// The arrays behind it, for backends that copy them.
  [[nodiscard]] const RowStore& store() const { return store_; }
  /// The distinct coefficients; TermView::coefficient_id indexes them. Entries 0 and 1 are 1 and -1.
  [[nodiscard]] std::span<const Fr> coefficients() const { return store_.coefficients(); }
  /// Boolean aux variables in front of aux 64 * i, one entry more than words of Shape::aux_is_bit.
  [[nodiscard]] std::span<const std::uint32_t> bit_rank() const { return shape_.bit_rank_; }

  /// The boolean values of a witness that passes Shape::validate, spread to aux positions: words as
  /// Shape::aux_is_bit, zero where a variable is not boolean.
  [[nodiscard]] std::vector<std::uint64_t> aux_values(const Witness& witness) const;

  /// Calls visitor(std::size_t row, const TermView& a, const TermView& b, const TermView& c) for rows
  /// begin <= row < end, end <= num_rows(), in order; the rows of the inputs are among them. Cheapest when
  /// begin is a multiple of 64.
  template <class Visitor>
  void for_each(std::size_t begin, std::size_t end, Visitor&& visitor) const {
    CUZK_CHECK(end <= shape_.num_rows());
    const std::size_t constraints = store_.size();
    store_.for_each(begin, std::min(end, constraints),
                    [&](std::size_t row, Run a, Run b, Run c) { visitor(row, view(a), view(b), view(c)); });
    for (std::size_t row = std::max(begin, constraints); row < end; ++row) {
      const std::uint32_t column = Variable::input(static_cast<std::uint32_t>(row - constraints)).code();
      const std::uint16_t id = CoefficientTable::kOne;
      TermView a;
      a.columns_ = &column;
      a.low_ = &id;
      a.coefficients_ = coefficients().data();
      a.size_ = 1;
      visitor(row, std::as_const(a), TermView(), TermView());
    }
  }

  /// a[i] and b[i] become the values of row i's A and B for all num_rows() rows, and zero for any entries
  /// behind, so spans of the domain's size come out padded. a and b must have equal sizes >= num_rows() and
  /// the witness must pass validate(); both are checked. Satisfaction is not: see
  /// Shape::first_unsatisfied.
  void evaluate_ab(ThreadPool& pool, const Witness& witness, std::span<Fr> a, std::span<Fr> b) const;

 private:
  [[nodiscard]] TermView view(Run run) const {
    TermView v;
    v.columns_ = store_.columns() + run.begin;
    v.low_ = store_.low_ids() + run.begin;
    v.high_ = store_.high_ids() == nullptr ? nullptr : store_.high_ids() + run.begin;
    v.coefficients_ = coefficients().data();
    v.size_ = run.size;
    return v;
  }
  friend class Shape;
  struct Evaluator;
  [[nodiscard]] Evaluator evaluator(const Witness& witness, std::span<const std::uint64_t> aux_values) const;

  const Shape& shape_;
  const RowStore& store_;
};

}  // namespace cuzk
