// Verifying keys: no input may crash or allocate by a count it claims; what is accepted encodes to the same
// bytes.

#include <algorithm>

#include "cuzk/groth16/verifying_key.h"

using namespace cuzk;
using namespace cuzk::groth16;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ThreadPool pool(1);
  const ByteSpan bytes(data, size);
  if (const auto vk = parse_verifying_key(pool, bytes, "input")) {
    const auto again = encode_verifying_key(*vk);
    CUZK_CHECK(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));
  }
  return 0;
}
