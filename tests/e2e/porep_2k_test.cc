// The main job on a real 2 KiB sector, end to end: shape from the blank circuit, parameters from the
// reference's secrets, phase-1 output to the proof with the reference's r and s, by the functions that the
// command line calls. Everything must equal the reference byte for byte.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/porep.h"
#include "cuzk/proving/prove.h"

namespace cuzk::groth16 {
namespace {

class Porep2k : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new Shared;
    shared_->shape = record_shape(find_circuit("porep-2k").value());

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

  static std::shared_ptr<const Statement> statement(const std::string& name) {
    const std::string path = std::string(CUZK_TEST_DATA) + "/porep/" + name + ".c1.json.gz";
    return porep_statement(porep::read_c1_file(path).value().output).value();
  }

  /// Proves the reference's case with its r and s.
  static void expect_reference_proof(const std::string& name) {
    ASSERT_TRUE(shared_->key);
    const auto references = test::load_reference_proofs();
    const auto reference = std::find_if(references.begin(), references.end(),
                                        [&](const test::ReferenceProof& p) { return p.name == name; });
    ASSERT_NE(reference, references.end());
    const std::shared_ptr<const Statement> sector = statement(name);
    ASSERT_TRUE(sector->verify_vanilla(shared_->pool));
    EXPECT_EQ(sector->public_inputs(0).value(), reference->public_inputs[0]);

    CpuProver prover(shared_->pool);
    const PreparedVerifyingKey vk(shared_->key->vk());
    const Blinding blinding{reference->r_s[0].first, reference->r_s[0].second};
    const auto proofs =
        prove_statement(shared_->pool, prover, shared_->key, vk, *sector, std::span(&blinding, 1));
    ASSERT_TRUE(proofs) << proofs.error().message;
    ASSERT_EQ(proofs->size(), 1U);
    const ProofBytes bytes = encode_proof(proofs->front());
    EXPECT_EQ(to_hex(bytes), to_hex(reference->bytes));
    EXPECT_TRUE(verify_statement(shared_->pool, vk, *sector, bytes));
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
