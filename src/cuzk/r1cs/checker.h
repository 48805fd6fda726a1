#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuzk/r1cs/constraint_system.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk {

/// The constraint system that evaluates every constraint and remembers the first one that does not hold, with
/// the gadget path it stands in. Values are either those the circuit computes or those of a given witness; in
/// the second case the circuit may be synthesized blank, only its structure is used.
class Checker {
 public:
  static constexpr bool kRecords = true;

  Checker() { (void)alloc_input(Fr::one()); }
  /// Takes every value, ONE included, from `witness`, which must outlive the checker.
  explicit Checker(const Witness& witness) : given_(&witness) { (void)alloc_input(Fr::one()); }

  Variable alloc(const Fr& value) {
    if (given_ == nullptr) return push_aux(value);
    const std::size_t i = next_wide_++;
    return push_aux(i < given_->wide.size() ? given_->wide[i] : Fr::zero());
  }
  Variable alloc_bit(bool value) {
    if (given_ == nullptr) return push_aux(value ? Fr::one() : Fr::zero());
    const std::size_t i = next_bit_++;
    const bool bit = i / 64 < given_->bits.size() && (given_->bits[i / 64] >> (i % 64) & 1) != 0;
    return push_aux(bit ? Fr::one() : Fr::zero());
  }
  Variable alloc_input(const Fr& value) {
    const std::size_t i = inputs_.size();
    inputs_.push_back(given_ == nullptr ? value : i < given_->inputs.size() ? given_->inputs[i] : Fr::zero());
    return Variable::input(static_cast<std::uint32_t>(i));
  }
  template <class A, class B, class C>
  void enforce(A&& a, B&& b, C&& c) {
    const Fr va = evaluate(a);
    const Fr vb = evaluate(b);
    const Fr vc = evaluate(c);
    if (!(va * vb == vc) && !failure_) fail(va, vb, vc);
    ++constraints_;
  }
  void begin_namespace(const Name& name) { path_.push_back(name); }
  void end_namespace() { path_.pop_back(); }
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  struct Failure {
    std::size_t constraint;  ///< its number
    std::string path;        ///< namespaces around it, joined by '/'
    Fr a, b, c;              ///< values of its linear combinations
  };
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  /// kUnsatisfied naming the first failing constraint, or kBadInput when a given witness has another length
  /// than the circuit that was synthesized.
  [[nodiscard]] Result<void> result() const;

 private:
  template <class F>
  Fr evaluate(F&& f) {
    lc_.clear();
    f(lc_);
    Fr sum = Fr::zero();
    for (const Term& t : lc_.terms())
      sum += t.coefficient * (t.variable.is_aux() ? aux_ : inputs_)[t.variable.index()];
    return sum;
  }
  Variable push_aux(const Fr& value) {
    CUZK_CHECK(aux_.size() < Variable::kAuxFlag);
    aux_.push_back(value);
    return Variable::aux(static_cast<std::uint32_t>(aux_.size() - 1));
  }
  void fail(const Fr& a, const Fr& b, const Fr& c);

  const Witness* given_ = nullptr;
  std::size_t next_bit_ = 0;
  std::size_t next_wide_ = 0;
  std::vector<Fr> inputs_;
  std::vector<Fr> aux_;
  LinearCombination lc_;
  std::size_t constraints_ = 0;
  std::vector<Name> path_;
  std::optional<Failure> failure_;
};
static_assert(ConstraintSystem<Checker>);

}  // namespace cuzk
