#include "cuzk/gadgets/poseidon_rows.h"

namespace cuzk {

PoseidonRows::PoseidonRows(const PoseidonConstants& c) : width_(c.width), rounds_(c.partial_rounds) {
  // state[i] is element i's combination; every element has the same, growing, basis.
  std::vector<std::vector<Fr>> state(width_, std::vector<Fr>(width_));
  for (std::size_t i = 0; i < width_; ++i)
    for (std::size_t j = 0; j < width_; ++j) state[j][i] = c.pre_sparse[i * width_ + j];
  for (unsigned j = 0; j < rounds_; ++j) {
    partial_.insert(partial_.end(), state[0].begin(), state[0].end());
    // Element 0 becomes the variable y; mixing then spreads it, and gathers the others into the next element
    // 0.
    const std::span<const Fr> w_hat = c.w_hat(j);
    const std::span<const Fr> v_rest = c.v_rest(j);
    std::vector<Fr> gathered(width_ + j + 1, Fr::zero());
    for (std::size_t i = 1; i < width_; ++i)
      for (std::size_t b = 0; b < width_ + j; ++b) gathered[b] += w_hat[i] * state[i][b];
    gathered[width_ + j] = w_hat[0];
    for (std::size_t i = 1; i < width_; ++i) state[i].push_back(v_rest[i - 1]);
    state[0] = std::move(gathered);
  }
  for (const auto& element : state) after_.insert(after_.end(), element.begin(), element.end());
}

namespace {

template <unsigned kArity>
const PoseidonRows& shared_rows() {
  static const PoseidonRows kRows(poseidon_constants(kArity));
  return kRows;
}

}  // namespace

const PoseidonRows& poseidon_rows(unsigned arity) {
  switch (arity) {
    case 2:
      return shared_rows<2>();
    case 4:
      return shared_rows<4>();
    case 8:
      return shared_rows<8>();
    case 11:
      return shared_rows<11>();
    case 16:
      return shared_rows<16>();
    case 24:
      return shared_rows<24>();
    default:
      CUZK_CHECK(arity == 36);
      return shared_rows<36>();
  }
}

}  // namespace cuzk
