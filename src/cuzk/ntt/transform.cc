#include "cuzk/ntt/transform.h"

#include <algorithm>
#include <atomic>

#include "cuzk/base/result.h"
#include "cuzk/cpu/scratch_array.h"

namespace cuzk::ntt {
namespace {

constexpr std::size_t kLanes = NttKernels::kLanes;
constexpr unsigned kLogLanes = 3;

/// base^0 .. base^(n-1), at the bit-reversed positions if `bits` is given.
std::vector<Fr> powers(const Fr& base, std::size_t n) {
  std::vector<Fr> p(n);
  Fr v = Fr::one();
  for (Fr& x : p) {
    x = v;
    v *= base;
  }
  return p;
}
std::vector<Fr> reversed_powers(const Fr& base, unsigned bits) {
  const std::vector<Fr> p = powers(base, std::size_t{1} << bits);
  std::vector<Fr> r(p.size());
  for (std::size_t i = 0; i < p.size(); ++i) r[i] = p[reverse_bits(i, bits)];
  return r;
}

using Scratch = ScratchArray<std::uint64_t>;

/// body(block, scratch of the running thread) for all blocks.
template <class Body>
void for_blocks(ThreadPool& pool, std::size_t blocks, const std::vector<Scratch>& scratch, const Body& body) {
  std::atomic<std::size_t> next{0};
  pool.parallel_for(scratch.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t slot = begin; slot < end; ++slot)
      for (std::size_t b = next.fetch_add(1, std::memory_order_relaxed); b < blocks;
           b = next.fetch_add(1, std::memory_order_relaxed))
        body(b, scratch[slot].span().data());
  });
}

}  // namespace

Transform::Transform(Isa isa, unsigned log_size, Direction direction, Order order, const Fr& shift,
                     const Fr& scale)
    : kernels_(&ntt_kernels(isa)), direction_(direction), order_(order), shift_(shift), scale_(scale) {
  CUZK_CHECK(log_size <= kMaxLogSize);
  CUZK_CHECK(!shift.is_zero());
  if (direction == Direction::inverse) {
    shift_ = shift.inverse();
    scale_ *= Domain(log_size).size_inverse();
  }
  if (log_size < 2 * kLogLanes) {
    log_columns_ = log_size;
    first_.log_length = log_size;
    first_.factors = pass_factors(log_size, Fr::one());
  } else {
    log_rows_ = (log_size + 1) / 2;
    log_columns_ = log_size - log_rows_;
    build_passes();
  }
}

Transform::Words Transform::prepared(const std::vector<Fr>& factors) const {
  Words words(factors.size() * kernels_->factor_words);
  kernels_->prepare(factors, words.data());
  return words;
}

Transform::Words Transform::pass_factors(unsigned log_length, const Fr& shift) const {
  const Domain domain(log_length);
  const Fr root = direction_ == Direction::forward ? domain.omega() : domain.omega_inverse();
  if (log_length == 0) return {};
  if (order_ == Order::natural_to_reversed) return prepared(reversed_powers(root, log_length - 1));
  std::vector<Fr> factors(std::size_t{1} << log_length);
  factors[0] = Fr::one();  // not used
  Fr level_root = root;
  Fr level_shift = shift;
  for (std::size_t half = factors.size() / 2; half > 0; half /= 2) {
    Fr v = level_shift;
    for (std::size_t j = 0; j < half; ++j) {
      factors[half + j] = v;
      v *= level_root;
    }
    level_root = level_root.square();
    level_shift = level_shift.square();
  }
  return prepared(factors);
}

// With index i = c + C r of the natural side (row r, column c) and k = k1 + R k2 of the reversed side (row
// reverse(k1), column reverse(k2)): omega^(ik) = omega^(c k1) * omega_R^(r k1) * omega_C^(c k2). The powers
// of the shift go with the coefficients' index, which is i or k: shift^i = shift^c (shift^C)^r, shift^k =
// shift^k1 (shift^R)^k2. Powers in r or k2 scale the rows of a block, those in c or k1 belong to lanes or to
// the progression.
void Transform::build_passes() {
  const Domain domain(log_size());
  const std::size_t rows = std::size_t{1} << log_rows_;
  const std::size_t columns = std::size_t{1} << log_columns_;
  const bool forward = direction_ == Direction::forward;
  const bool shifted = !(shift_ == Fr::one());
  between_.scale = scale_;
  between_.ratio_base = forward ? domain.omega() : domain.omega_inverse();
  between_.first_base = forward ? shift_ : Fr::one();
  between_.ratio_scale = forward ? Fr::one() : shift_;
  if (order_ == Order::natural_to_reversed) {
    first_.log_length = log_rows_;
    second_.log_length = log_columns_;
    first_.factors = pass_factors(log_rows_, Fr::one());
    second_.factors = pass_factors(log_columns_, Fr::one());
    if (shifted && forward) first_.scale_before = prepared(powers(shift_.pow(columns), rows));
    if (shifted && !forward) second_.scale_after = prepared(reversed_powers(shift_.pow(rows), log_columns_));
  } else {
    first_.log_length = log_columns_;
    second_.log_length = log_rows_;
    first_.cyclic = !(shifted && forward);
    first_.factors = pass_factors(log_columns_, first_.cyclic ? Fr::one() : shift_.pow(rows));
    second_.factors = pass_factors(log_rows_, Fr::one());
    if (shifted && !forward) second_.scale_after = prepared(powers(shift_.pow(columns), rows));
  }
}

