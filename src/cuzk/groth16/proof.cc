#include "cuzk/groth16/proof.h"

#include <string>

#include "cuzk/curve/encoding.h"

namespace cuzk::groth16 {
namespace {

constexpr std::size_t kOffsetB = 48;
constexpr std::size_t kOffsetC = 144;

Error element_error(const char* element, std::size_t offset, const Error& error) {
  return bad_input("proof element " + std::string(element) + " at byte " + std::to_string(offset) + ": " +
                   error.message);
}

}  // namespace

ProofBytes encode_proof(const Proof& proof) {
  ProofBytes out;
  const auto a = encode_g1_compressed(proof.a);
  const auto b = encode_g2_compressed(proof.b);
  const auto c = encode_g1_compressed(proof.c);
  std::copy(a.begin(), a.end(), out.begin());
  std::copy(b.begin(), b.end(), out.begin() + kOffsetB);
  std::copy(c.begin(), c.end(), out.begin() + kOffsetC);
  return out;
}

Result<Proof> decode_proof(ByteSpan bytes) {
  if (bytes.size() != kProofBytes)
    return bad_input("a proof has " + std::to_string(kProofBytes) + " bytes, this has " +
                     std::to_string(bytes.size()));
  auto a = decode_g1_compressed(bytes.first<48>());
  if (!a) return element_error("A", 0, a.error());
  auto b = decode_g2_compressed(bytes.subspan<kOffsetB, 96>());
  if (!b) return element_error("B", kOffsetB, b.error());
  auto c = decode_g1_compressed(bytes.subspan<kOffsetC, 48>());
  if (!c) return element_error("C", kOffsetC, c.error());
  return Proof{*a, *b, *c};
}

Result<std::vector<Proof>> decode_proofs(ByteSpan bytes, std::size_t count) {
  if (bytes.size() % kProofBytes != 0 || bytes.size() / kProofBytes != count)
    return bad_input("a proof of " + std::to_string(count) + " partitions has " + std::to_string(count) +
                     " x " + std::to_string(kProofBytes) + " bytes, this has " +
                     std::to_string(bytes.size()));
  std::vector<Proof> proofs;
  proofs.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    auto proof = decode_proof(bytes.subspan(k * kProofBytes, kProofBytes));
    if (!proof) return proof.error().within("partition " + std::to_string(k));
    proofs.push_back(*proof);
  }
  return proofs;
}

}  // namespace cuzk::groth16
