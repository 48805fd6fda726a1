#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "cuzk/base/bytes.h"
#include "cuzk/gadgets/num.h"

namespace cuzk {

/// Bits that one field element holds for certain.
inline constexpr std::size_t kFrCapacity = 254;

/// sum 2^j bits[j], for at most kFrCapacity bits.
inline Fr packed_value(std::span<const Boolean> bits) {
  FrInt v{};
  for (std::size_t j = 0; j < bits.size(); ++j) v.limb[j / 64] |= std::uint64_t{bits[j].value()} << (j % 64);
  return Fr::from_int(v);
}

namespace detail {
template <class CS>
void enforce_packed(CS& cs, std::span<const Boolean> bits, Variable packed) {
  cs.enforce(
      [&](auto& lc) {
        for (std::size_t j = 0; j < bits.size(); ++j) bits[j].add_to(lc, power_of_two(j));
      },
      [](auto& lc) { lc.add(Variable::one()); }, [&](auto& lc) { lc.add(packed); });
}
}  // namespace detail

/// One public input per 254 bits, the first bit of each chunk with weight 1.
template <class CS>
void pack_into_inputs(CS& cs, std::span<const Boolean> bits) {
  for (std::size_t at = 0; at < bits.size(); at += kFrCapacity) {
    const auto chunk = bits.subspan(at, std::min(kFrCapacity, bits.size() - at));
    detail::enforce_packed(cs, chunk, cs.alloc_input(packed_value(chunk)));
  }
}

/// A variable equal to the first 254 bits; any others are ignored.
template <class CS>
AllocatedNum pack_bits(CS& cs, std::span<const Boolean> bits) {
  bits = bits.first(std::min(kFrCapacity, bits.size()));
  const AllocatedNum x = num_alloc(cs, packed_value(bits));
  detail::enforce_packed(cs, bits, x.variable);
  return x;
}

/// bit_alloc for every bit, most significant first in each byte: SHA-256 message order.
template <class CS>
std::vector<Boolean> alloc_bytes_be(CS& cs, ByteSpan bytes) {
  std::vector<Boolean> out;
  for (const std::uint8_t byte : bytes)
    for (unsigned i = 8; i-- > 0;) out.push_back(Boolean::is(bit_alloc(cs, (byte >> i & 1) != 0)));
  return out;
}

/// Pads with constant zeros to whole bytes and reverses each byte: field bits to SHA-256 message order and
/// back.
inline std::vector<Boolean> reverse_bit_numbering(std::vector<Boolean> bits) {
  bits.resize((bits.size() + 7) / 8 * 8);
  for (std::size_t at = 0; at < bits.size(); at += 8)
    std::reverse(bits.begin() + static_cast<std::ptrdiff_t>(at),
                 bits.begin() + static_cast<std::ptrdiff_t>(at + 8));
  return bits;
}

}  // namespace cuzk
