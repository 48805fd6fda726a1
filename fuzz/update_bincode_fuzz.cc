// The bincode reader of update partition proofs. First byte of the input: low bits choose the sector size;
// 0x80 set: the rest is the data itself, else edits to a valid proof of partition 0. What is accepted must
// write itself back byte for byte, and the native verifier must decide on it.
#include <algorithm>
#include <cstdlib>

#include "cuzk/filecoin/update/fabricate.h"
#include "cuzk/filecoin/update/verify.h"
#include "edit_script.h"

using namespace cuzk;
using namespace cuzk::update;

namespace {

struct Seed {
  const SectorParams* sector;
  FabricatedUpdate update;
  std::vector<std::uint8_t> bytes;
};

/// 2 KiB to 32 KiB: every form of a Merkle proof.
const Seed& seed(unsigned which) {
  static const std::vector<Seed> made = [] {
    ThreadPool pool(1);
    std::vector<Seed> out;
    for (const SectorParams& sector : sector_table().first(4)) {
      FabricatedUpdate update = fabricate_update(pool, sector);
      std::vector<std::uint8_t> bytes = write_partition_proof(update.proofs[0]);
      out.push_back({&sector, std::move(update), std::move(bytes)});
    }
    return out;
  }();
  return made[which];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Seed& valid = seed(data[0] & 3U);
  const ByteSpan rest(data + 1, size - 1);
  std::string bytes;
  if ((data[0] & 0x80) != 0) {
    bytes.assign(rest.begin(), rest.end());
  } else {
    bytes.assign(valid.bytes.begin(), valid.bytes.end());
    fuzz::apply_edits(bytes, rest);
  }
  const auto proof = read_partition_proof(byte_span(bytes), *valid.sector);
  if (!proof) {
    if (proof.error().message.empty() || proof.error().code != ErrorCode::kBadInput) std::abort();
    return 0;
  }
  const ByteSpan read = byte_span(bytes);
  const std::vector<std::uint8_t> again = write_partition_proof(*proof);
  if (!std::equal(again.begin(), again.end(), read.begin(), read.end())) std::abort();

  // True is only what was fabricated: any other 32 bytes break a hash, an equation or an index.
  static ThreadPool pool(1);
  std::vector<PartitionProof> proofs = valid.update.proofs;
  proofs[0] = *proof;
  const bool accepted = verify_vanilla(pool, *valid.sector, valid.update.statement, proofs).has_value();
  if (accepted != std::equal(again.begin(), again.end(), valid.bytes.begin(), valid.bytes.end()))
    std::abort();
  return 0;
}
