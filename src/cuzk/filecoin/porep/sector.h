#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"

namespace cuzk::porep {

inline constexpr unsigned kDrgParents = 6;
inline constexpr unsigned kExpanderParents = 8;
inline constexpr unsigned kParents = kDrgParents + kExpanderParents;
/// Parent slots of one label hash; the parents are repeated until all are filled.
inline constexpr unsigned kLabelSlots = 37;
inline constexpr unsigned kMaxLayers = 11;
inline constexpr unsigned kMaxTreeLevels = 11;  ///< of tree C or R, all sizes

/// One sector size: everything about a PoRep that depends on the size alone (porep.md section 1).
struct SectorParams {
  std::string_view name;  ///< as in registered proof names: "2KiB"
  std::uint64_t bytes;
  unsigned log_nodes;  ///< also the number of levels of tree D
  unsigned layers;
  unsigned partitions;  ///< interactive and synthetic
  unsigned non_interactive_partitions;
  unsigned challenges;   ///< per partition
  unsigned base_levels;  ///< levels of arity 8 at the bottom of trees C and R
  unsigned sub_arity;    ///< arity of the one level above them, 0 when there is none
  unsigned top_arity;    ///< arity of the one level above that, 0 when there is none

  [[nodiscard]] constexpr std::uint64_t nodes() const { return std::uint64_t{1} << log_nodes; }
  [[nodiscard]] constexpr unsigned tree_d_levels() const { return log_nodes; }
  /// Levels of trees C and R.
  [[nodiscard]] constexpr unsigned tree_levels() const {
    return base_levels + (sub_arity != 0 ? 1 : 0) + (top_arity != 0 ? 1 : 0);
  }
  /// Arity of the given level of trees C and R, level 0 joining leaves.
  [[nodiscard]] constexpr unsigned tree_arity(unsigned level) const {
    return level < base_levels ? 8 : level == base_levels ? sub_arity : top_arity;
  }
  /// Siblings of a path of tree C or R that lie below the given level.
  [[nodiscard]] constexpr unsigned siblings_below(unsigned level) const {
    return level <= base_levels ? 7 * level : 7 * base_levels + sub_arity - 1;
  }
  /// Siblings in one path of tree C or R.
  [[nodiscard]] constexpr unsigned tree_siblings() const {
    return 7 * base_levels + (sub_arity != 0 ? sub_arity - 1 : 0) + (top_arity != 0 ? top_arity - 1 : 0);
  }
};

/// The ten sizes, ascending.
std::span<const SectorParams> sector_table();
/// Null when there is no such size. The result lives for ever.
const SectorParams* find_sector(std::uint64_t bytes);

/// Selects the rules of the graph and, with Feature, of the challenges.
enum class ApiVersion { v1_0_0, v1_1_0, v1_2_0 };
std::string_view to_string(ApiVersion version);
Result<ApiVersion> api_version_from_string(std::string_view text);

enum class Feature { none, synthetic, non_interactive };

/// A registered seal proof type (porep.md section 11).
struct RegisteredSealProof {
  unsigned number;               ///< 0..19
  std::string_view name;         ///< "StackedDrg2KiBV1_1"
  std::string_view vanilla_key;  ///< member name in the C1 output: the V1 name of the size
  const SectorParams* sector;
  ApiVersion version;
  Feature feature;
};

std::span<const RegisteredSealProof> registered_seal_proofs();
const RegisteredSealProof* find_seal_proof(std::uint64_t number);
const RegisteredSealProof* find_seal_proof(std::string_view name);

/// What identifies the rules of one sector. `registered` is null for sizes without a registered type.
struct PorepConfig {
  const SectorParams* sector = nullptr;
  Bytes32 porep_id{};
  ApiVersion version = ApiVersion::v1_1_0;
  Feature feature = Feature::none;
  const RegisteredSealProof* registered = nullptr;

  [[nodiscard]] unsigned partitions() const {
    return feature == Feature::non_interactive ? sector->non_interactive_partitions : sector->partitions;
  }
};

/// u64le(number) || 24 zero bytes (nonce 0).
Bytes32 porep_id_of(std::uint64_t number);

PorepConfig porep_config(const RegisteredSealProof& registered);

}  // namespace cuzk::porep
