#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cuzk/r1cs/bitmap.h"
#include "cuzk/r1cs/constraint_system.h"
#include "cuzk/r1cs/counting_system.h"
#include "cuzk/r1cs/internal/canonical_stream.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk {

/// Everything that identifies a circuit and a witness of it.
struct CircuitDigest {
  CircuitCounts counts;
  std::size_t bits = 0;                ///< boolean aux variables
  std::array<std::size_t, 3> terms{};  ///< non-zero coefficients of A, B and C
  std::size_t a_aux_density = 0;       ///< aux variables that occur in some A
  std::size_t b_input_density = 0;
  std::size_t b_aux_density = 0;
  Bytes32 r1cs_sha256{};                ///< of the canonical stream, constraint-system-and-gadgets 1.4
  std::optional<Bytes32> r1cs_blake2s;  ///< BLAKE2s-256 of the same stream, on request
  Bytes32 witness_sha256{};             ///< of all inputs, then all aux values, 32 little-endian bytes each
  std::vector<Fr> inputs;               ///< values, ONE first
};

/// The state at the end of a namespace.
struct Checkpoint {
  std::string path;                          ///< steps joined by '/'
  CircuitCounts counts;                      ///< so far
  std::array<std::uint8_t, 8> rows{};        ///< start of the SHA-256 of all rows so far, without header
  std::array<std::uint8_t, 8> aux_values{};  ///< start of the SHA-256 of all aux values so far
};

/// The constraint system that hashes rows and values as they come. It holds four bits per variable and the
/// wide values, and nothing per constraint: 130 M constraints of PoRep take some 150 MB. Where most values
/// are wide, as in PoSt, the values are most of it: Options::witness.
class DigestSystem {
 public:
  static constexpr bool kRecords = true;

  struct Options {
    bool blake2s = false;
    unsigned checkpoint_depth = 0;  ///< record checkpoints of namespaces with at most so many steps
    bool witness = true;            ///< false: no witness_sha256, and no value is kept for it
  };

  /// The header comes first in the stream, so the counts must be known: see digest_circuit.
  explicit DigestSystem(const CircuitCounts& expected) : DigestSystem(expected, Options()) {}
  DigestSystem(const CircuitCounts& expected, const Options& options);

  Variable alloc(const Fr& value) {
    if (options_.witness) wide_.push_back(value);
    if (options_.checkpoint_depth != 0) aux_hash_.add(value);
    return push_aux(false);
  }
  Variable alloc_bit(bool value) {
    if (options_.witness) bits_.push_back(value);
    if (options_.checkpoint_depth != 0) aux_hash_.add(value);
    return push_aux(true);
  }
  Variable alloc_input(const Fr& value) {
    inputs_.push_back(value);
    b_input_.push_back(false);
    return Variable::input(static_cast<std::uint32_t>(inputs_.size() - 1));
  }
  template <class A, class B, class C>
  void enforce(A&& a, B&& b, C&& c) {
    ++constraints_;
    lc_.clear();
    a(lc_);
    lc_.canonicalize();
    terms_[0] += lc_.terms().size();
    rows_.add(lc_.terms());
    for (const Term& t : lc_.terms())
      if (t.variable.is_aux()) a_aux_.set(t.variable.index());
    lc_.clear();
    b(lc_);
    lc_.canonicalize();
    terms_[1] += lc_.terms().size();
    rows_.add(lc_.terms());
    for (const Term& t : lc_.terms()) (t.variable.is_aux() ? b_aux_ : b_input_).set(t.variable.index());
    lc_.clear();
    c(lc_);
    lc_.canonicalize();
    terms_[2] += lc_.terms().size();
    rows_.add(lc_.terms());
  }
  void begin_namespace(const Name& name) {
    if (options_.checkpoint_depth != 0) path_.push_back(name);
  }
  void end_namespace() {
    if (options_.checkpoint_depth == 0) return;
    if (path_.size() <= options_.checkpoint_depth) record_checkpoint();
    path_.pop_back();
  }
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  /// Checked: the counts are those given at construction.
  CircuitDigest finish();
  [[nodiscard]] const std::vector<Checkpoint>& checkpoints() const { return checkpoints_; }

 private:
  Variable push_aux(bool is_bit) {
    const std::size_t index = is_bit_.size();
    CUZK_CHECK(index < Variable::kAuxFlag);
    is_bit_.push_back(is_bit);
    a_aux_.push_back(false);
    b_aux_.push_back(false);
    return Variable::aux(static_cast<std::uint32_t>(index));
  }
  void record_checkpoint();

  CircuitCounts expected_;
  Options options_;
  r1cs_internal::RowHasher rows_;
  r1cs_internal::ValueHasher aux_hash_;
  LinearCombination lc_;
  std::size_t constraints_ = 0;
  std::array<std::size_t, 3> terms_{};
  Bitmap a_aux_;
  Bitmap b_input_;
  Bitmap b_aux_;
  std::vector<Fr> inputs_;
  Bitmap is_bit_;
  Bitmap bits_;
  std::vector<Fr> wide_;
  std::vector<Name> path_;
  std::vector<Checkpoint> checkpoints_;
};
static_assert(ConstraintSystem<DigestSystem>);

/// Digest of the circuit that `synthesize(cs)` puts into any constraint system it is given; it is run twice,
/// once to count. `checkpoints`, when given, receives those that the options ask for.
template <class Synthesize>
CircuitDigest digest_circuit(Synthesize&& synthesize, const DigestSystem::Options& options = {},
                             std::vector<Checkpoint>* checkpoints = nullptr) {
  CountingSystem counter;
  synthesize(counter);
  DigestSystem digest(counter.counts(), options);
  synthesize(digest);
  CircuitDigest out = digest.finish();
  if (checkpoints != nullptr) *checkpoints = digest.checkpoints();
  return out;
}

/// SHA-256 of a recorded shape's canonical stream (without the input rows).
Bytes32 r1cs_sha256(const Shape& shape);
/// SHA-256 of the witness stream. The witness must pass shape.validate.
Bytes32 witness_sha256(const Shape& shape, const Witness& witness);

}  // namespace cuzk
