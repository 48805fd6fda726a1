#include "cuzk/groth16/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cuzk/base/random.h"
#include "cuzk/curve/encoding.h"
#include "cuzk/groth16/test_support.h"

namespace cuzk::groth16 {
namespace {

using test::ReferenceProof;
using testing::HasSubstr;

class Verifier : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    references_ = new std::vector<ReferenceProof>(test::load_reference_proofs());
  }
  static void TearDownTestSuite() { delete references_; }

  const PreparedVerifyingKey& key(const std::string& tag) {
    auto& slot = keys_[tag];
    if (!slot)
      slot = std::make_unique<PreparedVerifyingKey>(
          read_verifying_key(pool_, test::data_path("params/" + tag + ".vk")).value());
    return *slot;
  }
  static const ReferenceProof& reference(const std::string& name) {
    for (const ReferenceProof& p : *references_)
      if (p.name == name) return p;
    throw std::runtime_error("no reference proof " + name);
  }
  void expect_accepts(const PreparedVerifyingKey& vk, std::span<const Fr> inputs, const Proof& proof) {
    const auto result = vk.verify(pool_, {inputs, proof});
    EXPECT_TRUE(result) << result.error().message;
  }
  void expect_refuses(const PreparedVerifyingKey& vk, std::span<const Fr> inputs, const Proof& proof) {
    const auto result = vk.verify(pool_, {inputs, proof});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
    EXPECT_THAT(result.error().message, HasSubstr("pairing equation"));
  }

  static std::vector<ReferenceProof>* references_;
  ThreadPool pool_{2};
  std::map<std::string, std::unique_ptr<PreparedVerifyingKey>> keys_;
};
std::vector<ReferenceProof>* Verifier::references_ = nullptr;

TEST_F(Verifier, ReferenceProofsHold) {
  ASSERT_EQ(references_->size(), 11U);
  for (const ReferenceProof& p : *references_) {
    const auto proofs = decode_proofs(p.bytes, p.public_inputs.size());
    ASSERT_TRUE(proofs) << p.name << ": " << proofs.error().message;
    std::vector<ProofInstance> instances;
    for (std::size_t k = 0; k < proofs->size(); ++k) {
      SCOPED_TRACE(p.name + " partition " + std::to_string(k));
      expect_accepts(key(p.params), p.public_inputs[k], (*proofs)[k]);
      instances.push_back({p.public_inputs[k], (*proofs)[k]});
    }
    EXPECT_TRUE(key(p.params).verify_batch(pool_, instances));
  }
}

TEST_F(Verifier, ChangedPublicInputs) {
  const ReferenceProof& p = reference("2k-v1_1");
  const Proof proof = decode_proof(p.bytes).value();
  const PreparedVerifyingKey& vk = key(p.params);
  for (std::size_t i = 0; i < p.public_inputs[0].size(); ++i) {
    auto inputs = p.public_inputs[0];
    inputs[i] += Fr::one();
    expect_refuses(vk, inputs, proof);
  }
  auto swapped = p.public_inputs[0];
  std::swap(swapped[0], swapped[1]);
  expect_refuses(vk, swapped, proof);
  auto fewer = p.public_inputs[0];
  fewer.pop_back();
  const auto result = vk.verify(pool_, {fewer, proof});
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message, HasSubstr("38 public inputs, the verifying key takes 39"));
  fewer.resize(40, Fr::zero());
  EXPECT_FALSE(vk.verify(pool_, {fewer, proof}));
}

TEST_F(Verifier, AnotherKeyWithAsManyInputs) {
  const ReferenceProof& p = reference("window-2k-two");
  expect_refuses(key("window-4k"), p.public_inputs[0], decode_proof(p.bytes).value());
}

TEST_F(Verifier, EveryFlippedBitIsRefused) {
  const ReferenceProof& p = reference("update-2k");
  std::size_t undecodable = 0;
  for (std::size_t bit = 0; bit < 8 * kProofBytes; ++bit) {
    auto bytes = p.bytes;
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    const auto proof = decode_proof(bytes);
    if (!proof) {
      EXPECT_THAT(proof.error().message, HasSubstr("proof element"));
      ++undecodable;
    } else {
      expect_refuses(key(p.params), p.public_inputs[0], *proof);
    }
  }
  // What still decodes is a flipped sign, and x of another point of the subgroup next to never.
  EXPECT_EQ(undecodable, 8 * kProofBytes - 3);
}

