// The reader of PoSt vanilla proofs. First byte of the input: low four bits choose kind and size; 0x80 set:
// the rest is the data itself, else edits to a valid proof. What is accepted must write itself back byte for
// byte, and verifying it must come to an end.
#include <algorithm>
#include <cstdlib>

#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/filecoin/post/partition_input.h"
#include "edit_script.h"

using namespace cuzk;
using namespace cuzk::post;

namespace {

struct Seed {
  PostConfig config;
  std::vector<std::uint8_t> bytes;
};

const Seed& seed(unsigned which) {
  static const std::vector<Seed> made = [] {
    ThreadPool pool(1);
    std::vector<Seed> out;
    for (const Kind kind : {Kind::window, Kind::winning})
      for (const std::uint64_t size : {2048, 4096, 16384, 32768}) {
        const PostConfig config = post_config(kind, size, ApiVersion::v1_0_0).value();
        out.push_back(
            {config, write_sector_proof(fabricate_sector(pool, config, reference_randomness(), 7, 0))});
      }
    return out;
  }();
  return made[which % made.size()];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteSpan rest(data + 1, size - 1);
  const Seed& valid = seed(data[0] & 0x0fU);
  std::vector<std::uint8_t> bytes(rest.begin(), rest.end());
  if ((data[0] & 0x80) == 0) {
    std::string edited(valid.bytes.begin(), valid.bytes.end());
    fuzz::apply_edits(edited, rest);
    bytes.assign(edited.begin(), edited.end());
  }
  const std::vector<std::vector<std::uint8_t>> blobs{bytes};
  const auto partition = read_partition(valid.config, reference_randomness(), 0, blobs);
  if (!partition) {
    if (partition.error().message.empty() || partition.error().code != ErrorCode::kBadInput) std::abort();
    return 0;
  }
  if (write_sector_proof(partition->sectors[0]) != bytes) std::abort();
  static ThreadPool pool(1);
  (void)verify_vanilla(pool, *partition).has_value();
  if (!partition_input(*partition)) std::abort();
  return 0;
}
