#include "cuzk/groth16/qap.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>

#include "cuzk/r1cs/shape_rows.h"

namespace cuzk::groth16 {
namespace {

/// 2^16 spin locks in turn for the aux variables, variable i has lock i mod 2^16: a term's addition takes
/// tens of nanoseconds, so two threads meet at one lock next to never.
class StripedLocks {
 public:
  explicit StripedLocks(std::size_t count) : locks_(count) {}
  void lock(std::size_t i) {
    std::atomic_flag& flag = locks_[i % locks_.size()];
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
  }
  void unlock(std::size_t i) { locks_[i % locks_.size()].clear(std::memory_order_release); }

 private:
  std::vector<std::atomic_flag> locks_;
};

}  // namespace

std::vector<Fr> lagrange_basis_at(ThreadPool& pool, unsigned log_size, const Fr& tau) {
  const std::size_t m = std::size_t{1} << log_size;
  const Fr omega = fr_root_of_unity(log_size);
  const Fr z_over_m = (tau.pow(m) - Fr::one()) * Fr::from_u64(m).inverse();
  std::vector<Fr> basis(m);
  pool.parallel_for(m, std::size_t{1} << 12, [&](std::size_t begin, std::size_t end) {
    // One inversion a range: products of the denominators before j forward, their inverses backward.
    std::vector<Fr> prefix(end - begin);
    const Fr first = omega.pow(begin);
    Fr power = first;
    Fr product = Fr::one();
    for (std::size_t j = begin; j < end; ++j) {
      prefix[j - begin] = product;
      basis[j] = power;
      product *= tau - power;
      power *= omega;
    }
    Fr inverse = product.inverse() * z_over_m;
    // `inverse` is Z / m over the product of the denominators up to j.
    for (std::size_t j = end; j-- > begin;) {
      const Fr omega_j = basis[j];
      basis[j] = inverse * prefix[j - begin] * omega_j;
      inverse *= tau - omega_j;
    }
  });
  return basis;
}

QapColumns qap_columns(ThreadPool& pool, const Shape& shape, std::span<const Fr> basis) {
  CUZK_CHECK(basis.size() >= shape.num_rows());
  QapColumns columns;
  for (std::vector<Fr>* v : {&columns.inputs.a, &columns.inputs.b, &columns.inputs.c})
    v->assign(shape.num_inputs(), Fr::zero());
  // At full size most of the cost of an array of zeros is touching its memory for the first time.
  const std::array<std::vector<Fr>*, 3> arrays{&columns.aux.a, &columns.aux.b, &columns.aux.c};
  pool.parallel_for(arrays.size(), 1, [&](std::size_t which, std::size_t) {
    arrays[which]->assign(shape.num_aux(), Fr::zero());
  });

  const ShapeRows rows(shape);
  StripedLocks locks(std::size_t{1} << 16);
  std::mutex inputs_mutex;
  const Fr minus_one = -Fr::one();
  // Inputs (ONE above all) occur in many rows: each range sums them apart. A range is long enough to pay for
  // that.
  const std::size_t grain = std::max<std::size_t>(std::size_t{1} << 14, shape.num_inputs());
  pool.parallel_for(shape.num_rows(), grain, [&](std::size_t begin, std::size_t end) {
    QapColumns::Values local;
    for (std::vector<Fr>* v : {&local.a, &local.b, &local.c}) v->assign(shape.num_inputs(), Fr::zero());
    const auto add = [&](const TermView& terms, const Fr& l, std::vector<Fr>& inputs, std::vector<Fr>& aux) {
      for (const auto& [variable, coefficient] : terms) {
        Fr term = coefficient.is_one() ? l : coefficient == minus_one ? -l : coefficient * l;
        const std::size_t i = variable.index();
        if (variable.is_input()) {
          inputs[i] += term;
        } else {
          locks.lock(i);
          aux[i] += term;
          locks.unlock(i);
        }
      }
    };
    rows.for_each(begin, end, [&](std::size_t row, const TermView& a, const TermView& b, const TermView& c) {
      add(a, basis[row], local.a, columns.aux.a);
      add(b, basis[row], local.b, columns.aux.b);
      add(c, basis[row], local.c, columns.aux.c);
    });
    const std::lock_guard lock(inputs_mutex);
    for (std::size_t i = 0; i < shape.num_inputs(); ++i) {
      columns.inputs.a[i] += local.a[i];
      columns.inputs.b[i] += local.b[i];
      columns.inputs.c[i] += local.c[i];
    }
  });
  return columns;
}

}  // namespace cuzk::groth16
