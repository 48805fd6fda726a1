#pragma once

#include <cstdint>
#include <vector>

#include "cuzk/field/fr.h"

namespace cuzk {

/// The values of one circuit's variables, split as the shape splits them: which aux variables are boolean is
/// a property of the shape (Shape::aux_is_bit), so a boolean costs one bit here. Shape::value and
/// Shape::bits_before map an aux index to its place.
struct Witness {
  /// Public inputs, ONE first.
  std::vector<Fr> inputs;
  /// Boolean aux variables in aux order: bit i is bit i % 64 of word i / 64; bits past the end are zero.
  std::vector<std::uint64_t> bits;
  /// All other aux variables in aux order.
  std::vector<Fr> wide;
};

}  // namespace cuzk
