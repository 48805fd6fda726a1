#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/curve/point.h"
#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk::groth16 {

/// Which values of a witness multiply the points of one query. The boolean variables are known from the
/// shape, so a query's sum falls into two: the *bit* sum, of the points whose bit is one, and the *wide* sum,
/// over all other variables (every input with density among them). Both keep the order of the file: inputs,
/// then aux, ascending.
class QuerySelection {
 public:
  /// Bits selected (the number of bit bases) and wide scalars selected (the number of wide bases).
  [[nodiscard]] std::size_t bit_count() const { return bit_count_; }
  [[nodiscard]] std::size_t wide_count() const { return wide_count_; }

  /// The bits of a witness that belong to the query, in order of its bit bases: bit i is bit i % 64 of word i
  /// / 64.
  [[nodiscard]] std::vector<std::uint64_t> select_bits(const Witness& witness) const;
  /// The scalars of the query's wide bases.
  [[nodiscard]] std::vector<Fr> select_wide(const Witness& witness) const;

 private:
  friend class ProvingKey;
  std::vector<std::uint64_t> input_mask_;  // over the inputs
  std::vector<std::uint64_t> bit_mask_;    // over the boolean aux variables
  std::vector<std::uint64_t> wide_mask_;   // over the other aux variables
  std::size_t bit_count_ = 0;
  std::size_t wide_count_ = 0;
};

/// The bases of one query, split into bit bases and wide bases with the density applied. The wide bases (a
/// few per cent in most circuits) are decoded; the bit bases stay encoded in the mapped file and are decoded
/// by whoever uploads or sums them: two products a coordinate pair against six of the addition that follows,
/// and no second copy of the file in memory. Immutable, thread-safe.
template <class F>
class QueryBases {
 public:
  [[nodiscard]] std::span<const Affine<F>> wide() const { return wide_; }
  [[nodiscard]] std::size_t bit_count() const { return bit_count_; }

  /// Decodes the bit bases begin, begin + 1, ... to `out`, as many as it has room for.
  void decode_bit_bases(std::size_t begin, std::span<Affine<F>> out) const;

  /// Decodes those bit bases of [begin, end) whose bit in `bits` is one, in order, to the front of `out`,
  /// which has room for all of them; returns how many. `begin` is a multiple of 64; bits as from
  /// QuerySelection::select_bits.
  std::size_t gather_bit_bases(std::span<const std::uint64_t> bits, std::size_t begin, std::size_t end,
                               std::span<Affine<F>> out) const;

 private:
  friend class ProvingKey;
  /// File offset of every bit base from `begin` on, handed to `visit` until it returns false.
  template <class Visit>
  void walk_bit_bases(std::size_t begin, Visit&& visit) const;

  ByteSpan encoded_;                        // the whole vector in the mapped file
  std::vector<std::uint64_t> wide_places_;  // bitmap over the vector: which points are wide bases
  std::vector<std::uint32_t> samples_;      // place in the vector of every kSample-th bit base
  std::vector<Affine<F>> wide_;
  std::size_t bit_count_ = 0;
};

/// The points of h, encoded in the mapped file. Immutable, thread-safe.
class QuotientBases {
 public:
  [[nodiscard]] std::size_t size() const { return encoded_.size() / kG1Bytes; }
  /// Decodes the points begin, begin + 1, ... to `out`, as many as it has room for.
  void decode(std::size_t begin, std::span<G1Affine> out) const {
    decode_checked_points(encoded_.subspan(begin * kG1Bytes, out.size() * kG1Bytes), out);
  }

 private:
  friend class ProvingKey;
  ByteSpan encoded_;
};

/// The proving key of one circuit: a mapped parameter file, checked against the circuit's shape and split for
/// it. Immutable and thread-safe; it keeps the mapping and the shape alive.
class ProvingKey {
 public:
  /// Checks that the file is the shape's (groth16-and-formats 2.4: every vector has the length that the shape
  /// demands), then decodes every point once, on all threads of the pool: canonical coordinates, curve
  /// equation, not infinity. Not the subgroup: see check_points. kParams names the vector, index, offset and
  /// reason; of several bad points the first in the file.
  static Result<std::shared_ptr<const ProvingKey>> load(ThreadPool& pool,
                                                        std::shared_ptr<const ParamsFile> file,
                                                        std::shared_ptr<const Shape> shape);
  static Result<std::shared_ptr<const ProvingKey>> load(ThreadPool& pool, const std::string& path,
                                                        std::shared_ptr<const Shape> shape);

  [[nodiscard]] const VerifyingKey& vk() const { return file_->vk(); }
  [[nodiscard]] const std::shared_ptr<const Shape>& shape() const { return shape_; }
  [[nodiscard]] const ParamsFile& file() const { return *file_; }

  [[nodiscard]] const QuotientBases& h() const { return h_; }
  [[nodiscard]] const QueryBases<Fp>& l() const { return l_; }
  [[nodiscard]] const QueryBases<Fp>& a() const { return a_; }
  [[nodiscard]] const QueryBases<Fp>& b_g1() const { return b_g1_; }
  [[nodiscard]] const QueryBases<Fp2>& b_g2() const { return b_g2_; }

  /// b_g1 and b_g2 have the same selection.
  [[nodiscard]] const QuerySelection& l_selection() const { return l_selection_; }
  [[nodiscard]] const QuerySelection& a_selection() const { return a_selection_; }
  [[nodiscard]] const QuerySelection& b_selection() const { return b_selection_; }

 private:
  ProvingKey() = default;

  std::shared_ptr<const ParamsFile> file_;
  std::shared_ptr<const Shape> shape_;
  QuotientBases h_;
  QueryBases<Fp> l_, a_, b_g1_;
  QueryBases<Fp2> b_g2_;
  QuerySelection l_selection_, a_selection_, b_selection_;
};

/// Every check of a parameter file's points, the subgroup included: minutes at full size, so on request only.
/// Needs no shape. Errors as from ProvingKey::load. `progress` (may be empty) gets the bytes of points done
/// so far in all five vectors, from any thread of the pool: every value once, not always in order, the
/// largest being ParamsLayout::vector_bytes() of a file without fault.
Result<void> check_points(ThreadPool& pool, const ParamsFile& file,
                          const std::function<void(std::uint64_t)>& progress = {});

}  // namespace cuzk::groth16
