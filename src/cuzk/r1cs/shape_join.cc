#include "cuzk/r1cs/shape_join.h"

#include <map>
#include <utility>

#include "cuzk/r1cs/row_store.h"

namespace cuzk {
namespace {

/// Appends the first `size` bits of `words`, 64 at a time.
void append_bits(std::vector<std::uint64_t>& out, std::size_t& filled, std::span<const std::uint64_t> words,
                 std::size_t size) {
  out.resize((filled + size + 63) / 64, 0);
  const unsigned shift = filled % 64;
  std::size_t at = filled / 64;
  for (std::size_t i = 0; i < (size + 63) / 64; ++i, ++at) {
    out[at] |= words[i] << shift;
    if (shift != 0 && at + 1 < out.size()) out[at + 1] |= words[i] >> (64 - shift);
  }
  filled += size;
}

}  // namespace

/// What is known of a piece, however often it comes: where its rows begin, and what its coefficients are
/// called in the result.
class ShapeJoiner {
 public:
  ShapeJoiner(ThreadPool& pool, std::span<const Shape* const> pieces) : pool_(pool), pieces_(pieces) {}

  Shape join() {
    Shape out;
    count(out);
    copy_rows(*out.rows_);
    join_variables(out);
    return out;
  }

 private:
  struct Piece {
    std::vector<std::uint64_t> term;    // of every row
    std::vector<std::uint64_t> length;  // place of every row's first length
    std::vector<std::uint32_t> id;      // of its coefficients, in the result
  };
  struct Place {
    const Piece* piece;
    const RowStore* rows;
    std::size_t row, term, length, aux;
  };

  void count(Shape& out) {
    std::size_t row = 0, term = 0, length = 0, aux = 0;
    for (const Shape* shape : pieces_) {
      const RowStore& rows = *shape->rows_;
      out.num_inputs_ = std::max(out.num_inputs_, shape->num_inputs_);
      places_.push_back({&piece_of(shape, *out.rows_), &rows, row, term, length, aux});
      row += rows.size();
      term += rows.terms();
      length += rows.lengths_.size();
      aux += shape->num_aux();
      CUZK_CHECK(aux <= Variable::kAuxFlag);
    }
    RowStore& rows = *out.rows_;
    rows.rows_ = row;
    const bool wide = rows.table_.values().size() > std::size_t{0x10000};
    // Each of these touches its memory for the first time, which is most of the cost of a large one.
    pool_.parallel_for(5, 1, [&](std::size_t which, std::size_t) {
      if (which == 0) rows.columns_.resize(term);
      if (which == 1) rows.id_low_.resize(term);
      if (which == 2 && wide) rows.id_high_.resize(term);
      if (which == 3) rows.lengths_.resize(length);
      if (which == 4) rows.groups_.resize((row + RowStore::kGroup - 1) / RowStore::kGroup);
    });
    rows.freeze();
  }

  const Piece& piece_of(const Shape* shape, RowStore& out) {
    const auto [found, added] = known_.try_emplace(shape);
    Piece& piece = found->second;
    if (!added) return piece;
    const RowStore& rows = *shape->rows_;
    piece.term.reserve(rows.size());
    piece.length.reserve(rows.size());
    const std::uint8_t* const begin = rows.lengths_.data();
    const std::uint8_t* at = begin;
    std::uint64_t term = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      piece.term.push_back(term);
      piece.length.push_back(static_cast<std::uint64_t>(at - begin));
      for (int side = 0; side < 3; ++side) term += RowStore::read_length(at);
    }
    for (const Fr& coefficient : rows.coefficients()) piece.id.push_back(out.table_.id_of(coefficient));
    return piece;
  }

  void copy_rows(RowStore& out) {
    pool_.parallel_for(places_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) copy_piece(places_[i], out);
    });
  }

  static void copy_piece(const Place& place, RowStore& out) {
    const RowStore& rows = *place.rows;
    const auto aux = static_cast<std::uint32_t>(place.aux);
    for (std::size_t k = 0; k < rows.terms(); ++k) {
      const std::uint32_t column = rows.columns_[k];
      out.columns_[place.term + k] = Variable::from_code(column).is_aux() ? column + aux : column;
      const std::uint32_t id = place.piece->id[rows.id(k)];
      out.id_low_[place.term + k] = static_cast<std::uint16_t>(id & 0xffffU);
      if (!out.id_high_.empty()) out.id_high_[place.term + k] = static_cast<std::uint16_t>(id >> 16);
    }
    std::copy(rows.lengths_.begin(), rows.lengths_.end(),
              out.lengths_.begin() + static_cast<std::ptrdiff_t>(place.length));
    const std::size_t first = (place.row + RowStore::kGroup - 1) / RowStore::kGroup;
    for (std::size_t group = first; group * RowStore::kGroup < place.row + rows.size(); ++group) {
      const std::size_t row = group * RowStore::kGroup - place.row;
      out.groups_[group] = {place.term + place.piece->term[row], place.length + place.piece->length[row]};
    }
  }

  void join_variables(Shape& out) const {
    std::vector<std::uint64_t> is_bit, a, b;
    std::size_t filled_is_bit = 0, filled_a = 0, filled_b = 0;
    std::vector<std::uint64_t> b_input((out.num_inputs_ + 63) / 64);
    for (const Shape* shape : pieces_) {
      append_bits(is_bit, filled_is_bit, shape->aux_is_bit(), shape->num_aux());
      append_bits(a, filled_a, shape->a_aux_density(), shape->num_aux());
      append_bits(b, filled_b, shape->b_aux_density(), shape->num_aux());
      for (std::size_t i = 0; i < shape->b_input_density().size(); ++i)
        b_input[i] |= shape->b_input_density()[i];
    }
    out.aux_is_bit_ = Bitmap(std::move(is_bit), filled_is_bit);
    out.a_aux_ = Bitmap(std::move(a), filled_a);
    out.b_aux_ = Bitmap(std::move(b), filled_b);
    out.b_input_ = Bitmap(std::move(b_input), out.num_inputs_);
    out.rank_bits();
  }

  ThreadPool& pool_;
  std::span<const Shape* const> pieces_;
  std::map<const Shape*, Piece> known_;
  std::vector<Place> places_;
};

Shape join_shapes(ThreadPool& pool, std::span<const Shape* const> pieces) {
  CUZK_CHECK(!pieces.empty());
  return ShapeJoiner(pool, pieces).join();
}

}  // namespace cuzk
