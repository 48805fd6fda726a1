#include "cuzk/proving/request.h"

#include <gtest/gtest.h>

#include <functional>

#include "cuzk/base/bytes.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/proving/statement.h"

namespace cuzk {
namespace {

TEST(ProofKinds, NamesOfTheApi) {
  const std::pair<const char*, const char*> names[] = {{"porep-c2", "porep_c2"},
                                                       {"snap-update", "snap_update"},
                                                       {"window-post", "window_post"},
                                                       {"winning-post", "winning_post"}};
  const char* const short_names[] = {"porep", "snap", "wpost", "winning"};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kProofKinds[i]), i + 1);
    EXPECT_EQ(to_string(kProofKinds[i]), names[i].first);
    EXPECT_EQ(metric_label(kProofKinds[i]), names[i].second);
    EXPECT_EQ(proof_kind_from_string(names[i].first).value(), kProofKinds[i]);
    EXPECT_EQ(proof_kind_from_string(short_names[i]).value(), kProofKinds[i]);
  }
  const auto unknown = proof_kind_from_string("post");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_EQ(unknown.error().message,
            "there is no kind of proof 'post'; known: porep or porep-c2, snap or snap-update, wpost or "
            "window-post, "
            "winning or winning-post");
}

/// Each member changes the digest, and bytes cannot move from one member to the next unnoticed.
TEST(PayloadDigest, EveryMemberCounts) {
  const std::function<void(ProofRequest&)> changes[] = {
      [](ProofRequest&) {},
      [](ProofRequest& r) { r.kind = ProofKind::winning_post; },
      [](ProofRequest& r) { r.sector_size = 2048; },
      [](ProofRequest& r) { r.registered_proof = 5; },
      [](ProofRequest& r) { r.vanilla_proof = {1}; },
      [](ProofRequest& r) { r.vanilla_proof = {0}; },
      [](ProofRequest& r) { r.vanilla_proofs = {{}}; },
      [](ProofRequest& r) {
        r.vanilla_proofs = {{}, {}};
      },
      [](ProofRequest& r) { r.vanilla_proofs = {{1}}; },
      [](ProofRequest& r) {
        r.vanilla_proofs = {{1}, {}};
      },
      [](ProofRequest& r) {
        r.vanilla_proofs = {{}, {1}};
      },
      [](ProofRequest& r) { r.sector_number = 1; },
      [](ProofRequest& r) { r.miner_id = 1; },
      [](ProofRequest& r) { r.randomness = {1}; },
      [](ProofRequest& r) { r.partition_index = 1; },
      [](ProofRequest& r) { r.comm_r_old = {1}; },
      [](ProofRequest& r) { r.comm_r_new = {1}; },
      [](ProofRequest& r) { r.comm_d_new = {1}; },
  };
  std::vector<Bytes32> digests;
  for (const auto& change : changes) {
    ProofRequest request;
    change(request);
    const Bytes32 digest = payload_digest(request);
    EXPECT_EQ(digest, payload_digest(request));
    EXPECT_EQ(std::count(digests.begin(), digests.end(), digest), 0);
    digests.push_back(digest);
  }
}

std::vector<std::uint8_t> bytes_of(std::string_view text) {
  const ByteSpan span = byte_span(text);
  return {span.begin(), span.end()};
}

/// A real sector as Curio asks for its proof: miner 1234, sector 42.
class PorepRequest : public testing::Test {
 protected:
  static ProofRequest valid() {
    const porep::C1Output c1 = porep::read_c1_file(CUZK_TEST_DATA "/porep/2k-v1_1.c1.json.gz").value().output;
    ProofRequest request;
    request.registered_proof = 5;
    request.sector_size = 2048;
    request.miner_id = 1234;
    request.sector_number = 42;
    request.vanilla_proof = bytes_of(porep::write_c1_wrapper({42, 2048}, porep::write_c1_json(c1)));
    return request;
  }
  /// The error of the valid request after a change.
  Error refused(const std::function<void(ProofRequest&)>& change) {
    ProofRequest request = valid();
    change(request);
    const auto statement = read_request(pool_, std::move(request));
    EXPECT_FALSE(statement);
    return statement ? Error{} : statement.error();
  }
  void expect(const std::string& message, const std::function<void(ProofRequest&)>& change,
              ErrorCode code = ErrorCode::kBadInput) {
    const Error error = refused(change);
    EXPECT_EQ(error.code, code);
    EXPECT_EQ(error.message.substr(0, message.size()), message);
  }

