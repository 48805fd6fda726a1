#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/kernels.h"
#include "cuzk/ntt/domain.h"

namespace cuzk::ntt {

enum class Direction {
  forward,  ///< coefficients to values on the coset: out_j = scale * sum_i in_i (shift omega^j)^i
  inverse,  ///< values to coefficients: out_i = scale * shift^-i / n * sum_j in_j omega^(-ij)
};

/// Which side is in the natural order; the other one is in the order of bit-reversed indices: position
/// reverse_bits(i, log_size) holds element i.
enum class Order { natural_to_reversed, reversed_to_natural };

/// One number theoretic transform of size n = 2^log_size, in place: direction, order, coset and constant
/// factor are fixed at construction, with the tables they need (some 100 bytes * sqrt(n)). Immutable, so one
/// object may run on several threads at once. An inverse (natural to reversed) and a forward one (reversed to
/// natural) chain without any permutation of the data, and so do the other two.
///
/// How it works. n = R * C is taken apart once: the data is a matrix of R rows of C neighbours. Natural to
/// reversed: all columns are transformed, multiplied by powers of omega, then all rows; the other order
/// mirrors that. Each of the two passes copies eight columns (or rows) at a time into a scratch block that
/// fits the second level cache, where one of cuzk/field's kernels works on all its levels; so the data
/// crosses the memory bus twice, whatever n is. The shift costs nothing, or one product an element: its
/// powers are part of those products and tables.
///
/// The column pass touches R places that are 32 C bytes apart. Keep large data in huge pages (madvise).
class Transform {
 public:
  static constexpr unsigned kMaxLogSize = 2 * NttKernels::kMaxLogRows;

  /// log_size <= kMaxLogSize, shift not zero, isa supported (checked).
  Transform(Isa isa, unsigned log_size, Direction direction, Order order, const Fr& shift = Fr::one(),
            const Fr& scale = Fr::one());

  /// data.size() must be 2^log_size. Uses every thread of the pool; scratch memory of at most 5 MiB a
  /// thread, 1.3 MiB up to 2^24.
  void run(ThreadPool& pool, std::span<Fr> data) const;

  [[nodiscard]] unsigned log_size() const { return log_rows_ + log_columns_; }

 private:
  using Words = std::vector<std::uint64_t>;

  /// How lanes (columns, or rows in bit-reversed places) are multiplied between the passes: lane with index c
  /// by first_base^c * scale * (ratio_base^c * ratio_scale)^r for row index r.
  struct Between {
    Fr first_base;
    Fr scale;
    Fr ratio_base;
    Fr ratio_scale;
  };
  /// One pass: transform along `log_length`, possibly scaled before or after.
  struct Pass {
    unsigned log_length = 0;
    bool cyclic = true;
    Words factors;
    Words scale_before;  // empty: none
    Words scale_after;
  };

  void build_passes();
  void run_small(std::span<Fr> data) const;
  void transform_block(const Pass& pass, std::uint64_t* scratch) const;
  void multiply_between(std::uint64_t* scratch, const Pass& pass, const std::size_t (&index)[8]) const;
  [[nodiscard]] Words prepared(const std::vector<Fr>& factors) const;
  [[nodiscard]] Words pass_factors(unsigned log_length, const Fr& shift) const;

  const NttKernels* kernels_;
  Direction direction_;
  Order order_;
  Fr shift_;
  Fr scale_;
  unsigned log_rows_ = 0;
  unsigned log_columns_ = 0;
  Pass first_;
  Pass second_;
  Between between_{};
};

}  // namespace cuzk::ntt
