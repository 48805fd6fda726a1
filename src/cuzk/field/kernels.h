#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cuzk/cpu/isa.h"
#include "cuzk/field/fp.h"
#include "cuzk/field/fr.h"

namespace cuzk {

/// Batch operations on field elements in the memory form (Montgomery<>): every input fully reduced, every
/// output too. All spans of one call have the same length (checked), which may be 0. `dst` may be one of the
/// inputs exactly; a partial overlap is not allowed. Stateless, thread-safe, one core: callers split ranges
/// over a pool.
template <class F>
struct FieldKernels {
  using Out = std::span<F>;
  using In = std::span<const F>;

  void (*mul)(Out dst, In a, In b);                    ///< dst = a b
  void (*square)(Out dst, In a);                       ///< dst = a^2
  void (*add)(Out dst, In a, In b);                    ///< dst = a + b
  void (*sub)(Out dst, In a, In b);                    ///< dst = a - b
  void (*scale)(Out dst, In a, const F& k);            ///< dst = a k
  void (*sub_scale)(Out dst, In a, In b, const F& k);  ///< dst = (a - b) k
  /// dst[i] = a[i] first ratio^i.
  void (*scale_by_powers)(Out dst, In a, const F& first, const F& ratio);
  /// values[i] = 1 / values[i]; zeros stay zero. One inversion per some thousand values. Allocates scratch
  /// memory of at most 1 MiB.
  void (*batch_inverse)(std::span<F> values);
};

/// The parts of a number theoretic transform, on a *column block*: `rows` rows of eight lanes, every lane a
/// transform of its own over the rows, kept in scratch memory of rows * row_words 64-bit words (64-byte
/// aligned) in a form of the kernel's own choice. Used by cuzk/ntt only; that module explains how they make a
/// transform.
struct NttKernels {
  static constexpr std::size_t kLanes = 8;
  static constexpr unsigned kMaxLogRows = 14;  ///< bounds the lazy reduction of the IFMA version

  std::size_t row_words;     ///< words of a scratch row
  std::size_t factor_words;  ///< words of a prepared factor

  /// Brings factors into the form that the functions below read: factor_words words each.
  void (*prepare)(std::span<const Fr> factors, std::uint64_t* out);

  /// scratch row r, lane l = src[r * row_stride + l * lane_stride], strides in elements; and back, fully
  /// reduced.
  void (*load)(std::uint64_t* scratch, const Fr* src, std::size_t rows, std::size_t row_stride,
               std::size_t lane_stride);
  void (*store)(Fr* dst, const std::uint64_t* scratch, std::size_t rows, std::size_t row_stride,
                std::size_t lane_stride);

  /// Transform over 2^log_rows rows, natural order in, bit-reversed order out. factors[i], i < rows/2, is
  /// w^bitrev(i): i reversed in log_rows - 1 bits, w of order 2^log_rows.
  void (*natural_to_reversed)(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors);
  /// Transform over the rows, bit-reversed in, natural out. factors[h + j], h = 1, 2, 4 .. rows/2, j < h, is
  /// s^(rows/2h) w_2h^j, w_2h of order 2h: values at s w^j. `cyclic`: s is 1.
  void (*reversed_to_natural)(std::uint64_t* scratch, unsigned log_rows, const std::uint64_t* factors,
                              bool cyclic);

  /// Row r times factors[r].
  void (*scale_rows)(std::uint64_t* scratch, std::size_t rows, const std::uint64_t* factors);
  /// Lane l of the row with index r times first[l] ratio[l]^r, for all r < 2^log_rows. Row index r lies at
  /// position r, or, with `reversed`, at position bitrev(r).
  void (*scale_progression)(std::uint64_t* scratch, unsigned log_rows, const Fr (&first)[8],
                            const Fr (&ratio)[8], bool reversed);
};

using FrKernels = FieldKernels<Fr>;
using FpKernels = FieldKernels<Fp>;

/// The table of an instruction set, which must be supported (checked).
const FrKernels& fr_kernels(Isa isa);
const FpKernels& fp_kernels(Isa isa);
const NttKernels& ntt_kernels(Isa isa);

}  // namespace cuzk
