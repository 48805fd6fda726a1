#pragma once

#include <vector>

#include "cuzk/gadgets/powers.h"
#include "cuzk/r1cs/constraint_system.h"

namespace cuzk {

/// A boolean variable with its value (constraint-system-and-gadgets 2.1).
struct AllocatedBit {
  Variable variable;
  bool value = false;
};

/// (ONE - x) * x = 0.
template <class CS>
AllocatedBit bit_alloc(CS& cs, bool value) {
  const Variable x = cs.alloc_bit(value);
  cs.enforce([&](auto& lc) { lc.add(Variable::one()).sub(x); }, [&](auto& lc) { lc.add(x); }, [](auto&) {});
  return {x, value};
}

/// (ONE - f - x) * x = 0: a bit that must be 0 where f is 1.
template <class CS>
AllocatedBit bit_alloc_conditionally(CS& cs, bool value, const AllocatedBit& must_be_false) {
  const Variable x = cs.alloc_bit(value);
  cs.enforce([&](auto& lc) { lc.add(Variable::one()).sub(must_be_false.variable).sub(x); },
             [&](auto& lc) { lc.add(x); }, [](auto&) {});
  return {x, value};
}

/// (2 a) * b = a + b - x. The doubled operand is the first.
template <class CS>
AllocatedBit bit_xor(CS& cs, const AllocatedBit& a, const AllocatedBit& b) {
  const bool value = a.value != b.value;
  const Variable x = cs.alloc_bit(value);
  cs.enforce([&](auto& lc) { lc.add(a.variable, power_of_two(1)); }, [&](auto& lc) { lc.add(b.variable); },
             [&](auto& lc) { lc.add(a.variable).add(b.variable).sub(x); });
  return {x, value};
}

/// a * b = x.
template <class CS>
AllocatedBit bit_and(CS& cs, const AllocatedBit& a, const AllocatedBit& b) {
  const bool value = a.value && b.value;
  const Variable x = cs.alloc_bit(value);
  cs.enforce([&](auto& lc) { lc.add(a.variable); }, [&](auto& lc) { lc.add(b.variable); },
             [&](auto& lc) { lc.add(x); });
  return {x, value};
}

/// a * (ONE - b) = x.
template <class CS>
AllocatedBit bit_and_not(CS& cs, const AllocatedBit& a, const AllocatedBit& b) {
  const bool value = a.value && !b.value;
  const Variable x = cs.alloc_bit(value);
  cs.enforce([&](auto& lc) { lc.add(a.variable); },
             [&](auto& lc) { lc.add(Variable::one()).sub(b.variable); }, [&](auto& lc) { lc.add(x); });
  return {x, value};
}

/// (ONE - a) * (ONE - b) = x.
template <class CS>
AllocatedBit bit_nor(CS& cs, const AllocatedBit& a, const AllocatedBit& b) {
  const bool value = !a.value && !b.value;
  const Variable x = cs.alloc_bit(value);
  cs.enforce([&](auto& lc) { lc.add(Variable::one()).sub(a.variable); },
             [&](auto& lc) { lc.add(Variable::one()).sub(b.variable); }, [&](auto& lc) { lc.add(x); });
  return {x, value};
}

/// A constant, a bit, or the negation of a bit (constraint-system-and-gadgets 2.2).
class Boolean {
 public:
  constexpr Boolean() = default;  ///< the constant false
  static constexpr Boolean constant(bool value) {
    return {Variable(), value ? Kind::kTrue : Kind::kFalse, value};
  }
  static constexpr Boolean is(const AllocatedBit& bit) { return {bit.variable, Kind::kIs, bit.value}; }
  static constexpr Boolean is_not(const AllocatedBit& bit) { return {bit.variable, Kind::kNot, !bit.value}; }

  [[nodiscard]] constexpr bool value() const { return value_; }
  [[nodiscard]] constexpr bool is_constant() const { return kind_ <= Kind::kTrue; }
  [[nodiscard]] constexpr bool is_false() const { return kind_ == Kind::kFalse; }
  [[nodiscard]] constexpr bool is_true() const { return kind_ == Kind::kTrue; }
  [[nodiscard]] constexpr bool is_negated() const { return kind_ == Kind::kNot; }
  /// The variable behind a Boolean that is not constant, with its own value.
  [[nodiscard]] constexpr AllocatedBit bit() const { return {variable_, value_ != is_negated()}; }

  constexpr Boolean operator!() const {
    constexpr Kind kOpposite[] = {Kind::kTrue, Kind::kFalse, Kind::kNot, Kind::kIs};
    return {variable_, kOpposite[static_cast<int>(kind_)], !value_};
  }

  /// Adds k times this Boolean to a linear combination.
  void add_to(LinearCombination& lc, const Fr& k) const {
    switch (kind_) {
      case Kind::kFalse:
        break;
      case Kind::kTrue:
        lc.add(Variable::one(), k);
        break;
      case Kind::kIs:
        lc.add(variable_, k);
        break;
      case Kind::kNot:
        lc.add(Variable::one(), k).sub(variable_, k);
        break;
    }
  }
  void add_to(LinearCombination& lc) const { add_to(lc, Fr::one()); }
  void sub_from(LinearCombination& lc) const { add_to(lc, -Fr::one()); }

  [[nodiscard]] constexpr Port port() const { return {static_cast<Port::Kind>(kind_), variable_}; }

