#include "cuzk/proving/statement.h"

#include <gtest/gtest.h>

#include <functional>

#include "cuzk/groth16/test_support.h"
#include "cuzk/proving/case_fixture.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/prove.h"

namespace cuzk {
namespace {

/// Every proof of the reference, of every kind, against the statement that is read from the case's input.
TEST(ReferenceProofs, VerifyForTheirStatementOnly) {
  ThreadPool pool(2);
  std::size_t kinds = 0;
  for (const groth16::test::ReferenceProof& reference : groth16::test::load_reference_proofs()) {
    SCOPED_TRACE(reference.name);
    const auto statement = test::case_statement(reference.name);
    kinds |= std::size_t{1} << static_cast<unsigned>(statement->kind());
    ASSERT_TRUE(statement->verify_vanilla(pool));
    ASSERT_EQ(statement->partitions(), reference.public_inputs.size());
    for (unsigned k = 0; k < statement->partitions(); ++k)
      EXPECT_EQ(statement->public_inputs(k).value(), reference.public_inputs[k]);
    const groth16::PreparedVerifyingKey vk(
        groth16::read_verifying_key(pool, groth16::test::data_path("params/" + reference.params + ".vk"))
            .value());
    EXPECT_TRUE(verify_statement(pool, vk, *statement, reference.bytes));
    std::vector<std::uint8_t> flipped = reference.bytes;
    flipped[0] ^= 0x20;  // the sign of A
    EXPECT_FALSE(verify_statement(pool, vk, *statement, flipped));
    if (statement->partitions() > 1) {
      std::vector<std::uint8_t> swapped(flipped.begin() + 192, flipped.end());
      swapped.insert(swapped.end(), reference.bytes.begin(), reference.bytes.begin() + 192);
      EXPECT_FALSE(verify_statement(pool, vk, *statement, swapped));
    }
  }
  EXPECT_EQ(kinds, 0b11110U) << "a kind without a reference proof";
}

TEST(Statements, DescribeThemselves) {
  struct Case {
    const char* name;
    const char* circuit;
    const char* description;
    unsigned parts;  // of the witness: 66 slots by eights, or two by fours; challenges
  };
  const Case cases[] = {
      {"winning-2k", "winning-2k", "2KiB, StackedDrgWinning2KiBV1, 1 sector", 9},
      {"window-2k-one-padded", "wpost-2k", "2KiB, StackedDrgWindow2KiBV1_2, 1 sector in 1 partition of 2", 1},
      {"window-2k-three-two-partitions", "wpost-2k",
       "2KiB, StackedDrgWindow2KiBV1_2, 3 sectors in 2 partitions of 2", 1},
      {"window-32k", "wpost-32k",
       "32KiB, WindowPoSt without registered type, API 1.2.0, 1 sector in 1 partition of 2", 1},
      {"update-2k", "snap-2k", "2KiB, SnapDeals update, 1 partition of 10 challenges", 10},
      {"update-32k", "snap-32k", "32KiB, SnapDeals update, 2 partitions of 10 challenges", 10}};
  for (const Case& want : cases) {
    SCOPED_TRACE(want.name);
    const auto statement = test::case_statement(want.name);
    EXPECT_EQ(statement->circuit_id(), want.circuit);
    EXPECT_EQ(statement->description(), want.description);
    EXPECT_EQ(statement->synthesis_parts(), want.parts);
    EXPECT_TRUE(statement->provable());
  }
}

TEST(WindowPartition, IsBuiltCheckedAndStopped) {
  ThreadPool pool(2);
  const auto shape = record_shape(pool, find_circuit("wpost-2k").value());
  const auto statement = test::case_statement("window-2k-three-old-api");
  ASSERT_EQ(statement->partitions(), 2U);
  for (unsigned k = 0; k < 2; ++k) {
    const auto partition = statement->synthesize(pool, *shape, k, {});
    ASSERT_TRUE(partition) << partition.error().message;
    ASSERT_TRUE(shape->validate(*partition->witness));
    EXPECT_EQ(shape->first_unsatisfied(pool, *partition->witness), shape->num_constraints());
    EXPECT_EQ(partition->inputs, statement->public_inputs(k).value());
  }
  EXPECT_FALSE(statement->synthesize(pool, *shape, 2, {}));
  EXPECT_FALSE(statement->public_inputs(2));
  EXPECT_FALSE(statement->digest(2));

  std::stop_source stop;
  stop.request_stop();
  const auto stopped = statement->synthesize(pool, *shape, 0, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::kStopped);
}

/// A request that is right, one change, and how the message must begin.
class Refused : public testing::Test {
 protected:
  using Change = std::function<void(ProofRequest&)>;
  void expect(const std::string& message, const Change& change) {
    ProofRequest request = valid_;
    change(request);
    const auto statement = read_request(pool_, std::move(request));
    ASSERT_FALSE(statement) << message;
    EXPECT_EQ(statement.error().code, ErrorCode::kBadInput) << statement.error().message;
    EXPECT_EQ(statement.error().message.substr(0, message.size()), message);
  }
  void expect_valid() {
    const auto statement = read_request(pool_, valid_);
    EXPECT_TRUE(statement) << statement.error().message;
    ProofRequest without_size = valid_;
    without_size.sector_size = 0;
    EXPECT_TRUE(read_request(pool_, without_size));
    without_size.sector_number = 77;  // for information only
    EXPECT_TRUE(read_request(pool_, without_size));
  }
  /// What the kinds other than PoRep refuse alike.
  void expect_common() {
    expect("sector_size: 4096, but registered_proof", [](auto& r) { r.sector_size = 4096; });
    expect("vanilla_proof: must be empty", [](auto& r) { r.vanilla_proof = {1}; });
    expect("vanilla_proofs", [](auto& r) { r.vanilla_proofs.clear(); });
    expect("vanilla_proofs[0]", [](auto& r) { r.vanilla_proofs[0].push_back(0); });
    expect("vanilla_proofs[0]", [](auto& r) { r.vanilla_proofs[0].pop_back(); });
    expect("vanilla_proofs[0]", [](auto& r) { r.vanilla_proofs[0].clear(); });
  }

