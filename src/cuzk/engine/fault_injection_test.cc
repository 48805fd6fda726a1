// Real proofs with faults put into them: no invalid proof ever leaves, and other jobs are untouched.

#include "cuzk/engine/fault_injection.h"

#include <gtest/gtest.h>

#include "cuzk/engine/toy_fixture.h"

namespace cuzk::engine {
namespace {

class Faults : public ToyEngine {
 protected:
  static constexpr int kJobs = 4;

  /// Proves some jobs of three partitions under the plan; returns how many completed, having checked that
  /// each of these verifies.
  int prove_some() {
    std::vector<std::string> jobs;
    for (std::uint64_t tag = 1; tag <= kJobs; ++tag)
      jobs.push_back(submit(ProofKind::porep_seal_commit, tag).job_id);
    int completed = 0;
    for (std::uint64_t tag = 1; tag <= kJobs; ++tag) {
      const auto result = wait(jobs[tag - 1]);
      if (result->state == JobState::kCompleted) {
        ++completed;
        expect_verifies(*result, tag);
      } else {
        EXPECT_EQ(result->state, JobState::kFailed);
        EXPECT_TRUE(result->proof.empty());
        EXPECT_NE(result->failure, FailureClass::kNone);
      }
    }
    return completed;
  }

  std::shared_ptr<FaultPlan> plan_ = std::make_shared<FaultPlan>();
};

TEST_F(Faults, AFlippedBitOfAResultIsFoundAndProvedAgain) {
  // Bits of A, B and C, among them flag and sign bits: decodable or not.
  start(plan_);
  const unsigned bits[] = {0, 5, 7, 384, 389, 8 * 48 + 100, 8 * 144, 8 * 144 + 5, 8 * 191};
  std::uint64_t call = 0;
  for (const unsigned bit : bits) {
    plan_->add(FaultSite::kProof, call, bit);
    EXPECT_EQ(prove_some(), kJobs) << "bit " << bit;
    call += 3 * kJobs + 1;  // one partition of them was made twice
  }
  EXPECT_EQ(plan_->injected(), std::size(bits));
  EXPECT_EQ(engine_->status().counters.partitions_proved_again, std::size(bits));
}

TEST_F(Faults, AResultThatIsAlwaysFlippedFailsItsJobsAndNoneLeaves) {
  start(plan_);
  for (std::uint64_t call = 0; call < 1000; ++call)
    plan_->add(FaultSite::kProof, call, static_cast<unsigned>(call));
  for (int tag = 1; tag <= 2; ++tag) {
    const auto result = wait(submit(ProofKind::porep_seal_commit, static_cast<std::uint64_t>(tag)).job_id);
    EXPECT_EQ(result->failure, FailureClass::kSelfCheck) << result->message;
    ASSERT_TRUE(result->evidence);
    ASSERT_EQ(result->evidence->proofs.size(), 2U);
    // The first bits are of A's first byte: flags and what makes its x none.
    for (const auto& proof : result->evidence->proofs) EXPECT_EQ(proof.size(), groth16::kProofBytes);
  }
}

TEST_F(Faults, AFailedAllocationFailsOneJob) {
  for (const FaultSite site :
       {FaultSite::kSynthesis, FaultSite::kPrepare, FaultSite::kLaunch, FaultSite::kFinish}) {
    plan_ = std::make_shared<FaultPlan>();
    plan_->add(site, 4);
    start(plan_);
    EXPECT_EQ(prove_some(), kJobs - 1) << static_cast<int>(site);
    EXPECT_EQ(plan_->injected(), 1U);
    EXPECT_TRUE(engine_->shut_down({}));
    EXPECT_EQ(engine_->status().counters.failed[1], 1U);
  }
}

}  // namespace
}  // namespace cuzk::engine