 private:
  enum class Kind : std::uint8_t { kFalse, kTrue, kIs, kNot };
  static_assert(static_cast<int>(Port::Kind::kTrue) == static_cast<int>(Kind::kTrue) &&
                static_cast<int>(Port::Kind::kVariable) == static_cast<int>(Kind::kIs) &&
                static_cast<int>(Port::Kind::kNegated) == static_cast<int>(Kind::kNot));

  constexpr Boolean(Variable variable, Kind kind, bool value)
      : variable_(variable), kind_(kind), value_(value) {}

  Variable variable_;
  Kind kind_ = Kind::kFalse;
  bool value_ = false;
};

template <class CS>
Boolean boolean_xor(CS& cs, const Boolean& a, const Boolean& b) {
  if (a.is_false()) return b;
  if (b.is_false()) return a;
  if (a.is_true()) return !b;
  if (b.is_true()) return !a;
  if (a.is_negated() == b.is_negated()) return Boolean::is(bit_xor(cs, a.bit(), b.bit()));
  // The operand that is not negated comes first, whichever side it stands on.
  if (b.is_negated()) return Boolean::is_not(bit_xor(cs, a.bit(), b.bit()));
  return Boolean::is_not(bit_xor(cs, b.bit(), a.bit()));
}

template <class CS>
Boolean boolean_and(CS& cs, const Boolean& a, const Boolean& b) {
  if (a.is_false() || b.is_false()) return Boolean::constant(false);
  if (a.is_true()) return b;
  if (b.is_true()) return a;
  if (!a.is_negated() && b.is_negated()) return Boolean::is(bit_and_not(cs, a.bit(), b.bit()));
  if (a.is_negated() && !b.is_negated()) return Boolean::is(bit_and_not(cs, b.bit(), a.bit()));
  if (a.is_negated()) return Boolean::is(bit_nor(cs, a.bit(), b.bit()));
  return Boolean::is(bit_and(cs, a.bit(), b.bit()));
}

/// (a & b) xor (!a & c). The order of the rules is part of the circuit.
template <class CS>
Boolean sha256_ch(CS& cs, const Boolean& a, const Boolean& b, const Boolean& c) {
  const bool value = a.value() ? b.value() : c.value();
  if (a.is_constant() && b.is_constant() && c.is_constant()) return Boolean::constant(value);
  if (a.is_false()) return c;
  if (b.is_false()) return boolean_and(cs, !a, c);
  if (c.is_false()) return boolean_and(cs, a, b);
  if (c.is_true()) return !boolean_and(cs, a, !b);
  if (b.is_true()) return !boolean_and(cs, !a, !c);
  const Variable x = cs.alloc_bit(value);
  cs.enforce(
      [&](auto& lc) {
        b.add_to(lc);
        c.sub_from(lc);
      },
      [&](auto& lc) { a.add_to(lc); },
      [&](auto& lc) {
        lc.add(x);
        c.sub_from(lc);
      });
  return Boolean::is({x, value});
}

/// The majority of three. The order of the rules, and of the two allocations, is part of the circuit.
template <class CS>
Boolean sha256_maj(CS& cs, const Boolean& a, const Boolean& b, const Boolean& c) {
  const bool value = a.value() ? b.value() || c.value() : b.value() && c.value();
  if (a.is_constant() && b.is_constant() && c.is_constant()) return Boolean::constant(value);
  if (a.is_false()) return boolean_and(cs, b, c);
  if (b.is_false()) return boolean_and(cs, a, c);
  if (c.is_false()) return boolean_and(cs, a, b);
  if (c.is_true()) return !boolean_and(cs, !a, !b);
  if (b.is_true()) return !boolean_and(cs, !a, !c);
  if (a.is_true()) return !boolean_and(cs, !b, !c);
  const Variable m = cs.alloc_bit(value);
  const Boolean bc = boolean_and(cs, b, c);
  cs.enforce(
      [&](auto& lc) {
        bc.add_to(lc, power_of_two(1));
        b.sub_from(lc);
        c.sub_from(lc);
      },
      [&](auto& lc) { a.add_to(lc); },
      [&](auto& lc) {
        bc.add_to(lc);
        lc.sub(m);
      });
  return Boolean::is({m, value});
}

/// 0 * 0 = a - b, or the like where one is constant. False when both are constant and differ.
template <class CS>
[[nodiscard]] bool boolean_enforce_equal(CS& cs, const Boolean& a, const Boolean& b) {
  if (a.is_constant() && b.is_constant()) return a.value() == b.value();
  cs.enforce([](auto&) {}, [](auto&) {},
             [&](auto& lc) {
               if (a.is_true() || b.is_true()) {
                 lc.add(Variable::one());
                 (a.is_true() ? b : a).sub_from(lc);
               } else if (a.is_false() || b.is_false()) {
                 (a.is_false() ? b : a).add_to(lc);
               } else {
                 a.add_to(lc);
                 b.sub_from(lc);
               }
             });
  return true;
}

/// The 255 bits of the canonical representative, least significant first. Nothing ties them to x yet.
template <class CS>
std::vector<AllocatedBit> field_bits_le(CS& cs, const Fr& x) {
  const FrInt v = x.to_int();
  std::vector<AllocatedBit> bits;
  bits.reserve(kFrBits);
  for (unsigned i = 0; i < kFrBits; ++i) bits.push_back(bit_alloc(cs, v.bit(i)));
  return bits;
}

}  // namespace cuzk
