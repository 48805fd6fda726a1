// The main job on a real 2 KiB sector, end to end: shape from the blank circuit, parameters from the
// reference's secrets, phase-1 output to witness, proof with the reference's r and s. Everything must equal
// the reference byte for byte.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/porep/partition_input.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/groth16/verifier.h"
#include "cuzk/r1cs/shape_recorder.h"
#include "cuzk/r1cs/witness_builder.h"

namespace cuzk::groth16 {
namespace {

class Porep2k : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Shared;
    ShapeRecorder recorder;
    porep::synthesize(recorder, porep::PartitionInput::blank(*c1("2k-v1_1").config.sector));
    shared_->shape = std::make_shared<const Shape>(std::move(recorder).finish());

    const auto bytes = test::read_file(test::data_path("params/porep-2k.json"));
    const auto json = nlohmann::json::parse(bytes.begin(), bytes.end());
    const auto secret = [&](const char* name) { return test::fr_from_hex(json["toxic"][name]); };
    const ToxicWaste toxic{secret("alpha"), secret("beta"), secret("gamma"), secret("delta"), secret("tau")};
    const std::string path = shared_->folder.file("porep-2k.params");
    const auto setup = generate_parameters(shared_->pool, *shared_->shape, toxic, path);
    ASSERT_TRUE(setup) << setup.error().message;
    EXPECT_EQ(to_hex(setup->digests.sha256), json["sha256"]);
    EXPECT_EQ(setup->layout.file_bytes(), json["bytes"]);
    EXPECT_EQ(encode_verifying_key(setup->vk), test::read_file(test::data_path("params/porep-2k.vk")));

    auto key = ProvingKey::load(shared_->pool, path, shared_->shape);
    ASSERT_TRUE(key) << key.error().message;
    shared_->key = *key;
  }
  static void TearDownTestSuite() { delete shared_; }

  static porep::C1Output c1(const std::string& name) {
    return porep::read_c1_file(std::string(CUZK_TEST_DATA) + "/porep/" + name + ".c1.json.gz").value().output;
  }

  /// Proves the reference's case with its r and s.
  static void expect_reference_proof(const std::string& name) {
    ASSERT_TRUE(shared_->key);
    const auto references = test::load_reference_proofs();
    const auto reference = std::find_if(references.begin(), references.end(),
                                        [&](const test::ReferenceProof& p) { return p.name == name; });
    ASSERT_NE(reference, references.end());
    const auto input = porep::partition_input(c1(name), 0);
    ASSERT_TRUE(input) << input.error().message;
    WitnessBuilder builder(shared_->shape->num_bits(), shared_->shape->num_wide());
    porep::synthesize(builder, *input);
    const auto witness = std::make_shared<const Witness>(std::move(builder).finish());
    const std::span<const Fr> inputs = std::span(witness->inputs).subspan(1);
    EXPECT_TRUE(std::equal(inputs.begin(), inputs.end(), reference->public_inputs[0].begin(),
                           reference->public_inputs[0].end()));
    CpuProver prover(shared_->pool);
    const auto proof = prove(prover, shared_->key, shared_->shape, witness, reference->r_s[0].first,
                             reference->r_s[0].second);
    ASSERT_TRUE(proof) << proof.error().message;
    EXPECT_EQ(to_hex(encode_proof(*proof)), to_hex(reference->bytes));
    EXPECT_TRUE(PreparedVerifyingKey(shared_->key->vk()).verify(shared_->pool, {inputs, *proof}));
  }

  struct Shared {
    ThreadPool pool;
    test::TemporaryFolder folder;
    std::shared_ptr<const Shape> shape;
    std::shared_ptr<const ProvingKey> key;
  };
  static Shared* shared_;
};
Porep2k::Shared* Porep2k::shared_ = nullptr;

TEST_F(Porep2k, RandomData) {
  expect_reference_proof("2k-v1_1");
}
TEST_F(Porep2k, FillerData) {
  expect_reference_proof("2k-v1_1-filler");
}
TEST_F(Porep2k, SyntheticChallenges) {
  expect_reference_proof("2k-v1_2-synthetic");
}

}  // namespace
}  // namespace cuzk::groth16
