// What is too slow for the sanitizers: the largest toy, and every bit of every reference proof.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/groth16/verifier.h"

namespace cuzk::groth16 {
namespace {

TEST(Random4000, ParametersAndProofAreByteIdenticalToTheReference) {
  ThreadPool pool;
  const test::TemporaryFolder folder;
  const test::Toy toy = test::load_toy("random-4000");
  for (const bool bits : {false, true}) {
    const std::shared_ptr<const Shape> shape = toy.circuit.shape(bits);
    const std::string path = folder.file("p");
    const auto setup = generate_parameters(pool, *shape, toy.toxic, path);
    ASSERT_TRUE(setup) << setup.error().message;
    EXPECT_EQ(to_hex(setup->digests.sha256), toy.params_sha256);
    EXPECT_EQ(encode_verifying_key(setup->vk), test::read_file(test::data_path("toy/random-4000.vk")));
    const auto key = ProvingKey::load(pool, path, shape);
    ASSERT_TRUE(key) << key.error().message;
    CpuProver prover(pool);
    const auto proof = prove(prover, *key, shape, toy.circuit.witness(bits), toy.r, toy.s);
    ASSERT_TRUE(proof) << proof.error().message;
    EXPECT_EQ(to_hex(encode_proof(*proof)), to_hex(toy.proof));
  }
}

TEST(ReferenceProofs, NoFlippedBitIsAccepted) {
  ThreadPool pool;
  for (const test::ReferenceProof& p : test::load_reference_proofs()) {
    const PreparedVerifyingKey vk(
        read_verifying_key(pool, test::data_path("params/" + p.params + ".vk")).value());
    for (std::size_t k = 0; k < p.public_inputs.size(); ++k) {
      std::atomic<int> undecodable{0};
      std::atomic<int> refused{0};
      pool.parallel_for(8 * kProofBytes, 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t bit = begin; bit < end; ++bit) {
          ProofBytes bytes;
          std::copy_n(p.bytes.begin() + static_cast<std::ptrdiff_t>(k * kProofBytes), kProofBytes,
                      bytes.begin());
          bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
          if (const auto proof = decode_proof(bytes); !proof)
            ++undecodable;
          else if (!vk.verify(pool, {p.public_inputs[k], *proof}))
            ++refused;
        }
      });
      EXPECT_EQ(undecodable + refused, 8 * static_cast<int>(kProofBytes)) << p.name << " partition " << k;
      EXPECT_EQ(refused, 3) << "the three sign bits, " << p.name;
    }
  }
}

}  // namespace
}  // namespace cuzk::groth16