  ThreadPool pool_{2};
};

TEST_F(PorepRequest, IsAcceptedInTheWrapperAndPlain) {
  ProofRequest request = valid();
  EXPECT_TRUE(read_request(pool_, request));
  request.sector_size = 0;  // as registered_proof says
  const auto statement = read_request(pool_, request);
  ASSERT_TRUE(statement) << statement.error().message;
  EXPECT_EQ((*statement)->circuit_id(), "porep-2k");
  request.vanilla_proof = bytes_of(
      porep::write_c1_json(porep::read_c1_file(CUZK_TEST_DATA "/porep/2k-v1_1.c1.json.gz").value().output));
  EXPECT_TRUE(read_request(pool_, request));
}

TEST_F(PorepRequest, EveryMemberIsChecked) {
  expect("registered_proof: 20 is no seal proof type", [](auto& r) { r.registered_proof = 20; });
  expect(
      "registered_proof: StackedDrg2KiBV1_2_Feat_NonInteractivePoRep needs aggregation",
      [](auto& r) { r.registered_proof = 15; }, ErrorCode::kUnsupported);
  expect("registered_proof: 0 is StackedDrg2KiBV1, but vanilla_proof is of type StackedDrg2KiBV1_1",
         [](auto& r) { r.registered_proof = 0; });
  expect("sector_size: 4096, but registered_proof 5 (StackedDrg2KiBV1_1) is of sectors of 2048 bytes",
         [](auto& r) { r.sector_size = 4096; });
  expect("vanilla_proof: empty", [](auto& r) { r.vanilla_proof.clear(); });
  expect("vanilla_proof: ", [](auto& r) { r.vanilla_proof.resize(5000); });
  expect("vanilla_proof: SectorSize: 4096, but", [](auto& r) {
    std::string text(r.vanilla_proof.begin(), r.vanilla_proof.end());
    text.replace(text.find(":2048}"), 6, ":4096}");
    r.vanilla_proof = bytes_of(text);
  });
  expect("vanilla_proofs: must be empty for porep-c2", [](auto& r) { r.vanilla_proofs = {{1}}; });
  expect("sector_number: 43, but vanilla_proof has SectorNum 42", [](auto& r) { r.sector_number = 43; });
  expect("miner_id, sector_number: they do not belong to vanilla_proof: replica_id: ",
         [](auto& r) { r.miner_id = 1235; });
  expect("randomness: must be empty for porep-c2", [](auto& r) { r.randomness.resize(32); });
  expect("partition_index: must be 0 for porep-c2", [](auto& r) { r.partition_index = 1; });
  expect("comm_r_old: must be empty for porep-c2", [](auto& r) { r.comm_r_old.resize(32); });
  expect("comm_r_new: must be empty for porep-c2", [](auto& r) { r.comm_r_new.resize(32); });
  expect("comm_d_new: must be empty for porep-c2", [](auto& r) { r.comm_d_new.resize(32); });
  expect("proof_kind: 0 is no kind of proof", [](auto& r) { r.kind = ProofKind{0}; });
  expect("proof_kind: 5 is no kind of proof", [](auto& r) { r.kind = ProofKind{5}; });
}

TEST_F(PorepRequest, AFalseVanillaProofIsRefusedWithItsPlace) {
  expect("vanilla_proof: vanilla_proofs.StackedDrg2KiBV1[0][1].", [](auto& r) {
    porep::C1Output c1 = porep::read_c1_file(CUZK_TEST_DATA "/porep/2k-v1_1.c1.json.gz").value().output;
    c1.vanilla.challenge(0, 1).tree_d().siblings[0][0] ^= 1;
    r.vanilla_proof = bytes_of(porep::write_c1_wrapper({42, 2048}, porep::write_c1_json(c1)));
  });
}

}  // namespace
}  // namespace cuzk
