// Proofs: a decoder that accepts exactly one byte string for each proof.

#include <algorithm>

#include "cuzk/groth16/proof.h"

using namespace cuzk;
using namespace cuzk::groth16;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes(data, size);
  const std::size_t count = size / kProofBytes;
  if (const auto proofs = decode_proofs(bytes, count)) {
    for (std::size_t k = 0; k < count; ++k) {
      const ProofBytes again = encode_proof((*proofs)[k]);
      CUZK_CHECK(std::equal(again.begin(), again.end(), data + k * kProofBytes));
    }
  }
  return 0;
}
