#pragma once

#include <array>
#include <initializer_list>
#include <span>

#include "cuzk/gadgets/multieq.h"

namespace cuzk {

/// 32 Booleans, least significant first, with their value (constraint-system-and-gadgets 4.1).
struct UInt32 {
  std::array<Boolean, 32> bits;
  std::uint32_t value = 0;

  static UInt32 constant(std::uint32_t v) {
    UInt32 out;
    out.value = v;
    for (unsigned i = 0; i < 32; ++i) out.bits[i] = Boolean::constant((v >> i & 1) != 0);
    return out;
  }
  template <class CS>
  static UInt32 alloc(CS& cs, std::uint32_t v) {
    UInt32 out;
    out.value = v;
    for (unsigned i = 0; i < 32; ++i) out.bits[i] = Boolean::is(bit_alloc(cs, (v >> i & 1) != 0));
    return out;
  }
  /// From 32 Booleans, most significant first.
  static UInt32 from_bits_be(std::span<const Boolean> be) {
    UInt32 out;
    for (unsigned i = 0; i < 32; ++i) {
      out.bits[i] = be[31 - i];
      out.value |= std::uint32_t{be[31 - i].value()} << i;
    }
    return out;
  }
  [[nodiscard]] UInt32 rotr(unsigned n) const {
    UInt32 out;
    for (unsigned i = 0; i < 32; ++i) out.bits[i] = bits[(i + n) % 32];
    out.value = value >> n | value << (32 - n) % 32;
    return out;
  }
  [[nodiscard]] UInt32 shr(unsigned n) const {
    UInt32 out;
    for (unsigned i = 0; i + n < 32; ++i) out.bits[i] = bits[i + n];
    out.value = value >> n;
    return out;
  }
  [[nodiscard]] bool is_constant() const {
    for (const Boolean& b : bits)
      if (!b.is_constant()) return false;
    return true;
  }
};

template <class CS>
UInt32 uint32_xor(CS& cs, const UInt32& a, const UInt32& b) {
  UInt32 out;
  for (unsigned i = 0; i < 32; ++i) out.bits[i] = boolean_xor(cs, a.bits[i], b.bits[i]);
  out.value = a.value ^ b.value;
  return out;
}

template <class CS>
UInt32 uint32_ch(CS& cs, const UInt32& a, const UInt32& b, const UInt32& c) {
  UInt32 out;
  for (unsigned i = 0; i < 32; ++i) out.bits[i] = sha256_ch(cs, a.bits[i], b.bits[i], c.bits[i]);
  out.value = (a.value & b.value) ^ (~a.value & c.value);
  return out;
}

template <class CS>
UInt32 uint32_maj(CS& cs, const UInt32& a, const UInt32& b, const UInt32& c) {
  UInt32 out;
  for (unsigned i = 0; i < 32; ++i) out.bits[i] = sha256_maj(cs, a.bits[i], b.bits[i], c.bits[i]);
  out.value = (a.value & b.value) ^ (a.value & c.value) ^ (b.value & c.value);
  return out;
}

/// The sum modulo 2^32 of 2 to 10 operands. Costs the bits of the full sum; those above 31 are carries and
/// only appear in the equality (constraint-system-and-gadgets 4.2).
template <class CS>
UInt32 uint32_addmany(MultiEq<CS>& meq, std::span<const UInt32* const> operands) {
  CUZK_CHECK(operands.size() >= 2 && operands.size() <= 10);
  std::uint64_t sum = 0;
  bool constant = true;
  for (const UInt32* op : operands) {
    sum += op->value;
    constant = constant && op->is_constant();
  }
  if (constant) return UInt32::constant(static_cast<std::uint32_t>(sum));
  const auto n = static_cast<std::size_t>(std::bit_width(operands.size() * std::uint64_t{0xffffffff}));
  std::array<Boolean, 40> bits;
  for (std::size_t i = 0; i < n; ++i) bits[i] = Boolean::is(bit_alloc(meq.cs(), (sum >> i & 1) != 0));
  meq.begin(n);
  if constexpr (CS::kRecords) {
    for (const UInt32* op : operands)
      for (std::size_t i = 0; i < 32; ++i) meq.left(op->bits[i], i);
    for (std::size_t i = 0; i < n; ++i) meq.right(bits[i], i);
  }
  UInt32 out;
  std::copy_n(bits.begin(), 32, out.bits.begin());
  out.value = static_cast<std::uint32_t>(sum);
  return out;
}

}  // namespace cuzk
