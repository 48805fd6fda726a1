#pragma once

#include <compare>
#include <cstdint>

#include "cuzk/base/result.h"

namespace cuzk {

/// A variable of a constraint system: its kind and its index within that kind. The two index spaces are
/// independent and start at 0; input 0 is the constant ONE. Each kind may have up to 2^31 variables.
///
/// The 32-bit code orders variables canonically (all inputs before all aux, ascending index inside each
/// kind), which is the order of terms in a canonical row.
class Variable {
 public:
  static constexpr std::uint32_t kAuxFlag = std::uint32_t{1} << 31;

  constexpr Variable() = default;
  static constexpr Variable one() { return Variable(0); }
  static constexpr Variable input(std::uint32_t index) { return Variable(index); }
  static constexpr Variable aux(std::uint32_t index) { return Variable(index | kAuxFlag); }
  static constexpr Variable from_code(std::uint32_t code) { return Variable(code); }

  [[nodiscard]] constexpr bool is_aux() const { return (code_ & kAuxFlag) != 0; }
  [[nodiscard]] constexpr bool is_input() const { return !is_aux(); }
  [[nodiscard]] constexpr std::uint32_t index() const { return code_ & ~kAuxFlag; }
  [[nodiscard]] constexpr std::uint32_t code() const { return code_; }

  friend constexpr auto operator<=>(Variable a, Variable b) = default;

 private:
  explicit constexpr Variable(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = 0;
};

}  // namespace cuzk