  ThreadPool pool_{2};
  ProofRequest valid_;
};

TEST_F(Refused, WinningPost) {
  valid_ = test::case_request("winning-2k");
  expect_valid();
  expect_common();
  expect("registered_proof: 5 is no WinningPoSt type", [](auto& r) { r.registered_proof = 5; });
  expect("registered_proof: 15 is no WinningPoSt type", [](auto& r) { r.registered_proof = 15; });
  expect("sector_size: 2048, but registered_proof 1", [](auto& r) { r.registered_proof = 1; });
  expect("vanilla_proofs[0]", [](auto& r) {  // a proof of another sector size
    r.registered_proof = 1;
    r.sector_size = 0;
  });
  expect("vanilla_proofs", [](auto& r) { r.vanilla_proofs.push_back(r.vanilla_proofs[0]); });
  expect("vanilla_proofs[0]", [](auto& r) { r.vanilla_proofs[0][120] ^= 1; });
  expect("randomness", [](auto& r) { r.randomness.resize(31); });
  expect("randomness", [](auto& r) { r.randomness.resize(33); });
  expect("randomness", [](auto& r) { r.randomness.clear(); });
  expect("randomness", [](auto& r) { r.randomness[31] = 0x7f; });      // r or more
  expect("vanilla_proofs[0]", [](auto& r) { r.randomness[0] ^= 1; });  // other leaves
  expect("partition_index: must be 0", [](auto& r) { r.partition_index = 1; });
  expect("comm_r_old: must be empty", [](auto& r) { r.comm_r_old.resize(32); });
  expect("comm_r_new: must be empty", [](auto& r) { r.comm_r_new.resize(32); });
  expect("comm_d_new: must be empty", [](auto& r) { r.comm_d_new.resize(32); });
}

TEST_F(Refused, WindowPost) {
  valid_ = test::case_request("window-2k-two");
  expect_valid();
  expect_common();
  valid_.partition_index = 7;  // without effect in this version
  expect_valid();
  expect("registered_proof: 4 is no WindowPoSt type", [](auto& r) { r.registered_proof = 4; });
  expect("vanilla_proofs", [](auto& r) { r.vanilla_proofs.push_back(r.vanilla_proofs[1]); });
  expect("vanilla_proofs", [](auto& r) { std::swap(r.vanilla_proofs[0], r.vanilla_proofs[1]); });
  expect("vanilla_proofs", [](auto& r) { r.vanilla_proofs[1] = r.vanilla_proofs[0]; });
  expect("vanilla_proofs[1]", [](auto& r) { r.vanilla_proofs[1].push_back(0); });
  expect("vanilla_proofs[1]", [](auto& r) { r.vanilla_proofs[1][8] ^= 1; });  // comm_r
  expect("randomness", [](auto& r) { r.randomness.resize(31); });
  expect("comm_r_old: must be empty", [](auto& r) { r.comm_r_old.resize(32); });
}

/// Below API 1.2.0 the place of a sector decides what it opens.
TEST_F(Refused, WindowPostOfAnotherPartition) {
  valid_ = test::case_request("window-2k-three-old-api");
  valid_.vanilla_proofs = {valid_.vanilla_proofs[2]};
  valid_.partition_index = 1;
  expect_valid();
  expect("vanilla_proofs[0]", [](auto& r) { r.partition_index = 0; });
}

TEST_F(Refused, SnapDealsUpdate) {
  valid_ = test::case_request("update-2k");
  expect_valid();
  expect_common();
  expect("registered_proof: 5 is no update proof type", [](auto& r) { r.registered_proof = 5; });
  expect("vanilla_proofs: 1 given, but an update of 32GiB has 16 partitions", [](auto& r) {
    r.registered_proof = 3;
    r.sector_size = 0;
  });
  for (const std::size_t count : {15U, 17U})
    expect("vanilla_proofs: " + std::to_string(count) + " given, but an update of 32GiB has 16 partitions",
           [count](auto& r) {
             r.registered_proof = 3;
             r.sector_size = 0;
             r.vanilla_proofs.assign(count, r.vanilla_proofs[0]);
           });
  expect("vanilla_proofs[0]: ", [](auto& r) { r.vanilla_proofs[0][0] ^= 1; });  // comm_c
  expect("vanilla_proofs[0]", [](auto& r) { r.vanilla_proofs[0][40] ^= 1; });   // an apex leaf
  expect("randomness: must be empty", [](auto& r) { r.randomness.resize(32); });
  expect("partition_index: must be 0", [](auto& r) { r.partition_index = 1; });
  expect("comm_r_old: 31 bytes where 32 are needed", [](auto& r) { r.comm_r_old.resize(31); });
  expect("comm_r_new: 0 bytes where 32 are needed", [](auto& r) { r.comm_r_new.clear(); });
  expect("comm_d_new: 33 bytes where 32 are needed", [](auto& r) { r.comm_d_new.resize(33); });
  expect("comm_d_new", [](auto& r) { r.comm_d_new.assign(32, 0xff); });
  expect("vanilla_proofs[0]", [](auto& r) { r.comm_r_new[0] ^= 1; });  // other challenges
}

}  // namespace
}  // namespace cuzk