/// groth16-and-formats 6.1.
TEST_F(Verifier, InherentMalleability) {
  const ReferenceProof& p = reference("update-2k");
  const PreparedVerifyingKey& vk = key(p.params);
  const Proof good = decode_proof(p.bytes).value();
  const std::span<const Fr> inputs = p.public_inputs[0];
  TestRandom rng(61);
  const auto random = [&] { return fr_from_words([&] { return rng.next(); }); };
  const Fr x = random();
  expect_accepts(vk, inputs, {mul(good.a, x.inverse()).to_affine(), mul(good.b, x).to_affine(), good.c});
  expect_accepts(vk, inputs, {-good.a, -good.b, good.c});
  const Fr r1 = random();
  const Fr r2 = random();
  const Proof blinded{mul(good.a, r1.inverse()).to_affine(),
                      (mul(good.b, r1) + mul(vk.vk().delta_g2, r1 * r2)).to_affine(),
                      (mul(good.a, r2) + good.c).to_affine()};
  expect_accepts(vk, inputs, blinded);
  ASSERT_TRUE(decode_proof(encode_proof(blinded)));

  expect_refuses(vk, inputs, {-good.a, good.b, good.c});
  expect_refuses(vk, inputs, {good.a, -good.b, good.c});
  expect_refuses(vk, inputs, {good.a, good.b, -good.c});
  expect_refuses(vk, inputs, {mul(good.a, x).to_affine(), good.b, good.c});
  expect_refuses(vk, inputs, {good.a, mul(good.b, x).to_affine(), good.c});
  expect_refuses(vk, inputs, {good.a, good.b, mul(good.c, x).to_affine()});
  expect_refuses(vk, inputs, {good.c, good.b, good.a});
  expect_refuses(vk, inputs,
                 {mul(g1_generator(), x).to_affine(), mul(g2_generator(), r1).to_affine(),
                  mul(g1_generator(), r2).to_affine()});
}

TEST_F(Verifier, BatchNamesTheCulprit) {
  std::vector<const ReferenceProof*> window;
  for (const char* name : {"window-2k-two", "window-2k-one-padded", "window-2k-three-two-partitions"})
    window.push_back(&reference(name));
  std::vector<std::vector<Proof>> proofs;
  std::vector<ProofInstance> instances;
  for (const ReferenceProof* p : window) {
    proofs.push_back(decode_proofs(p->bytes, p->public_inputs.size()).value());
    for (std::size_t k = 0; k < p->public_inputs.size(); ++k)
      instances.push_back({p->public_inputs[k], proofs.back()[k]});
  }
  ASSERT_EQ(instances.size(), 4U);
  const PreparedVerifyingKey& vk = key("window-2k");
  EXPECT_TRUE(vk.verify_batch(pool_, instances));
  EXPECT_TRUE(vk.verify_batch(pool_, std::span(instances).first(1)));
  for (std::size_t bad = 0; bad < instances.size(); ++bad) {
    auto changed = instances;
    changed[bad].proof.c = -changed[bad].proof.c;
    const auto result = vk.verify_batch(pool_, changed);
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().message, HasSubstr("proof " + std::to_string(bad) + ": "));
  }
  auto exchanged = instances;
  std::swap(exchanged[1].proof, exchanged[2].proof);
  EXPECT_THAT(vk.verify_batch(pool_, exchanged).error().message, HasSubstr("proof 1: "));
  // Errors that cancel without random coefficients: C of two proofs shifted in opposite directions.
  auto cancelling = instances;
  cancelling[0].proof.c = (G1Jacobian::from_affine(cancelling[0].proof.c) + g1_generator()).to_affine();
  cancelling[3].proof.c = (G1Jacobian::from_affine(cancelling[3].proof.c) - g1_generator()).to_affine();
  EXPECT_THAT(vk.verify_batch(pool_, cancelling).error().message, HasSubstr("proof 0: "));
  auto short_inputs = instances;
  short_inputs[2].inputs = short_inputs[2].inputs.first(3);
  EXPECT_THAT(vk.verify_batch(pool_, short_inputs).error().message, HasSubstr("proof 2: 3 public inputs"));
  EXPECT_FALSE(vk.verify_batch(pool_, {}));
}

}  // namespace
}  // namespace cuzk::groth16
