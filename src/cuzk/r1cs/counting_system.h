#pragma once

#include "cuzk/r1cs/constraint_system.h"

namespace cuzk {

/// Numbers of variables and constraints of a circuit, as the header of its canonical stream holds them: ONE
/// counted, input rows (constraint-system-and-gadgets 1.6) not.
struct CircuitCounts {
  std::size_t inputs = 0;
  std::size_t aux = 0;
  std::size_t constraints = 0;
  friend bool operator==(const CircuitCounts&, const CircuitCounts&) = default;
};

/// The constraint system that only counts.
class CountingSystem {
 public:
  static constexpr bool kRecords = false;

  Variable alloc(const Fr&) { return Variable::aux(static_cast<std::uint32_t>(counts_.aux++)); }
  Variable alloc_bit(bool) { return Variable::aux(static_cast<std::uint32_t>(counts_.aux++)); }
  Variable alloc_input(const Fr&) { return Variable::input(static_cast<std::uint32_t>(counts_.inputs++)); }
  template <class A, class B, class C>
  void enforce(A&&, B&&, C&&) {
    ++counts_.constraints;
  }
  void begin_namespace(const Name&) {}
  void end_namespace() {}
  template <class Ports>
  void begin_block(const Name&, Ports&&) {}
  void end_block() {}

  [[nodiscard]] const CircuitCounts& counts() const { return counts_; }

 private:
  CircuitCounts counts_{1, 0, 0};
};
static_assert(ConstraintSystem<CountingSystem>);

}  // namespace cuzk
