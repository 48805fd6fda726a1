#include "cuzk/r1cs/shape_join.h"

#include <algorithm>
#include <map>

#include "cuzk/r1cs/row_store.h"

namespace cuzk {

class ShapeJoiner {
 public:
  ShapeJoiner(ThreadPool& pool, std::span<const Shape* const> pieces, const CircuitCounts& head,
              const std::stop_token& stop)
      : pool_(pool), pieces_(pieces), head_(head), stop_(stop) {}

  std::optional<Shape> join() {
    Shape out;
    place(out);
    resize(*out.rows_);
    out.rows_->freeze();
    pool_.parallel_for(places_.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end && !stop_.stop_requested(); ++i) copy_rows(places_[i], *out.rows_);
    });
    if (stop_.stop_requested()) return std::nullopt;
    join_variables(out);
    return out;
  }

 private:
  /// What is known of a piece, however often it comes: where the rows behind the head begin, and what its
  /// coefficients are called in the result.
  struct Piece {
    std::size_t term, length;
    std::vector<std::uint32_t> id;
  };
  /// A piece's own rows and variables in the result: [begin, end) of its rows go to `row`; what is added to
  /// its aux variables and inputs behind the head.
  struct Place {
    const Shape* shape;
    const Piece* piece;
    std::size_t begin, begin_term, begin_length;
    std::size_t row, term, length;
    std::uint32_t aux, input;
  };

  void place(Shape& out) {
    std::size_t aux = 0;
    for (const Shape* shape : pieces_) out.num_inputs_ = std::max(out.num_inputs_, inputs_of_head(*shape));
    for (const Shape* shape : pieces_) {
      const RowStore& rows = *shape->rows_;
      const Piece& piece = piece_of(shape, *out.rows_);
      const bool first = places_.empty();  // the one whose head is taken
      Place p{shape, &piece, 0, 0, 0, rows_, terms_, lengths_, 0, 0};
      if (!first) {
        p.begin = head_.constraints;
        p.begin_term = piece.term;
        p.begin_length = piece.length;
        p.aux = static_cast<std::uint32_t>(aux - head_.aux);
        p.input = static_cast<std::uint32_t>(out.num_inputs_ - inputs_of_head(*shape));
      }
      places_.push_back(p);
      rows_ += rows.size() - p.begin;
      terms_ += rows.terms() - p.begin_term;
      lengths_ += rows.lengths_.size() - p.begin_length;
      aux += shape->num_aux() - (first ? 0 : head_.aux);
      out.num_inputs_ += shape->num_inputs() - inputs_of_head(*shape);
      CUZK_CHECK(aux <= Variable::kAuxFlag);
    }
  }

  [[nodiscard]] std::size_t inputs_of_head(const Shape& shape) const {
    return std::min(shape.num_inputs(), head_.inputs);
  }

  const Piece& piece_of(const Shape* shape, RowStore& out) {
    const auto [found, added] = known_.try_emplace(shape);
    Piece& piece = found->second;
    if (!added) return piece;
    const RowStore& rows = *shape->rows_;
    CUZK_CHECK(head_.constraints <= rows.size() && head_.aux <= shape->num_aux());
    const Walk head = walk(rows, head_.constraints);
    piece.term = head.term;
    piece.length = static_cast<std::size_t>(head.at - rows.lengths_.data());
    for (const Fr& coefficient : rows.coefficients()) piece.id.push_back(out.table_.id_of(coefficient));
    return piece;
  }

  /// Where a row's terms and lengths begin.
  struct Walk {
    std::size_t term;
    const std::uint8_t* at;
    void next() {
      for (int side = 0; side < 3; ++side) term += RowStore::read_length(at);
    }
  };
  static Walk walk(const RowStore& rows, std::size_t row) {
    if (row == rows.size()) return {rows.terms(), rows.lengths_.data() + rows.lengths_.size()};
    const RowStore::Group& group = rows.groups_[row / RowStore::kGroup];
    Walk walk{group.term, rows.lengths_.data() + group.length};
    for (std::size_t i = row % RowStore::kGroup; i > 0; --i) walk.next();
    return walk;
  }

  void resize(RowStore& rows) const {
    rows.rows_ = rows_;
    const bool wide = rows.table_.values().size() > std::size_t{0x10000};
    // Each of these touches its memory for the first time, which is most of the cost of a large one.
    pool_.parallel_for(5, 1, [&](std::size_t which, std::size_t) {
      if (which == 0) rows.columns_.resize(terms_);
      if (which == 1) rows.id_low_.resize(terms_);
      if (which == 2 && wide) rows.id_high_.resize(terms_);
      if (which == 3) rows.lengths_.resize(lengths_);
      if (which == 4) rows.groups_.resize((rows_ + RowStore::kGroup - 1) / RowStore::kGroup);
    });
  }

  void copy_rows(const Place& place, RowStore& out) const {
    const RowStore& rows = *place.shape->rows_;
    const std::uint32_t first_aux = Variable::aux(static_cast<std::uint32_t>(head_.aux)).code();
    const std::size_t first_input = head_.inputs;
    const auto moved = [&](std::uint32_t column) {
      if (Variable::from_code(column).is_aux()) return column >= first_aux ? column + place.aux : column;
      return column >= first_input ? column + place.input : column;
    };
    const std::size_t terms = rows.terms() - place.begin_term;
    const std::uint32_t* const columns = rows.columns_.data() + place.begin_term;
    std::uint32_t* const to = out.columns_.data() + place.term;
    for (std::size_t k = 0; k < terms; ++k) to[k] = moved(columns[k]);
    const std::uint32_t* const ids = place.piece->id.data();
    for (std::size_t k = 0; k < terms; ++k) {
      const std::uint32_t id = ids[rows.id(place.begin_term + k)];
      out.id_low_[place.term + k] = static_cast<std::uint16_t>(id & 0xffffU);
      if (!out.id_high_.empty()) out.id_high_[place.term + k] = static_cast<std::uint16_t>(id >> 16);
    }
    std::copy(rows.lengths_.begin() + static_cast<std::ptrdiff_t>(place.begin_length), rows.lengths_.end(),
              out.lengths_.begin() + static_cast<std::ptrdiff_t>(place.length));
    Walk at{place.begin_term, rows.lengths_.data() + place.begin_length};
    const std::size_t end = place.row + rows.size() - place.begin;
    for (std::size_t row = place.row; row < end; ++row, at.next())
      if (row % RowStore::kGroup == 0)
        out.groups_[row / RowStore::kGroup] = {
            place.term + at.term - place.begin_term,
            place.length + static_cast<std::size_t>(at.at - rows.lengths_.data()) - place.begin_length};
  }

  void join_variables(Shape& out) const {
    for (const Place& place : places_) {
      const Shape& shape = *place.shape;
      const bool first = &place == &places_.front();
      const std::size_t begin = first ? 0 : head_.aux;
      out.aux_is_bit_.append(shape.aux_is_bit(), begin, shape.num_aux());
      out.a_aux_.append(shape.a_aux_density(), begin, shape.num_aux());
      out.b_aux_.append(shape.b_aux_density(), begin, shape.num_aux());
    }
    for (std::size_t i = 0; i < out.num_inputs_; ++i) out.b_input_.push_back(false);
    const auto mark = [](std::span<const std::uint64_t> from, std::size_t count, Bitmap& to) {
      for (std::size_t i = 0; i < count; ++i)
        if ((from[i / 64] >> (i % 64) & 1) != 0) to.set(i);
    };
    for (const auto& [shape, piece] : known_) {  // what follows the head reads variables of it
      mark(shape->a_aux_density(), head_.aux, out.a_aux_);
      mark(shape->b_aux_density(), head_.aux, out.b_aux_);
      mark(shape->b_input_density(), inputs_of_head(*shape), out.b_input_);
    }
    for (const Place& place : places_)
      for (std::size_t i = head_.inputs; i < place.shape->num_inputs(); ++i)
        if ((place.shape->b_input_density()[i / 64] >> (i % 64) & 1) != 0) out.b_input_.set(i + place.input);
    for (Bitmap* b : {&out.aux_is_bit_, &out.a_aux_, &out.b_input_, &out.b_aux_}) b->shrink_to_fit();
    out.rank_bits();
  }

  ThreadPool& pool_;
  std::span<const Shape* const> pieces_;
  const CircuitCounts head_;
  const std::stop_token& stop_;
  std::map<const Shape*, Piece> known_;
  std::vector<Place> places_;
  std::size_t rows_ = 0, terms_ = 0, lengths_ = 0;  // of the result
};

std::optional<Shape> join_shapes(ThreadPool& pool, std::span<const Shape* const> pieces,
                                 const CircuitCounts& head, const std::stop_token& stop) {
  CUZK_CHECK(!pieces.empty());
  return ShapeJoiner(pool, pieces, head, stop).join();
}

}  // namespace cuzk
