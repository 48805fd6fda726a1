#pragma once

#include "cuzk/r1cs/bitmap.h"
#include "cuzk/r1cs/constraint_system.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk {

/// The constraint system that keeps the values and drops the constraints. The witness belongs to the shape
/// that the same circuit gives a ShapeRecorder.
class WitnessBuilder {
 public:
  static constexpr bool kRecords = false;

  WitnessBuilder() { (void)alloc_input(Fr::one()); }
  /// Reserves room for a witness of known size (Shape::num_bits, num_wide).
  WitnessBuilder(std::size_t bits, std::size_t wide) : WitnessBuilder() {
    bits_.reserve(bits);
    wide_.reserve(wide);
  }

  Variable alloc(const Fr& value) {
    wide_.push_back(value);
    return next_aux();
  }
  Variable alloc_bit(bool value) {
    bits_.push_back(value);
    return next_aux();
  }
  Variable alloc_input(const Fr& value) {
    inputs_.push_back(value);
    return Variable::input(static_cast<std::uint32_t>(inputs_.size() - 1));
  }
  template <class A, class B, class C>
  void enforce(A&&, B&&, C&&) {}
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  /// Boolean variables so far.
  [[nodiscard]] std::size_t num_bits() const { return bits_.size(); }

  Witness finish() && { return {std::move(inputs_), bits_.take(), std::move(wide_)}; }

 private:
  Variable next_aux() { return Variable::aux(static_cast<std::uint32_t>(bits_.size() + wide_.size() - 1)); }

  std::vector<Fr> inputs_;
  Bitmap bits_;
  std::vector<Fr> wide_;
};
static_assert(ConstraintSystem<WitnessBuilder>);

}  // namespace cuzk
