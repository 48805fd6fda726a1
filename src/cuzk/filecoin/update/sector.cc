#include "cuzk/filecoin/update/sector.h"

namespace cuzk::update {
namespace {

/// All sizes but 1 GiB, for which there is no update.
constexpr std::array<SectorParams, kSectorSizes.size() - 1> kSectors = [] {
  std::array<SectorParams, kSectorSizes.size() - 1> out{};
  std::size_t next = 0;
  for (const SectorSize& size : kSectorSizes)
    if (size.bytes != std::uint64_t{1} << 30) out[next++] = SectorParams{size};
  return out;
}();

constexpr RegisteredUpdateProof kRegistered[] = {
    {0, "StackedDrg2KiBV1", &kSectors[0]},   {1, "StackedDrg8MiBV1", &kSectors[4]},
    {2, "StackedDrg512MiBV1", &kSectors[6]}, {3, "StackedDrg32GiBV1", &kSectors[7]},
    {4, "StackedDrg64GiBV1", &kSectors[8]},
};

}  // namespace

std::span<const SectorParams> sector_table() {
  return kSectors;
}

const SectorParams* find_sector(std::uint64_t bytes) {
  for (const SectorParams& s : kSectors)
    if (s.bytes == bytes) return &s;
  return nullptr;
}

std::span<const RegisteredUpdateProof> registered_update_proofs() {
  return kRegistered;
}

const RegisteredUpdateProof* find_update_proof(std::uint64_t number) {
  for (const RegisteredUpdateProof& r : kRegistered)
    if (r.number == number) return &r;
  return nullptr;
}

}  // namespace cuzk::update
