#include "cuzk/cuda/internal/row_layout.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cuzk::cuda {

namespace {

/// for_pieces(count, body) calls body(begin, end) for ranges that cover the pieces.
template <class ForPieces>
RowCounts counted(const Shape& shape, const ForPieces& for_pieces) {
  const ShapeRows rows(shape);
  RowCounts counts;
  counts.constraints = shape.num_constraints();
  counts.rows = shape.num_rows();
  counts.groups = (counts.constraints + kRowGroup - 1) / kRowGroup;
  counts.coefficients = rows.coefficients().size();
  counts.wide_ids = rows.store().high_ids() != nullptr;
  const std::uint64_t piece_rows = row_piece_groups(counts.groups) * kRowGroup;
  counts.pieces.resize((counts.constraints + piece_rows - 1) / piece_rows);
  const auto count_piece = [&](std::size_t i) {
    RowCounts::Piece piece;
    const auto add = [&](const ShapeRows::Run& run) {
      if (run.size <= kShortTerms) {
        piece.short_terms += run.size;
      } else {
        piece.long_terms += run.size;
        ++piece.long_runs;
      }
    };
    const std::uint64_t begin = i * piece_rows;
    const std::uint64_t end = std::min(begin + piece_rows, counts.constraints);
    rows.store().for_each(begin, end, [&](std::size_t, ShapeRows::Run a, ShapeRows::Run b, ShapeRows::Run) {
      add(a);
      add(b);
    });
    piece.constraints = end - begin;
    counts.pieces[i] = piece;
  };
  for_pieces(counts.pieces.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) count_piece(i);
  });
  for (const RowCounts::Piece& piece : counts.pieces) {
    counts.short_terms += piece.short_terms;
    counts.long_terms += piece.long_terms;
    counts.long_runs += piece.long_runs;
  }
  return counts;
}

}  // namespace

RowCounts count_rows(const Shape& shape) {
  return counted(shape, [](std::size_t count, const auto& body) { body(0, count); });
}
RowCounts count_rows(const Shape& shape, ThreadPool& pool) {
  return counted(shape, [&pool](std::size_t count, const auto& body) { pool.parallel_for(count, 1, body); });
}

std::uint64_t row_piece_groups(std::uint64_t groups) {
  constexpr std::uint64_t kMost = 1 << 12;
  return std::min(std::bit_ceil(groups / 64 + 1), kMost);
}

RowPieceLayout::RowPieceLayout(const RowCounts::Piece& piece, bool with_high)
    : counts(piece), wide_ids(with_high) {
  std::uint64_t at = 0;
  const auto take = [&](std::uint64_t& offset, std::uint64_t size) {
    offset = at;
    at = (at + size + 15) / 16 * 16;
  };
  take(group_terms, 8 * ((counts.constraints + kRowGroup - 1) / kRowGroup));
  take(long_runs, sizeof(LongRun) * counts.long_runs);
  take(places, 4 * counts.short_terms);
  take(long_places, 4 * counts.long_terms);
  take(ends, 4 * counts.constraints);
  take(low, 2 * counts.short_terms);
  take(high, wide_ids ? 2 * counts.short_terms : 0);
  take(long_low, 2 * counts.long_terms);
  take(long_high, wide_ids ? 2 * counts.long_terms : 0);
  bytes = (at + 511) / 512 * 512;
}

void RowPieceLayout::write(const RowPiece& piece, std::uint64_t short_terms, std::uint64_t long_terms,
                           std::uint64_t row, unsigned char* out) const {
  const auto put = [&](std::uint64_t offset, const auto& values) {
    if (!values.empty()) std::memcpy(out + offset, values.data(), values.size() * sizeof(values[0]));
  };
  CUZK_CHECK(piece.ends.size() == 2 * counts.constraints && piece.terms.places.size() == counts.short_terms &&
             piece.long_terms.places.size() == counts.long_terms &&
             piece.long_runs.size() == counts.long_runs);
  std::vector<std::uint64_t> groups = piece.group_terms;
  for (std::uint64_t& first : groups) first -= short_terms;
  std::vector<LongRun> runs = piece.long_runs;
  for (LongRun& run : runs) {
    run.begin -= long_terms;
    run.place -= static_cast<std::uint32_t>(2 * row);
  }
  put(group_terms, groups);
  put(long_runs, runs);
  put(places, piece.terms.places);
  put(long_places, piece.long_terms.places);
  put(ends, piece.ends);
  put(low, piece.terms.low);
  put(high, piece.terms.high);
  put(long_low, piece.long_terms.low);
  put(long_high, piece.long_terms.high);
}

RowArrays RowPieceLayout::arrays(const unsigned char* data, const Fr32* coefficients) const {
  const auto* const low_ids = reinterpret_cast<const std::uint16_t*>(data + low);
  const auto* const long_low_ids = reinterpret_cast<const std::uint16_t*>(data + long_low);
  const auto* const high_ids = wide_ids ? reinterpret_cast<const std::uint16_t*>(data + high) : nullptr;
  const auto* const long_high_ids =
      wide_ids ? reinterpret_cast<const std::uint16_t*>(data + long_high) : nullptr;
  return {{reinterpret_cast<const std::uint32_t*>(data + places), low_ids, high_ids},
          reinterpret_cast<const std::uint64_t*>(data + group_terms),
          reinterpret_cast<const std::uint16_t*>(data + ends),
          reinterpret_cast<const LongRun*>(data + long_runs),
          {reinterpret_cast<const std::uint32_t*>(data + long_places), long_low_ids, long_high_ids},
          coefficients,
          counts.constraints,
          counts.constraints};
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
