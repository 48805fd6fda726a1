#pragma once

#include <cstdint>

#include "cuzk/field/fr.h"

namespace cuzk {

/// sum += a b, over the integers: limbs as they are, no reduction. The sum has nine words, so that 2^64
/// products fit. For sums of products that are reduced once (hash/poseidon.cc).
void add_product(std::uint64_t (&sum)[9], const Fr& a, const Fr& b);

/// The definition.
void add_product_plain(std::uint64_t (&sum)[9], const Fr& a, const Fr& b);

}  // namespace cuzk
