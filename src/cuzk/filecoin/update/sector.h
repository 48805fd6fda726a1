#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "cuzk/filecoin/merkle/sector_size.h"

namespace cuzk::update {

/// The circuit knows six counts of high index bits and selects one of them (h_select).
inline constexpr std::size_t kHighBitChoices = 6;

/// A sector size with everything about an EmptySectorUpdate that follows from it (post-and-snap 3.1).
struct SectorParams : SectorSize {
  /// Bits of a challenge, and levels of tree D.
  [[nodiscard]] constexpr unsigned log_nodes() const { return tree_d_levels(); }

  // ---- partitions
  [[nodiscard]] constexpr unsigned partition_bits() const {
    return log_nodes() <= 8 ? 0 : log_nodes() <= 10 ? 1 : log_nodes() <= 19 ? 2 : 4;
  }
  [[nodiscard]] constexpr unsigned partitions() const { return 1U << partition_bits(); }
  [[nodiscard]] constexpr unsigned challenges() const {
    return log_nodes() <= 19 ? 10 : 86;
  }  ///< a partition

  // ---- challenges: random bits below, the partition's number above
  [[nodiscard]] constexpr unsigned random_bits() const { return log_nodes() - partition_bits(); }
  [[nodiscard]] constexpr unsigned challenges_per_digest() const { return 254 / random_bits(); }
  [[nodiscard]] constexpr unsigned digests() const {
    return (challenges() + challenges_per_digest() - 1) / challenges_per_digest();
  }

  // ---- tree D: levels to the apex leaves, then apex_bits() levels to a partition's root, then
  // partition_bits() levels to comm_d
  [[nodiscard]] constexpr unsigned apex_bits() const { return log_nodes() <= 8 ? 3 : 7; }
  [[nodiscard]] constexpr unsigned apex_leaves() const { return 1U << apex_bits(); }
  [[nodiscard]] constexpr unsigned levels_to_apex() const { return random_bits() - apex_bits(); }

  // ---- the encoding's factor rho depends on the h highest bits of an index
  [[nodiscard]] constexpr std::array<std::size_t, kHighBitChoices> high_bit_counts() const {
    if (log_nodes() <= 10) return {1, 1, 1, 1, 1, 1};
    return {7, 8, 9, 10, 11, 12};
  }
  [[nodiscard]] constexpr unsigned high_bits() const {  ///< h, the one in use
    return static_cast<unsigned>(high_bit_counts()[3]);
  }
  /// One bit of kHighBitChoices: the first choice that equals h.
  [[nodiscard]] constexpr unsigned h_select() const { return log_nodes() <= 10 ? 1 : 8; }
  /// The first public input of partition k.
  [[nodiscard]] constexpr std::uint64_t k_and_h_select(unsigned k) const {
    return k | std::uint64_t{h_select()} << partition_bits();
  }
};

/// The nine sizes that can be updated, ascending.
std::span<const SectorParams> sector_table();
/// Null when there is no such size. The result lives for ever.
const SectorParams* find_sector(std::uint64_t bytes);

/// A registered update proof type (post-and-snap 4.2).
struct RegisteredUpdateProof {
  unsigned number;        ///< 0..4
  std::string_view name;  ///< "StackedDrg2KiBV1"
  const SectorParams* sector;
};

std::span<const RegisteredUpdateProof> registered_update_proofs();
/// Null when there is no such type.
const RegisteredUpdateProof* find_update_proof(std::uint64_t number);

}  // namespace cuzk::update
