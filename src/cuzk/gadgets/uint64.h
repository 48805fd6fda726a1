#pragma once

#include <array>

#include "cuzk/gadgets/multipack.h"

namespace cuzk {

/// 64 Booleans, least significant first (constraint-system-and-gadgets 9.1).
struct UInt64 {
  std::array<Boolean, 64> bits;

  static UInt64 constant(std::uint64_t v) {
    UInt64 out;
    for (unsigned i = 0; i < 64; ++i) out.bits[i] = Boolean::constant((v >> i & 1) != 0);
    return out;
  }
  template <class CS>
  static UInt64 alloc(CS& cs, std::uint64_t v) {
    UInt64 out;
    for (unsigned i = 0; i < 64; ++i) {
      const Namespace ns(cs, {"allocated bit ", i});
      out.bits[i] = Boolean::is(bit_alloc(cs, (v >> i & 1) != 0));
    }
    return out;
  }
  /// One public input, equal to the integer.
  template <class CS>
  void pack_into_input(CS& cs) const {
    pack_into_inputs(cs, bits);
  }
};

}  // namespace cuzk
