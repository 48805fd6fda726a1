// The C1 bincode reader and the JSON beside it. First byte of the input: low bits choose the sector size;
// 0x80 set: the rest is the data itself, else edits to valid data; 0x40 set: the rest is a side JSON. What is
// accepted must write itself back byte for byte.
#include <algorithm>
#include <cstdlib>

#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/filecoin/porep/verify.h"
#include "edit_script.h"

using namespace cuzk;
using namespace cuzk::porep;

namespace {

const C1Output& seed(unsigned which) {
  static const std::vector<C1Output> made = [] {
    ThreadPool pool(1);
    std::vector<C1Output> out;
    const std::pair<std::uint64_t, std::uint64_t> sizes[] = {{4096, 99}, {16384, 98}, {32768, 97}};
    out.push_back(
        fabricate_sector(pool, porep_config(*find_seal_proof(5)), SectorIdentity::reference()).value());
    for (const auto& [bytes, number] : sizes)
      out.push_back(
          fabricate_sector(pool, *unregistered_config(bytes, number), SectorIdentity::reference()).value());
    return out;
  }();
  return made[which];
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const ByteSpan rest(data + 1, size - 1);
  if ((data[0] & 0x40) != 0) {
    const auto config = parse_porep_side_json(rest);
    if (config && !parse_porep_side_json(byte_span(write_porep_side_json(*config)))) std::abort();
    return 0;
  }
  const C1Output& valid = seed(data[0] & 3U);
  std::string bytes;
  if ((data[0] & 0x80) != 0) {
    bytes.assign(rest.begin(), rest.end());
  } else {
    const auto written = write_c1_bincode(valid);
    bytes.assign(written.begin(), written.end());
    fuzz::apply_edits(bytes, rest);
  }
  const auto c1 = parse_c1_bincode(byte_span(bytes), valid.config);
  if (!c1) {
    if (c1.error().message.empty() || c1.error().code != ErrorCode::kBadInput) std::abort();
    return 0;
  }
  const auto again = write_c1_bincode(*c1);
  if (!std::equal(again.begin(), again.end(), bytes.begin(), bytes.end(),
                  [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); }))
    std::abort();
  static ThreadPool pool(1);
  (void)verify_vanilla(pool, *c1).has_value();
  return 0;
}
