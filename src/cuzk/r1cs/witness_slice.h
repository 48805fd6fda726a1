#pragma once

#include <span>

#include "cuzk/r1cs/bitmap.h"
#include "cuzk/r1cs/constraint_system.h"

namespace cuzk {

/// A WitnessBuilder for a part of a circuit: the values go straight into their places in a witness that
/// somebody else owns, booleans into a bitmap of the part. For parts that read no variable of another part
/// but ONE; they may then be made at the same time. Variables are numbered from the start of the part.
class WitnessSlice {
 public:
  static constexpr bool kRecords = false;

  /// `inputs` and `wide` are exactly the part's public inputs and non-boolean aux variables.
  WitnessSlice(std::span<Fr> inputs, std::span<Fr> wide, Bitmap& bits)
      : inputs_(inputs), wide_(wide), bits_(bits) {}

  Variable alloc(const Fr& value) {
    CUZK_CHECK(next_wide_ < wide_.size());
    wide_[next_wide_++] = value;
    return next_aux();
  }
  Variable alloc_bit(bool value) {
    bits_.push_back(value);
    return next_aux();
  }
  Variable alloc_input(const Fr& value) {
    CUZK_CHECK(next_input_ < inputs_.size());
    inputs_[next_input_++] = value;
    return Variable::input(static_cast<std::uint32_t>(next_input_));
  }
  template <class A, class B, class C>
  void enforce(A&&, B&&, C&&) {}
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  /// Whether every place has its value.
  [[nodiscard]] bool complete() const { return next_wide_ == wide_.size() && next_input_ == inputs_.size(); }

 protected:
  Variable next_aux() { return Variable::aux(aux_++); }

  std::span<Fr> inputs_;
  std::span<Fr> wide_;
  Bitmap& bits_;
  std::size_t next_input_ = 0;
  std::size_t next_wide_ = 0;
  std::uint32_t aux_ = 0;
};
static_assert(ConstraintSystem<WitnessSlice>);

/// The same when the values of all Poseidon blocks are in their places already: whoever makes many slices at
/// once can hash side by side first (poseidon_trace_batch). Poseidon's gadget looks for take_filled.
class PrefilledWitnessSlice : public WitnessSlice {
 public:
  using WitnessSlice::WitnessSlice;

  /// Passes over `count` >= 1 aux variables that have their values; returns the last.
  Variable take_filled(std::size_t count) {
    CUZK_CHECK(count >= 1 && count <= wide_.size() - next_wide_);
    next_wide_ += count;
    aux_ += static_cast<std::uint32_t>(count - 1);
    return next_aux();
  }
  /// The value of the last non-boolean variable so far.
  [[nodiscard]] const Fr& last_value() const { return wide_[next_wide_ - 1]; }
};
static_assert(ConstraintSystem<PrefilledWitnessSlice>);

}  // namespace cuzk
