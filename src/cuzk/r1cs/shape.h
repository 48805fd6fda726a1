#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/r1cs/bitmap.h"
#include "cuzk/r1cs/variable.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk {

class RowStore;

/// The constraints of a circuit, independent of any witness. Immutable after ShapeRecorder::finish, so all
/// const members may be called from many threads.
///
/// Rows: the circuit's constraints A * B = C are rows [0, num_constraints()). Prover and generator both
/// append one row in[i] * 0 = 0 per input, ONE included (constraint-system-and-gadgets 1.6); those are rows
/// [num_constraints(), num_rows()). They are not stored, and not part of densities, term counts or
/// digests.
///
/// The rows themselves are for backends and readers of whole circuits: r1cs/shape_rows.h. Nothing of how they
/// are held is visible here.
class Shape {
 public:
  Shape(Shape&&) noexcept;
  Shape& operator=(Shape&&) noexcept;
  ~Shape();

  // ---- counts
  [[nodiscard]] std::size_t num_inputs() const { return num_inputs_; }  ///< ONE included
  [[nodiscard]] std::size_t num_aux() const { return aux_is_bit_.size(); }
  [[nodiscard]] std::size_t num_bits() const { return num_bits_; }  ///< boolean aux variables
  [[nodiscard]] std::size_t num_wide() const { return num_aux() - num_bits_; }
  [[nodiscard]] std::size_t num_constraints() const;  ///< without the input rows
  [[nodiscard]] std::size_t num_rows() const { return num_constraints() + num_inputs(); }
  /// The evaluation domain has 2^domain_log_size() points, the smallest power of two >= num_rows().
  [[nodiscard]] unsigned domain_log_size() const;
  /// Non-zero coefficients in all A, B and C.
  [[nodiscard]] std::size_t num_terms() const;
  [[nodiscard]] std::size_t memory_bytes() const;

  // ---- variables
  /// Bit j set: aux variable j is boolean by construction of the circuit. Words as in Bitmap.
  [[nodiscard]] std::span<const std::uint64_t> aux_is_bit() const { return aux_is_bit_.words(); }
  [[nodiscard]] bool is_bit(std::size_t aux) const { return aux_is_bit_[aux]; }
  /// Boolean aux variables with an index below `aux` (<= num_aux()): the place of a boolean in Witness::bits;
  /// aux - bits_before(aux) is the place of another one in Witness::wide.
  [[nodiscard]] std::size_t bits_before(std::size_t aux) const {
    const std::size_t word = aux / 64;
    const std::uint64_t below = (std::uint64_t{1} << (aux % 64)) - 1;
    const std::size_t partial =
        below == 0 ? 0 : static_cast<std::size_t>(std::popcount(aux_is_bit_.words()[word] & below));
    return bit_rank_[word] + partial;
  }

  /// Densities: the variable occurs with a non-zero coefficient in some A (or B) of the circuit's own rows.
  /// Every input counts as occurring in A through the input rows and has no bitmap there.
  [[nodiscard]] std::span<const std::uint64_t> a_aux_density() const { return a_aux_.words(); }
  [[nodiscard]] std::span<const std::uint64_t> b_input_density() const { return b_input_.words(); }
  [[nodiscard]] std::span<const std::uint64_t> b_aux_density() const { return b_aux_.words(); }
  [[nodiscard]] std::size_t a_aux_count() const { return a_aux_.count(); }
  [[nodiscard]] std::size_t b_input_count() const { return b_input_.count(); }
  [[nodiscard]] std::size_t b_aux_count() const { return b_aux_.count(); }

  // ---- witness
  /// Whether the witness has the lengths this shape asks for, ONE first and no stray bits behind the last.
  [[nodiscard]] Result<void> validate(const Witness& witness) const;
  /// The value of one variable. The witness must pass validate().
  [[nodiscard]] Fr value(const Witness& witness, Variable v) const;

  /// The number of the first row with A * B != C, or num_constraints() when the witness satisfies all.
  [[nodiscard]] std::size_t first_unsatisfied(ThreadPool& pool, const Witness& witness) const;

 private:
  friend class ShapeRecorder;
  friend class ShapeCodec;
  friend class ShapeJoiner;
  friend class ShapeRows;

  Shape();
  /// bit_rank_ and num_bits_ from aux_is_bit_.
  void rank_bits();

  std::unique_ptr<RowStore> rows_;
  std::size_t num_inputs_ = 0;
  std::size_t num_bits_ = 0;
  Bitmap aux_is_bit_;
  std::vector<std::uint32_t> bit_rank_;  // booleans before aux 64 * word; one entry more than words
  Bitmap a_aux_;
  Bitmap b_input_;
  Bitmap b_aux_;
};

}  // namespace cuzk
