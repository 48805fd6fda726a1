#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/filecoin/api_version.h"
#include "cuzk/filecoin/merkle/sector_size.h"

namespace cuzk::porep {

inline constexpr unsigned kDrgParents = 6;
inline constexpr unsigned kExpanderParents = 8;
inline constexpr unsigned kParents = kDrgParents + kExpanderParents;
/// Parent slots of one label hash; the parents are repeated until all are filled.
inline constexpr unsigned kLabelSlots = 37;
inline constexpr unsigned kMaxLayers = 11;

/// One sector size: everything about a PoRep that depends on the size alone (porep 1).
struct SectorParams : SectorSize {
  unsigned layers;
  unsigned partitions;  ///< interactive and synthetic
  unsigned non_interactive_partitions;
  unsigned challenges;  ///< per partition
};

/// The ten sizes, ascending.
std::span<const SectorParams> sector_table();
/// Null when there is no such size. The result lives for ever.
const SectorParams* find_sector(std::uint64_t bytes);

enum class Feature { none, synthetic, non_interactive };

/// A registered seal proof type (porep 11).
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
