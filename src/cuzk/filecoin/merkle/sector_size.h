#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "cuzk/filecoin/merkle/tree_shape.h"

namespace cuzk {

/// What every kind of proof knows of a sector size.
struct SectorSize {
  std::string_view name;  ///< as in registered proof names: "2KiB"
  std::uint64_t bytes;
  TreeShape tree;  ///< of the Poseidon trees C and R

  [[nodiscard]] constexpr std::uint64_t nodes() const { return bytes / 32; }
  /// Levels of tree D, the binary tree over the data.
  [[nodiscard]] constexpr unsigned tree_d_levels() const {
    return static_cast<unsigned>(std::countr_zero(nodes()));
  }
};

/// The ten sizes, ascending (post-and-snap 1.2). Not every kind of proof exists for every size.
inline constexpr std::array<SectorSize, 10> kSectorSizes{{
    {"2KiB", std::uint64_t{1} << 11, {2, 8, 0, 0}},
    {"4KiB", std::uint64_t{1} << 12, {2, 8, 2, 0}},
    {"16KiB", std::uint64_t{1} << 14, {2, 8, 8, 0}},
    {"32KiB", std::uint64_t{1} << 15, {2, 8, 8, 2}},
    {"8MiB", std::uint64_t{1} << 23, {6, 8, 0, 0}},
    {"16MiB", std::uint64_t{1} << 24, {6, 8, 2, 0}},
    {"512MiB", std::uint64_t{1} << 29, {8, 8, 0, 0}},
    {"1GiB", std::uint64_t{1} << 30, {8, 8, 2, 0}},
    {"32GiB", std::uint64_t{1} << 35, {9, 8, 8, 0}},
    {"64GiB", std::uint64_t{1} << 36, {9, 8, 8, 2}},
}};

/// The five of them that registered proof types exist for, in the order of the types' numbers.
inline constexpr std::array<const SectorSize*, 5> kRegisteredSectorSizes{
    &kSectorSizes[0], &kSectorSizes[4], &kSectorSizes[6], &kSectorSizes[8], &kSectorSizes[9]};

}  // namespace cuzk