void Transform::transform_block(const Pass& pass, std::uint64_t* scratch) const {
  const std::size_t length = std::size_t{1} << pass.log_length;
  if (!pass.scale_before.empty()) kernels_->scale_rows(scratch, length, pass.scale_before.data());
  if (order_ == Order::natural_to_reversed) {
    kernels_->natural_to_reversed(scratch, pass.log_length, pass.factors.data());
  } else {
    kernels_->reversed_to_natural(scratch, pass.log_length, pass.factors.data(), pass.cyclic);
  }
  if (!pass.scale_after.empty()) kernels_->scale_rows(scratch, length, pass.scale_after.data());
}

void Transform::multiply_between(std::uint64_t* scratch, const Pass& pass,
                                 const std::size_t (&index)[8]) const {
  Fr first[kLanes];
  Fr ratio[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    first[l] = between_.scale * between_.first_base.pow(index[l]);
    ratio[l] = between_.ratio_scale * between_.ratio_base.pow(index[l]);
  }
  kernels_->scale_progression(scratch, pass.log_length, first, ratio, order_ == Order::natural_to_reversed);
}

void Transform::run(ThreadPool& pool, std::span<Fr> data) const {
  CUZK_CHECK(data.size() == std::size_t{1} << log_size());
  if (log_rows_ == 0) {
    run_small(data);
    return;
  }
  const std::size_t rows = std::size_t{1} << log_rows_;
  const std::size_t columns = std::size_t{1} << log_columns_;
  const bool to_reversed = order_ == Order::natural_to_reversed;
  std::vector<Scratch> scratch(std::min<std::size_t>(pool.size(), rows / kLanes));
  for (Scratch& s : scratch) s = Scratch(rows * kernels_->row_words);

  const auto column_pass = [&](const Pass& pass, bool multiply) {
    for_blocks(pool, columns / kLanes, scratch, [&](std::size_t b, std::uint64_t* block) {
      Fr* const data_block = data.data() + b * kLanes;
      kernels_->load(block, data_block, rows, columns, 1);
      transform_block(pass, block);
      if (multiply) {
        std::size_t index[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l) index[l] = b * kLanes + l;
        multiply_between(block, pass, index);
      }
      kernels_->store(data_block, block, rows, columns, 1);
    });
  };
  const auto row_pass = [&](const Pass& pass, bool multiply) {
    for_blocks(pool, rows / kLanes, scratch, [&](std::size_t b, std::uint64_t* block) {
      Fr* const data_block = data.data() + b * kLanes * columns;
      kernels_->load(block, data_block, columns, 1, columns);
      transform_block(pass, block);
      if (multiply) {
        std::size_t index[kLanes];
        for (std::size_t l = 0; l < kLanes; ++l) index[l] = reverse_bits(b * kLanes + l, log_rows_);
        multiply_between(block, pass, index);
      }
      kernels_->store(data_block, block, columns, 1, columns);
    });
  };
  if (to_reversed) {
    column_pass(first_, true);
    row_pass(second_, false);
  } else {
    row_pass(first_, true);
    column_pass(second_, false);
  }
}

// A single block whose eight lanes are all the same transform.
void Transform::run_small(std::span<Fr> data) const {
  const std::size_t n = data.size();
  const Scratch scratch(n * kernels_->row_words);
  std::uint64_t* const block = scratch.span().data();
  Fr first[kLanes];
  Fr ratio[kLanes];
  std::fill(std::begin(first), std::end(first), scale_);
  std::fill(std::begin(ratio), std::end(ratio), shift_);
  const bool forward = direction_ == Direction::forward;
  const bool natural_in = order_ == Order::natural_to_reversed;
  kernels_->load(block, data.data(), n, 1, 0);
  if (forward) kernels_->scale_progression(block, first_.log_length, first, ratio, !natural_in);
  transform_block(first_, block);
  if (!forward) kernels_->scale_progression(block, first_.log_length, first, ratio, natural_in);
  kernels_->store(data.data(), block, n, 1, 0);
}

}  // namespace cuzk::ntt
