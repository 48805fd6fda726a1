#include "cuzk/filecoin/porep/sector.h"

#include <algorithm>
#include <array>
#include <string>

namespace cuzk::porep {
namespace {

//                    L  partitions  challenges
constexpr std::array<SectorParams, 10> kSectors{{
    {kSectorSizes[0], 2, 1, 13, 2},
    {kSectorSizes[1], 2, 1, 13, 2},
    {kSectorSizes[2], 2, 1, 13, 2},
    {kSectorSizes[3], 2, 1, 13, 2},
    {kSectorSizes[4], 2, 1, 13, 2},
    {kSectorSizes[5], 2, 1, 13, 2},
    {kSectorSizes[6], 2, 1, 13, 2},
    {kSectorSizes[7], 2, 1, 13, 2},
    {kSectorSizes[8], 11, 10, 126, 18},
    {kSectorSizes[9], 11, 10, 126, 18},
}};

constexpr std::string_view kV1Names[5] = {"StackedDrg2KiBV1", "StackedDrg8MiBV1", "StackedDrg512MiBV1",
                                          "StackedDrg32GiBV1", "StackedDrg64GiBV1"};
constexpr const SectorParams* kRegisteredSizes[5] = {&kSectors[0], &kSectors[4], &kSectors[6], &kSectors[8],
                                                     &kSectors[9]};

constexpr RegisteredSealProof seal_proof(unsigned number, std::string_view name) {
  const unsigned size = number % 5;
  const unsigned kind = number / 5;
  return {number,
          name,
          kV1Names[size],
          kRegisteredSizes[size],
          kind == 0   ? ApiVersion::v1_0_0
          : kind == 1 ? ApiVersion::v1_1_0
                      : ApiVersion::v1_2_0,
          kind == 2   ? Feature::synthetic
          : kind == 3 ? Feature::non_interactive
                      : Feature::none};
}

constexpr std::array<RegisteredSealProof, 20> kSealProofs{{
    seal_proof(0, "StackedDrg2KiBV1"),
    seal_proof(1, "StackedDrg8MiBV1"),
    seal_proof(2, "StackedDrg512MiBV1"),
    seal_proof(3, "StackedDrg32GiBV1"),
    seal_proof(4, "StackedDrg64GiBV1"),
    seal_proof(5, "StackedDrg2KiBV1_1"),
    seal_proof(6, "StackedDrg8MiBV1_1"),
    seal_proof(7, "StackedDrg512MiBV1_1"),
    seal_proof(8, "StackedDrg32GiBV1_1"),
    seal_proof(9, "StackedDrg64GiBV1_1"),
    seal_proof(10, "StackedDrg2KiBV1_1_Feat_SyntheticPoRep"),
    seal_proof(11, "StackedDrg8MiBV1_1_Feat_SyntheticPoRep"),
    seal_proof(12, "StackedDrg512MiBV1_1_Feat_SyntheticPoRep"),
    seal_proof(13, "StackedDrg32GiBV1_1_Feat_SyntheticPoRep"),
    seal_proof(14, "StackedDrg64GiBV1_1_Feat_SyntheticPoRep"),
    seal_proof(15, "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"),
    seal_proof(16, "StackedDrg8MiBV1_2_Feat_NonInteractivePoRep"),
    seal_proof(17, "StackedDrg512MiBV1_2_Feat_NonInteractivePoRep"),
    seal_proof(18, "StackedDrg32GiBV1_2_Feat_NonInteractivePoRep"),
    seal_proof(19, "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep"),
}};

}  // namespace

std::span<const SectorParams> sector_table() {
  return kSectors;
}

const SectorParams* find_sector(std::uint64_t bytes) {
  const auto it =
      std::find_if(kSectors.begin(), kSectors.end(), [&](const auto& s) { return s.bytes == bytes; });
  return it == kSectors.end() ? nullptr : &*it;
}

std::span<const RegisteredSealProof> registered_seal_proofs() {
  return kSealProofs;
}

const RegisteredSealProof* find_seal_proof(std::uint64_t number) {
  return number < kSealProofs.size() ? &kSealProofs[number] : nullptr;
}

const RegisteredSealProof* find_seal_proof(std::string_view name) {
  const auto it =
      std::find_if(kSealProofs.begin(), kSealProofs.end(), [&](const auto& p) { return p.name == name; });
  return it == kSealProofs.end() ? nullptr : &*it;
}

Bytes32 porep_id_of(std::uint64_t number) {
  Bytes32 id{};
  store_le(id.data(), number);
  return id;
}

PorepConfig porep_config(const RegisteredSealProof& registered) {
  return {registered.sector, porep_id_of(registered.number), registered.version, registered.feature,
          &registered};
}

}  // namespace cuzk::porep
