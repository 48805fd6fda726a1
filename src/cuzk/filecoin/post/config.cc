#include "cuzk/filecoin/post/config.h"

#include <algorithm>
#include <array>
#include <string>

namespace cuzk::post {
namespace {

constexpr unsigned kWinningChallenges = 66;
constexpr unsigned kWindowChallenges = 10;
constexpr std::size_t kSizes = kSectorSizes.size();

constexpr unsigned window_sectors(const SectorSize& size) {
  if (size.name == "32GiB") return 2349;
  if (size.name == "64GiB") return 2300;
  return 2;
}

constexpr std::array<PostParams, 2 * kSizes> kTable = [] {
  std::array<PostParams, 2 * kSizes> table{};
  for (std::size_t i = 0; i < kSizes; ++i) {
    const SectorSize& size = kSectorSizes[i];
    table[i] = {Kind::winning, &size, kWinningChallenges, 1};
    table[kSizes + i] = {Kind::window, &size, window_sectors(size), kWindowChallenges};
  }
  return table;
}();

constexpr RegisteredPostProof registered(unsigned number, std::string_view name) {
  const SectorSize* size = kRegisteredSectorSizes[number % 5];
  const auto index = static_cast<std::size_t>(size - kSectorSizes.data());
  return {number, name, &kTable[number < 5 ? index : kSizes + index],
          number < 10 ? ApiVersion::v1_0_0 : ApiVersion::v1_2_0};
}

constexpr std::array<RegisteredPostProof, 15> kRegistered{{
    registered(0, "StackedDrgWinning2KiBV1"),
    registered(1, "StackedDrgWinning8MiBV1"),
    registered(2, "StackedDrgWinning512MiBV1"),
    registered(3, "StackedDrgWinning32GiBV1"),
    registered(4, "StackedDrgWinning64GiBV1"),
    registered(5, "StackedDrgWindow2KiBV1"),
    registered(6, "StackedDrgWindow8MiBV1"),
    registered(7, "StackedDrgWindow512MiBV1"),
    registered(8, "StackedDrgWindow32GiBV1"),
    registered(9, "StackedDrgWindow64GiBV1"),
    registered(10, "StackedDrgWindow2KiBV1_2"),
    registered(11, "StackedDrgWindow8MiBV1_2"),
    registered(12, "StackedDrgWindow512MiBV1_2"),
    registered(13, "StackedDrgWindow32GiBV1_2"),
    registered(14, "StackedDrgWindow64GiBV1_2"),
}};

}  // namespace

std::string_view to_string(Kind kind) {
  return kind == Kind::winning ? "Winning" : "Window";
}

std::span<const PostParams> post_table() {
  return kTable;
}

const PostParams* find_post(Kind kind, std::uint64_t sector_bytes) {
  const auto it = std::find_if(kTable.begin(), kTable.end(), [&](const PostParams& p) {
    return p.kind == kind && p.size->bytes == sector_bytes;
  });
  return it == kTable.end() ? nullptr : &*it;
}

std::span<const RegisteredPostProof> registered_post_proofs() {
  return kRegistered;
}

const RegisteredPostProof* find_post_proof(std::uint64_t number) {
  return number < kRegistered.size() ? &kRegistered[number] : nullptr;
}

PostConfig post_config(const RegisteredPostProof& registered) {
  return {registered.params, registered.version, &registered};
}

Result<PostConfig> post_config(Kind kind, std::uint64_t sector_bytes, ApiVersion version) {
  const PostParams* params = find_post(kind, sector_bytes);
  if (params == nullptr) return usage_error("no sector has " + std::to_string(sector_bytes) + " bytes");
  // The 66 leaves of a WinningPoSt are told apart by their challenge numbers, which 1.2.0 does not count over
  // sectors (post-and-snap 2.2).
  if (kind == Kind::winning && version == ApiVersion::v1_2_0)
    return usage_error("there is no WinningPoSt of API version 1.2.0");
  const auto it = std::find_if(kRegistered.begin(), kRegistered.end(), [&](const RegisteredPostProof& r) {
    return r.params == params && r.version == version;
  });
  return PostConfig{params, version, it == kRegistered.end() ? nullptr : &*it};
}

}  // namespace cuzk::post
