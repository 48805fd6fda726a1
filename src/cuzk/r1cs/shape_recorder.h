#pragma once

#include "cuzk/r1cs/constraint_system.h"
#include "cuzk/r1cs/counting_system.h"
#include "cuzk/r1cs/shape.h"

namespace cuzk {

/// The constraint system that records a circuit's shape and ignores all values: synthesize a blank circuit
/// into it, then finish(). ONE is there from the start.
class ShapeRecorder {
 public:
  static constexpr bool kRecords = true;

  ShapeRecorder() { (void)alloc_input(Fr::one()); }

  Variable alloc(const Fr&) { return push_aux(false); }
  Variable alloc_bit(bool) { return push_aux(true); }
  Variable alloc_input(const Fr&) {
    CUZK_CHECK(shape_.num_inputs_ < Variable::kAuxFlag);
    shape_.b_input_.push_back(false);
    return Variable::input(static_cast<std::uint32_t>(shape_.num_inputs_++));
  }
  template <class A, class B, class C>
  void enforce(A&& a, B&& b, C&& c) {
    a_.clear();
    b_.clear();
    c_.clear();
    a(a_);
    b(b_);
    c(c_);
    push_row();
  }
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  /// What was recorded so far.
  [[nodiscard]] CircuitCounts counts() const {
    return {shape_.num_inputs_, shape_.aux_is_bit_.size(), shape_.num_constraints()};
  }

  Shape finish() &&;

 private:
  Variable push_aux(bool is_bit) {
    const std::size_t index = shape_.aux_is_bit_.size();
    CUZK_CHECK(index < Variable::kAuxFlag);
    shape_.aux_is_bit_.push_back(is_bit);
    shape_.a_aux_.push_back(false);
    shape_.b_aux_.push_back(false);
    return Variable::aux(static_cast<std::uint32_t>(index));
  }
  void push_row();

  Shape shape_;
  LinearCombination a_;
  LinearCombination b_;
  LinearCombination c_;
};
static_assert(ConstraintSystem<ShapeRecorder>);

}  // namespace cuzk
