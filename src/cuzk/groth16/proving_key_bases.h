#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/curve/point.h"
#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/r1cs/witness.h"

/// What backends need of a proving key, and nobody else: no pointer to bases crosses the prover's interface
/// (prover.h), so this header is included by implementations of Prover only.
///
/// Everything here is immutable and thread-safe, and lives as long as the key. What reads bases from the file
/// returns kParams, naming file and offset, when the file has become shorter since it was opened, and kIo
/// when the system cannot read it.
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
  /// How many of the wide scalars are inputs; they come first.
  [[nodiscard]] std::size_t input_count() const { return input_count_; }

  /// The variables selected, one bit each: over Witness::inputs, Witness::bits and Witness::wide. For
  /// backends that select on the device.
  [[nodiscard]] std::span<const std::uint64_t> input_mask() const { return input_mask_; }
  [[nodiscard]] std::span<const std::uint64_t> bit_mask() const { return bit_mask_; }
  [[nodiscard]] std::span<const std::uint64_t> wide_mask() const { return wide_mask_; }

  /// The bits of a witness that belong to the query, in order of its bit bases: bit i is bit i % 64 of word i
  /// / 64.
  [[nodiscard]] std::vector<std::uint64_t> select_bits(const Witness& witness) const;
  /// The scalars of the query's wide bases.
  [[nodiscard]] std::vector<Fr> select_wide(const Witness& witness) const;

 private:
  friend class KeySplitter;
  std::vector<std::uint64_t> input_mask_;
  std::vector<std::uint64_t> bit_mask_;
  std::vector<std::uint64_t> wide_mask_;
  std::size_t bit_count_ = 0;
  std::size_t wide_count_ = 0;
  std::size_t input_count_ = 0;
};

/// The bases of one query in the order of the file: those of inputs, then those of aux variables, the density
/// applied. Split into wide bases and bit bases. Both stay encoded in the file and are decoded by whoever
/// uploads or sums them: two products a coordinate pair against six of the addition that follows, and no
/// second copy of the file in memory.
template <class F>
class QueryBases {
 public:
  /// All bases of the query: wide_count() + bit_count().
  [[nodiscard]] std::size_t size() const { return section_.count; }
  [[nodiscard]] std::size_t wide_count() const { return size() - bit_count_; }
  [[nodiscard]] std::size_t bit_count() const { return bit_count_; }

  /// Decodes the bit bases begin, begin + 1, ... to `out`, as many as it has room for.
  Result<void> decode_bit_bases(Isa isa, std::size_t begin, std::span<Affine<F>> out) const;
  /// The same of wide bases; those of inputs come first (QuerySelection::input_count).
  Result<void> decode_wide_bases(Isa isa, std::size_t begin, std::span<Affine<F>> out) const;

  /// Decodes those bit bases of [begin, end) whose bit in `bits` is one, in order, to the front of `out`,
  /// which has room for all of them; returns how many. `begin` is a multiple of 64; bits as from
  /// QuerySelection::select_bits.
  Result<std::size_t> gather_bit_bases(std::span<const std::uint64_t> bits, std::size_t begin,
                                       std::size_t end, Isa isa, std::span<Affine<F>> out) const;

 private:
  friend class KeySplitter;
  /// Place of every bit base, or wide base, from `begin` on, handed to `visit` until it returns false.
  template <class Visit>
  void walk(bool wide, std::size_t begin, Visit&& visit) const;
  Result<void> decode(Isa isa, bool wide, std::size_t begin, std::span<Affine<F>> out) const;
  /// Decodes the bases at these places, which ascend.
  Result<void> gather(Isa isa, std::span<const std::uint64_t> places, std::span<Affine<F>> out) const;

  const ParamsFile* file_ = nullptr;
  ParamsSection section_;
  std::vector<std::uint64_t> wide_places_;
  std::vector<std::uint32_t> bit_samples_;  // place of every kBaseSample-th bit base
  std::vector<std::uint32_t> wide_samples_;
  std::size_t bit_count_ = 0;
};

/// The points of h, encoded in the file.
class QuotientBases {
 public:
  [[nodiscard]] std::size_t size() const { return section_.count; }
  /// Decodes the points begin, begin + 1, ... to `out`, as many as it has room for.
  Result<void> decode(Isa isa, std::size_t begin, std::span<G1Affine> out) const;

 private:
  friend class KeySplitter;
  const ParamsFile* file_ = nullptr;
  ParamsSection section_;
};

/// All bases of a key.
struct ProvingKeyBases {
  static const ProvingKeyBases& of(const ProvingKey& key) { return *key.bases_; }

  std::shared_ptr<const ParamsFile> file;
  QuotientBases h;
  QueryBases<Fp> l, a, b_g1;
  QueryBases<Fp2> b_g2;
  /// b_g1 and b_g2 have the same selection.
  QuerySelection l_selection, a_selection, b_selection;
};

}  // namespace cuzk::groth16
