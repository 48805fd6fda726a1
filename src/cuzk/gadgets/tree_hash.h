#pragma once

#include <span>
#include <vector>

#include "cuzk/gadgets/multipack.h"
#include "cuzk/gadgets/poseidon.h"
#include "cuzk/gadgets/sha256.h"

namespace cuzk {

/// SHA-256 of Booleans in message order as a number: the digest read little-endian, its two top bits dropped.
template <class CS>
AllocatedNum sha256_number(CS& cs, std::span<const Boolean> message) {
  return pack_bits(cs, reverse_bit_numbering(sha256_circuit(cs, message)));
}

/// SHA-256 of two field bit strings (least significant first), each padded to whole bytes.
template <class CS>
AllocatedNum sha256_leaf_bits(CS& cs, std::vector<Boolean> left, std::vector<Boolean> right) {
  std::vector<Boolean> message = reverse_bit_numbering(std::move(left));
  right = reverse_bit_numbering(std::move(right));
  message.insert(message.end(), right.begin(), right.end());
  return sha256_number(cs, message);
}

/// The node hashes of the two kinds of tree (constraint-system-and-gadgets 8): hash(cs, children).
struct PoseidonTree {
  template <class CS>
  static AllocatedNum hash(CS& cs, std::span<const AllocatedNum> children) {
    return poseidon_circuit(cs, children);
  }
};

struct Sha256Tree {
  template <class CS>
  static AllocatedNum hash(CS& cs, std::span<const AllocatedNum> children) {
    std::vector<Boolean> message;
    message.reserve(256 * children.size());
    for (std::size_t i = 0; i < children.size(); ++i) {
      const Namespace ns(cs, {"child bits ", i});
      const std::vector<Boolean> bits = reverse_bit_numbering(to_bits_le(cs, children[i]));
      message.insert(message.end(), bits.begin(), bits.end());
    }
    return sha256_number(cs, message);
  }
};

}  // namespace cuzk
