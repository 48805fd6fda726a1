#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/r1cs/bitmap.h"
#include "cuzk/r1cs/internal/row_store.h"
#include "cuzk/r1cs/witness.h"

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
  /// Index into Shape::coefficients().
  [[nodiscard]] std::uint32_t coefficient_id(std::size_t i) const {
    return low_[i] | (high_ == nullptr ? 0U : static_cast<std::uint32_t>(high_[i]) << 16);
  }
  [[nodiscard]] Iterator begin() const { return {this, 0}; }
  [[nodiscard]] Iterator end() const { return {this, size_}; }

 private:
  friend class Shape;
  const std::uint32_t* columns_ = nullptr;
  const std::uint16_t* low_ = nullptr;
  const std::uint16_t* high_ = nullptr;
  const Fr* coefficients_ = nullptr;
  std::size_t size_ = 0;
};

/// The constraints of a circuit, independent of any witness. Immutable after ShapeRecorder::finish, so all
/// const members may be called from many threads.
///
/// Rows: the circuit's constraints A * B = C are rows [0, num_constraints()). Prover and generator both
/// append one row in[i] * 0 = 0 per input, ONE included (constraint-system-and-gadgets 1.6); those are rows
/// [num_constraints(), num_rows()). They are not stored but evaluate_ab and for_each_row present them.
/// They are not part of densities, term counts or digests.
///
/// How rows are held inside is private to this class: use evaluate_ab or for_each_row.
class Shape {
 public:
  // ---- counts
  [[nodiscard]] std::size_t num_inputs() const { return num_inputs_; }  ///< ONE included
  [[nodiscard]] std::size_t num_aux() const { return aux_is_bit_.size(); }
  [[nodiscard]] std::size_t num_bits() const { return num_bits_; }  ///< boolean aux variables
  [[nodiscard]] std::size_t num_wide() const { return num_aux() - num_bits_; }
  [[nodiscard]] std::size_t num_constraints() const { return rows_.size(); }  ///< without the input rows
  [[nodiscard]] std::size_t num_rows() const { return num_constraints() + num_inputs(); }
  /// The evaluation domain has 2^domain_log_size() points, the smallest power of two >= num_rows().
  [[nodiscard]] unsigned domain_log_size() const;
  /// Non-zero coefficients in all A, B and C.
  [[nodiscard]] std::size_t num_terms() const { return rows_.terms(); }
  [[nodiscard]] std::size_t memory_bytes() const;

  // ---- variables
  /// Bit j set: aux variable j is boolean by construction of the circuit. Words as in Bitmap.
  [[nodiscard]] std::span<const std::uint64_t> aux_is_bit() const { return aux_is_bit_.words(); }
  [[nodiscard]] bool is_bit(std::size_t aux) const { return aux_is_bit_[aux]; }
  /// Boolean aux variables with an index below `aux` (<= num_aux()): the place of a boolean in Witness::bits;
  /// aux - bits_before(aux) is the place of another one in Witness::wide.
  [[nodiscard]] std::size_t bits_before(std::size_t aux) const {
    const std::size_t word = aux / 64;
    const std::uint64_t below = (std::uint64_t{1} << (aux % 64)) - 1;
    const std::size_t partial =
        below == 0 ? 0 : static_cast<std::size_t>(std::popcount(aux_is_bit_.words()[word] & below));
    return bit_rank_[word] + partial;
  }

  /// Densities: the variable occurs with a non-zero coefficient in some A (or B) of the circuit's own rows.
  /// Every input counts as occurring in A through the input rows and has no bitmap there.
  [[nodiscard]] std::span<const std::uint64_t> a_aux_density() const { return a_aux_.words(); }
  [[nodiscard]] std::span<const std::uint64_t> b_input_density() const { return b_input_.words(); }
  [[nodiscard]] std::span<const std::uint64_t> b_aux_density() const { return b_aux_.words(); }
  [[nodiscard]] std::size_t a_aux_count() const { return a_aux_.count(); }
  [[nodiscard]] std::size_t b_input_count() const { return b_input_.count(); }
  [[nodiscard]] std::size_t b_aux_count() const { return b_aux_.count(); }

  // ---- witness
  /// Whether the witness has the lengths this shape asks for, ONE first and no stray bits behind the last.
  [[nodiscard]] Result<void> validate(const Witness& witness) const;
  /// The value of one variable. The witness must pass validate().
  [[nodiscard]] Fr value(const Witness& witness, Variable v) const;

  /// a[i] and b[i] become the values of row i's A and B for all num_rows() rows, and zero for any entries
  /// behind, so spans of the domain's size come out padded. a and b must have equal sizes >= num_rows() and
  /// the witness must pass validate(); both are checked. Satisfaction is not: see first_unsatisfied.
  void evaluate_ab(ThreadPool& pool, const Witness& witness, std::span<Fr> a, std::span<Fr> b) const;

  /// The number of the first row with A * B != C, or num_constraints() when the witness satisfies all.
  [[nodiscard]] std::size_t first_unsatisfied(ThreadPool& pool, const Witness& witness) const;

  // ---- rows
  /// Calls visitor(std::size_t row, const TermView& a, const TermView& b, const TermView& c) for rows
  /// begin <= row < end, end <= num_rows(), in order. Cheapest when begin is a multiple of 64.
  template <class Visitor>
  void for_each_row(std::size_t begin, std::size_t end, Visitor&& visitor) const {
    CUZK_CHECK(end <= num_rows());
    rows_.for_each(
        begin, std::min(end, num_constraints()),
        [&](std::size_t row, RowRun a, RowRun b, RowRun c) { visitor(row, view(a), view(b), view(c)); });
    for (std::size_t row = std::max(begin, num_constraints()); row < end; ++row) {
      const std::uint32_t column =
          Variable::input(static_cast<std::uint32_t>(row - num_constraints())).code();
      const std::uint16_t id = r1cs_internal::CoefficientTable::kOne;
      TermView a;
      a.columns_ = &column;
      a.low_ = &id;
      a.coefficients_ = rows_.coefficients().data();
      a.size_ = 1;
      visitor(row, std::as_const(a), TermView(), TermView());
    }
  }
  /// The distinct coefficients; TermView::coefficient_id indexes them. Entries 0 and 1 are 1 and -1.
  [[nodiscard]] std::span<const Fr> coefficients() const { return rows_.coefficients(); }

 private:
  friend class ShapeRecorder;
  using RowRun = r1cs_internal::RowStore::Run;

  [[nodiscard]] TermView view(RowRun run) const {
    TermView v;
    v.columns_ = rows_.columns() + run.begin;
    v.low_ = rows_.low_ids() + run.begin;
    v.high_ = rows_.high_ids() == nullptr ? nullptr : rows_.high_ids() + run.begin;
    v.coefficients_ = rows_.coefficients().data();
    v.size_ = run.size;
    return v;
  }
  /// The boolean values spread to aux positions.
  [[nodiscard]] std::vector<std::uint64_t> aux_values(const Witness& witness) const;

  r1cs_internal::RowStore rows_;
  std::size_t num_inputs_ = 0;
  std::size_t num_bits_ = 0;
  Bitmap aux_is_bit_;
  std::vector<std::uint32_t> bit_rank_;  // booleans before aux 64 * word; one entry more than words
  Bitmap a_aux_;
  Bitmap b_input_;
  Bitmap b_aux_;
};

}  // namespace cuzk
