#include "cuzk/filecoin/porep/sector.h"

#include <algorithm>
#include <array>
#include <string>

namespace cuzk::porep {
namespace {

//                                         name      bytes                log   L  partitions  c  base sub top
constexpr std::array<SectorParams, 10> kSectors{{
    {"2KiB", std::uint64_t{1} << 11, 6, 2, 1, 13, 2, 2, 0, 0},
    {"4KiB", std::uint64_t{1} << 12, 7, 2, 1, 13, 2, 2, 2, 0},
    {"16KiB", std::uint64_t{1} << 14, 9, 2, 1, 13, 2, 2, 8, 0},
    {"32KiB", std::uint64_t{1} << 15, 10, 2, 1, 13, 2, 2, 8, 2},
    {"8MiB", std::uint64_t{1} << 23, 18, 2, 1, 13, 2, 6, 0, 0},
    {"16MiB", std::uint64_t{1} << 24, 19, 2, 1, 13, 2, 6, 2, 0},
    {"512MiB", std::uint64_t{1} << 29, 24, 2, 1, 13, 2, 8, 0, 0},
    {"1GiB", std::uint64_t{1} << 30, 25, 2, 1, 13, 2, 8, 2, 0},
    {"32GiB", std::uint64_t{1} << 35, 30, 11, 10, 126, 18, 9, 8, 0},
    {"64GiB", std::uint64_t{1} << 36, 31, 11, 10, 126, 18, 9, 8, 2},
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

std::string_view to_string(ApiVersion version) {
  switch (version) {
    case ApiVersion::v1_0_0:
      return "1.0.0";
    case ApiVersion::v1_1_0:
      return "1.1.0";
    case ApiVersion::v1_2_0:
      return "1.2.0";
  }
  return "";
}

Result<ApiVersion> api_version_from_string(std::string_view text) {
  for (const ApiVersion v : {ApiVersion::v1_0_0, ApiVersion::v1_1_0, ApiVersion::v1_2_0})
    if (text == to_string(v)) return v;
  return bad_input("unknown API version '" + std::string(text.substr(0, 40)) + "' (1.0.0, 1.1.0 or 1.2.0)");
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
