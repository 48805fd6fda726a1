#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/cuda/internal/row_values.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/shape_rows.h"

namespace cuzk::cuda {

// Host code without errors of its own: shapes are valid. Bytes are counted, not taken: what is written to,
// and what views point to, belongs to the caller. Objects are one thread's at a time; functions and const
// members for any thread.

/// How long the arrays of RowArrays are for a shape, and for every piece of it.
struct RowCounts {
  /// Some groups of rows, one after the other.
  struct Piece {
    std::uint64_t short_terms = 0;
    std::uint64_t long_terms = 0;
    std::uint64_t long_runs = 0;
    std::uint64_t constraints = 0;
    bool operator==(const Piece&) const = default;
  };
  std::uint64_t short_terms = 0;
  std::uint64_t long_terms = 0;
  std::uint64_t long_runs = 0;
  std::uint64_t groups = 0;
  std::uint64_t constraints = 0;
  std::uint64_t rows = 0;
  std::uint64_t coefficients = 0;
  bool wide_ids = false;
  std::vector<Piece> pieces;  ///< of row_piece_groups(groups) groups each
  bool operator==(const RowCounts&) const = default;
};
/// Walks all rows once, with `pool` on its threads.
[[nodiscard]] RowCounts count_rows(const Shape& shape);
[[nodiscard]] RowCounts count_rows(const Shape& shape, ThreadPool& pool);
/// Groups of a piece of a shape with that many: about 64 pieces, but none of more than 2^12 groups (a quarter
/// of a million rows, some six megabytes).
[[nodiscard]] std::uint64_t row_piece_groups(std::uint64_t groups);

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

/// A piece of rows as one block of bytes, in which everything counts from the piece's own beginning:
/// evaluated with a and b moved to its first row, it needs nothing of the others.
struct RowPieceLayout {
  RowPieceLayout(const RowCounts::Piece& counts, bool wide_ids);

  /// Writes what RowWriter gave, behind `short_terms` and `long_terms` terms and `row` rows of earlier
  /// pieces.
  void write(const RowPiece& piece, std::uint64_t short_terms, std::uint64_t long_terms, std::uint64_t row,
             unsigned char* out) const;
  /// The arrays of a block that lies at `data`; no rows of inputs among them.
  [[nodiscard]] RowArrays arrays(const unsigned char* data, const Fr32* coefficients) const;

  RowCounts::Piece counts;
  bool wide_ids;
  // Where the arrays begin.
  std::uint64_t group_terms, long_runs, places, long_places, ends, low, high, long_low, long_high;
  std::uint64_t bytes;  ///< a multiple of 512
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

/// The pieces that `counts` lists, in order: visit(layout, row, write) for each, `row` its first; write(out)
/// puts it to layout.bytes bytes. `visit` returns a Result<void>; ends with its first error.
template <class Visit>
Result<void> for_each_piece(const Shape& shape, const RowCounts& counts, Visit&& visit) {
  const std::uint64_t groups = row_piece_groups(counts.groups);
  RowWriter writer(shape);
  RowPiece piece;
  std::uint64_t short_terms = 0;
  std::uint64_t long_terms = 0;
  std::uint64_t row = 0;
  for (const RowCounts::Piece& of_piece : counts.pieces) {
    CUZK_CHECK(writer.next(groups, piece));
    const RowPieceLayout layout(of_piece, counts.wide_ids);
    const auto write = [&](unsigned char* out) { layout.write(piece, short_terms, long_terms, row, out); };
    CUZK_TRY(visit(layout, row, write));
    short_terms += of_piece.short_terms;
    long_terms += of_piece.long_terms;
    row += of_piece.constraints;
  }
  CUZK_CHECK(row == counts.constraints && !writer.next(groups, piece));
  return {};
}

}  // namespace cuzk::cuda
