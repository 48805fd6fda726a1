#include <algorithm>

#include "cuzk/cuda/internal/row_layout.h"

namespace cuzk::cuda {

RowCounts count_rows(const Shape& shape) {
  const ShapeRows rows(shape);
  RowCounts counts;
  counts.constraints = shape.num_constraints();
  counts.rows = shape.num_rows();
  counts.groups = (counts.constraints + kRowGroup - 1) / kRowGroup;
  counts.coefficients = rows.coefficients().size();
  counts.wide_ids = rows.store().high_ids() != nullptr;
  const auto add = [&](const ShapeRows::Run& run) {
    if (run.size <= kShortTerms) {
      counts.short_terms += run.size;
    } else {
      counts.long_terms += run.size;
      ++counts.long_runs;
    }
  };
  rows.store().for_each(0, counts.constraints,
                        [&](std::size_t, ShapeRows::Run a, ShapeRows::Run b, ShapeRows::Run) {
                          add(a);
                          add(b);
                        });
  return counts;
}

void RowPiece::clear() {
  for (Terms* t : {&terms, &long_terms}) {
    t->places.clear();
    t->low.clear();
    t->high.clear();
  }
  group_terms.clear();
  ends.clear();
  long_runs.clear();
}

std::uint32_t RowWriter::place_of(Variable v) const {
  if (v.is_input()) return v.index();
  const auto bits = static_cast<std::uint32_t>(shape_.bits_before(v.index()));
  if (shape_.is_bit(v.index())) return kBitPlace | bits;
  return static_cast<std::uint32_t>(shape_.num_inputs()) + v.index() - bits;
}

void RowWriter::add_terms(RowPiece::Terms& terms, const ShapeRows::Run& run) const {
  const RowStore& store = rows_.store();
  for (std::size_t k = run.begin; k < run.begin + run.size; ++k) {
    terms.places.push_back(place_of(Variable::from_code(store.columns()[k])));
    terms.low.push_back(store.low_ids()[k]);
    if (store.high_ids() != nullptr) terms.high.push_back(store.high_ids()[k]);
  }
}

void RowWriter::add_side(RowPiece& piece, const ShapeRows::Run& run, std::uint32_t place) {
  if (run.size <= kShortTerms) {
    add_terms(piece.terms, run);
    short_terms_ += run.size;
  } else {
    piece.long_runs.push_back({long_terms_, static_cast<std::uint32_t>(run.size), place});
    add_terms(piece.long_terms, run);
    long_terms_ += run.size;
  }
  piece.ends.push_back(static_cast<std::uint16_t>(short_terms_ - piece.group_terms.back()));
}

bool RowWriter::next(std::uint64_t groups, RowPiece& piece) {
  piece.clear();
  const std::uint64_t constraints = shape_.num_constraints();
  if (row_ >= constraints) return false;
  const std::uint64_t end = std::min(row_ + groups * kRowGroup, constraints);
  rows_.store().for_each(row_, end, [&](std::size_t row, ShapeRows::Run a, ShapeRows::Run b, ShapeRows::Run) {
    if (row % kRowGroup == 0) piece.group_terms.push_back(short_terms_);
    add_side(piece, a, static_cast<std::uint32_t>(2 * row));
    add_side(piece, b, static_cast<std::uint32_t>(2 * row + 1));
  });
  row_ = end;
  return true;
}

}  // namespace cuzk::cuda
