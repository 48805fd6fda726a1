// The main job of every kind, end to end: shape from the blank circuit, parameters from the reference's
// secrets, a really sealed sector's input to the proofs with the reference's r and s, by the functions that
// the command line calls. Everything must equal the reference byte for byte.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/proving/case_fixture.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/prove.h"

namespace cuzk::groth16 {
namespace {

/// Parameters under their tag in tests/data/groth16/params, and the circuit they are of.
struct Parameters {
  const char* tag;
  const char* circuit;
};

class ReferenceProofs : public testing::TestWithParam<Parameters> {
 protected:
  std::shared_ptr<const ProvingKey> make_key() {
    const auto shape = record_shape(pool_, find_circuit(GetParam().circuit).value());
    const std::string tag = GetParam().tag;
    const nlohmann::json json = cuzk::test::data_json("groth16/params/" + tag + ".json");
    const auto secret = [&](const char* name) { return test::fr_from_hex(json["toxic"][name]); };
    const ToxicWaste toxic{secret("alpha"), secret("beta"), secret("gamma"), secret("delta"), secret("tau")};
    const std::string path = folder_.file("params");
    const auto setup = generate_parameters(pool_, *shape, toxic, path);
    if (!setup) {
      ADD_FAILURE() << setup.error().message;
      return nullptr;
    }
    EXPECT_EQ(to_hex(setup->digests.sha256), json["sha256"]);
    EXPECT_EQ(setup->layout.file_bytes(), json["bytes"]);
    EXPECT_EQ(encode_verifying_key(setup->vk), test::read_file(test::data_path("params/" + tag + ".vk")));
    auto key = ProvingKey::load(pool_, path, shape);
    if (!key) ADD_FAILURE() << key.error().message;
    return key ? *key : nullptr;
  }

  ThreadPool pool_;
  test::TemporaryFolder folder_;
};

TEST_P(ReferenceProofs, AreReproduced) {
  const std::shared_ptr<const ProvingKey> key = make_key();
  ASSERT_TRUE(key);
  const PreparedVerifyingKey vk(key->vk());
  CpuProver prover(pool_);
  std::size_t cases = 0;
  for (const test::ReferenceProof& reference : test::load_reference_proofs()) {
    if (reference.params != GetParam().tag) continue;
    SCOPED_TRACE(reference.name);
    ++cases;
    const std::shared_ptr<const Statement> statement = cuzk::test::case_statement(reference.name);
    EXPECT_EQ(statement->circuit_id(), GetParam().circuit);
    ASSERT_TRUE(statement->verify_vanilla(pool_));
    std::vector<Blinding> blinding;
    for (const auto& [r, s] : reference.r_s) blinding.push_back({r, s});
    const auto proofs = prove_statement(pool_, prover, key, vk, *statement, blinding);
    ASSERT_TRUE(proofs) << proofs.error().message;
    std::vector<std::uint8_t> bytes;
    for (const Proof& proof : *proofs) {
      const ProofBytes encoded = encode_proof(proof);
      bytes.insert(bytes.end(), encoded.begin(), encoded.end());
    }
    EXPECT_EQ(to_hex(bytes), to_hex(reference.bytes));
    EXPECT_TRUE(verify_statement(pool_, vk, *statement, bytes));
  }
  EXPECT_GT(cases, 0U);
}

std::string circuit_name(const testing::TestParamInfo<Parameters>& entry) {
  std::string name = entry.param.circuit;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, ReferenceProofs,
    testing::Values(Parameters{"porep-2k", "porep-2k"}, Parameters{"winning-2k", "winning-2k"},
                    Parameters{"window-2k", "wpost-2k"}, Parameters{"window-4k", "wpost-4k"},
                    Parameters{"window-32k", "wpost-32k"}, Parameters{"update-2k", "snap-2k"}),
    circuit_name);

}  // namespace
}  // namespace cuzk::groth16
