#include "cuzk/r1cs/shape.h"

#include <bit>
#include <string>

#include "cuzk/r1cs/row_store.h"

namespace cuzk {

Shape::Shape() : rows_(std::make_unique<RowStore>()) {}
Shape::Shape(Shape&&) noexcept = default;
Shape& Shape::operator=(Shape&&) noexcept = default;
Shape::~Shape() = default;

void Shape::rank_bits() {
  std::uint32_t rank = 0;
  bit_rank_.clear();
  bit_rank_.reserve(aux_is_bit().size() + 1);
  for (const std::uint64_t w : aux_is_bit()) {
    bit_rank_.push_back(rank);
    rank += static_cast<std::uint32_t>(std::popcount(w));
  }
  bit_rank_.push_back(rank);
  num_bits_ = rank;
}

std::size_t Shape::num_constraints() const {
  return rows_->size();
}

std::size_t Shape::num_terms() const {
  return rows_->terms();
}

unsigned Shape::domain_log_size() const {
  return static_cast<unsigned>(std::bit_width(num_rows() - 1));
}

std::size_t Shape::memory_bytes() const {
  const std::size_t words =
      aux_is_bit().size() + a_aux_density().size() + b_aux_density().size() + b_input_density().size();
  return rows_->memory_bytes() + words * 8 + bit_rank_.size() * 4;
}

Result<void> Shape::validate(const Witness& w) const {
  const auto mismatch = [](const char* what, std::size_t have, std::size_t want) {
    return bad_input("witness has " + std::to_string(have) + " " + what + ", the circuit " +
                     std::to_string(want));
  };
  if (w.inputs.size() != num_inputs()) return mismatch("inputs", w.inputs.size(), num_inputs());
  if (w.wide.size() != num_wide()) return mismatch("wide values", w.wide.size(), num_wide());
  if (w.bits.size() != (num_bits() + 63) / 64)
    return mismatch("words of bits", w.bits.size(), (num_bits() + 63) / 64);
  if (!w.inputs[0].is_one()) return bad_input("witness input 0 is not one");
  if (num_bits() % 64 != 0 && w.bits.back() >> (num_bits() % 64) != 0)
    return bad_input("witness has bits set behind its last boolean");
  return {};
}

Fr Shape::value(const Witness& w, Variable v) const {
  if (v.is_input()) return w.inputs[v.index()];
  const std::size_t rank = bits_before(v.index());
  if (!is_bit(v.index())) return w.wide[v.index() - rank];
  return (w.bits[rank / 64] >> (rank % 64) & 1) != 0 ? Fr::one() : Fr::zero();
}

}  // namespace cuzk
