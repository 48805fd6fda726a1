#include "cuzk/proving/porep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cuzk/groth16/cpu_prover.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/proving/prove.h"

namespace cuzk {
namespace {

porep::C1Output c1(const std::string& name) {
  return porep::read_c1_file(std::string(CUZK_TEST_DATA) + "/porep/" + name + ".c1.json.gz").value().output;
}

/// The verifying key and a proof of the reference for 2 KiB sectors: verification needs no parameters.
class Porep : public testing::Test {
 protected:
  static groth16::test::ReferenceProof reference(const std::string& name) {
    const auto all = groth16::test::load_reference_proofs();
    return *std::find_if(all.begin(), all.end(), [&](const auto& p) { return p.name == name; });
  }
  Result<void> verify(const porep::C1Output& sector, ByteSpan proof) {
    return verify_statement(pool_, vk_, *porep_statement(sector), proof);
  }

  ThreadPool pool_{1};
  groth16::PreparedVerifyingKey vk_{
      groth16::read_verifying_key(pool_, groth16::test::data_path("params/porep-2k.vk")).value()};
  porep::C1Output sector_ = c1("2k-v1_1");
  groth16::test::ReferenceProof reference_ = reference("2k-v1_1");
};

TEST_F(Porep, AStatementDescribesItself) {
  const auto statement = porep_statement(sector_);
  EXPECT_EQ(statement->kind(), ProofKind::porep_seal_commit);
  EXPECT_EQ(statement->circuit_id(), "porep-2k");
  EXPECT_EQ(statement->partitions(), 1U);
  EXPECT_EQ(statement->description(), "2KiB, StackedDrg2KiBV1_1, 1 partition of 2 challenges");
  EXPECT_TRUE(statement->verify_vanilla(pool_));
}

TEST_F(Porep, TheReferencesProofOfASectorVerifiesForThatSectorOnly) {
  EXPECT_TRUE(verify(sector_, reference_.bytes));
  porep::C1Output other = sector_;
  other.replica_id[0] ^= 1;
  const auto refused = verify(other, reference_.bytes);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kBadInput);
  other.replica_id.fill(0xff);
  EXPECT_EQ(verify(other, reference_.bytes).error().message, "replica_id is not a canonical scalar");
}

TEST_F(Porep, AProofOfAnotherLengthIsRefused) {
  std::vector<std::uint8_t> bytes = reference_.bytes;
  const auto message = [&] { return verify(sector_, bytes).error().message; };
  bytes.push_back(0);
  EXPECT_EQ(message(), "a proof of 1 partitions has 1 x 192 bytes, this has 193");
  bytes.resize(191);
  EXPECT_EQ(message(), "a proof of 1 partitions has 1 x 192 bytes, this has 191");
  bytes.clear();
  EXPECT_EQ(message(), "a proof of 1 partitions has 1 x 192 bytes, this has 0");
  bytes = reference_.bytes;
  bytes.insert(bytes.end(), reference_.bytes.begin(), reference_.bytes.end());
  EXPECT_EQ(message(), "a proof of 1 partitions has 1 x 192 bytes, this has 384");
}

TEST_F(Porep, NonInteractiveTypesAreRefused) {
  const porep::C1Output sector = c1("2k-v1_2-noninteractive");
  const auto statement = porep_statement(sector);
  EXPECT_TRUE(statement->verify_vanilla(pool_));
  groth16::CpuProver prover(pool_);
  const auto proved = prove_statement(pool_, prover, nullptr, vk_, *statement, {});
  ASSERT_FALSE(proved);
  const auto verified = verify(sector, reference_.bytes);
  ASSERT_FALSE(verified);
  for (const Error& error :
       {proved.error(), verified.error(), require_concatenation(sector.config).error()}) {
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_NE(error.message.find("needs aggregation"), std::string::npos) << error.message;
  }
  EXPECT_TRUE(require_concatenation(sector_.config));
}

TEST_F(Porep, BlindingOfAnotherCountIsRefused) {
  groth16::CpuProver prover(pool_);
  const std::vector<Blinding> two(2);
  const auto proved = prove_statement(pool_, prover, nullptr, vk_, *porep_statement(sector_), two);
  ASSERT_FALSE(proved);
  EXPECT_EQ(proved.error().code, ErrorCode::kUsage);
  EXPECT_EQ(proved.error().message, "there must be one r and s for each of the 1 partitions");
}

TEST_F(Porep, AProofThatDoesNotVerifyDoesNotCount) {
  const groth16::Proof proof = groth16::decode_proof(reference_.bytes).value();
  std::vector<Fr> inputs = reference_.public_inputs[0];
  EXPECT_TRUE(check_proof(pool_, vk_, {inputs, proof}));
  inputs[2] += Fr::one();
  const auto refused = check_proof(pool_, vk_, {inputs, proof});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInternal);
  EXPECT_NE(refused.error().message.find("just made does not verify"), std::string::npos);
}

TEST(Blinding, ScalarsDiffer) {
  const Blinding a = random_blinding().value();
  const Blinding b = random_blinding().value();
  EXPECT_FALSE(a.r == a.s);
  EXPECT_FALSE(a.r == b.r);
  EXPECT_FALSE(a.s == b.s);
}

}  // namespace
}  // namespace cuzk
