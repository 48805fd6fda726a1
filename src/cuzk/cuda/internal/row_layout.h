#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/cuda/internal/row_values.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/shape_rows.h"

namespace cuzk::cuda {

/// How long the arrays of RowArrays are for a shape.
struct RowCounts {
  std::uint64_t short_terms = 0;
  std::uint64_t long_terms = 0;
  std::uint64_t long_runs = 0;
  std::uint64_t groups = 0;
  std::uint64_t constraints = 0;
  std::uint64_t rows = 0;
  std::uint64_t coefficients = 0;
  bool wide_ids = false;
};
/// Walks all rows once.
[[nodiscard]] RowCounts count_rows(const Shape& shape);

/// What some groups of rows add to each array.
struct RowPiece {
  struct Terms {
    std::vector<std::uint32_t> places;
    std::vector<std::uint16_t> low;
    std::vector<std::uint16_t> high;  ///< empty without wide ids
  };
  Terms terms;
  std::vector<std::uint64_t> group_terms;
  std::vector<std::uint16_t> ends;
  std::vector<LongRun> long_runs;
  Terms long_terms;

  void clear();
};

/// Writes a shape's rows in the device's form, piece by piece, so that host memory holds one piece at a time.
/// C is left out: on the domain it is the product of A and B.
class RowWriter {
 public:
  /// The shape must outlive it.
  explicit RowWriter(const Shape& shape) : shape_(shape), rows_(shape) {}

  /// The next `groups` groups, or those that are left; false when none is.
  [[nodiscard]] bool next(std::uint64_t groups, RowPiece& piece);
  /// kBitPlace and the place of a variable.
  [[nodiscard]] std::uint32_t place_of(Variable v) const;

 private:
  void add_terms(RowPiece::Terms& terms, const ShapeRows::Run& run) const;
  void add_side(RowPiece& piece, const ShapeRows::Run& run, std::uint32_t place);

  const Shape& shape_;
  ShapeRows rows_;
  std::uint64_t row_ = 0;
  std::uint64_t short_terms_ = 0;  // written so far
  std::uint64_t long_terms_ = 0;
};

}  // namespace cuzk::cuda
