// Real sectors of 2 KiB through the engine and the CPU prover: mixed priorities, cancels and bad inputs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <map>

#include "cuzk/engine/engine.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/prove.h"
#include "cuzk/proving/sector_request_fixture.h"

namespace cuzk::engine {
namespace {

TEST(Porep2k, EveryGoodJobVerifiesNoneIsLostNoneComesTwice) {
  ThreadPool pool;
  const groth16::test::TemporaryFolder folder;
  const Circuit circuit = find_circuit("porep-2k").value();
  const std::string params = folder.file(circuit.params_stem + ".params");
  ASSERT_TRUE(groth16::generate_parameters(pool, *record_shape(pool, circuit),
                                           groth16::random_toxic_waste().value(), params));
  std::mutex mutex;
  std::map<std::string, int> results;
  EngineConfig config;
  config.partition_workers = 2;
  auto made = Engine::create(config, {.pool = pool,
                                      .devices = {std::make_shared<CpuDevice>(pool)},
                                      .circuits = std::make_shared<FileCircuitSource>(folder.file("")),
                                      .on_result = [&](const JobResult& result) {
                                        const std::lock_guard lock(mutex);
                                        ++results[result.identity.job_id];
                                      }});
  ASSERT_TRUE(made) << made.error().message;
  Engine& engine = **made;

  const ProofRequest good = test::sector_request(CUZK_TEST_DATA "/porep/2k-v1_1.c1.json.gz").value();
  const auto submit = [&](const ProofRequest& request, const std::string& id, Priority priority) {
    return engine.submit({id, priority, request, {}});
  };
  std::vector<std::string> jobs;
  for (const Priority priority : {Priority::kLow, Priority::kNormal, Priority::kCritical, Priority::kHigh}) {
    const Submission submission = submit(good, std::string(to_string(priority)), priority);
    ASSERT_EQ(submission.outcome, Submission::Outcome::kAccepted) << submission.message;
    jobs.push_back(submission.job_id);
  }
  const std::string cancelled = submit(good, "to be cancelled", Priority::kLow).job_id;
  EXPECT_EQ(submit(good, "high", Priority::kHigh).outcome, Submission::Outcome::kAttached);
  ProofRequest bad = good;
  bad.sector_number = 43;  // another sector's replica
  const Submission refused = submit(bad, "bad", Priority::kCritical);
  EXPECT_EQ(refused.outcome, Submission::Outcome::kInvalid);
  EXPECT_THAT(refused.message, testing::StartsWith("INVALID_INPUT: "));
  bad = good;
  bad.vanilla_proof.resize(bad.vanilla_proof.size() / 2);
  EXPECT_EQ(submit(bad, "bad", Priority::kCritical).outcome, Submission::Outcome::kInvalid);
  EXPECT_TRUE(engine.cancel(cancelled));

  const auto wait = [&](const std::string& job) {
    std::promise<std::shared_ptr<const JobResult>> promise;
    EXPECT_TRUE(engine.await(job, {}, [&](const Awaited& awaited) { promise.set_value(awaited.result); }));
    return promise.get_future().get();
  };
  const std::shared_ptr<const Statement> statement = read_request(pool, good).value();
  const groth16::PreparedVerifyingKey vk(groth16::ParamsFile::open(pool, params).value().vk());
  for (const std::string& job : jobs) {
    const auto result = wait(job);
    ASSERT_EQ(result->state, JobState::kCompleted) << result->message;
    EXPECT_TRUE(verify_statement(pool, vk, *statement, result->proof));
  }
  EXPECT_EQ(wait(cancelled)->state, JobState::kCancelled);
  EXPECT_TRUE(engine.shut_down({}));
  const Counters counters = engine.status().counters;
  EXPECT_EQ(counters.completed[1], 4U);
  EXPECT_EQ(counters.cancelled[1], 1U);
  EXPECT_EQ(counters.shapes_recorded, 1U);
  const std::lock_guard lock(mutex);
  EXPECT_EQ(results.size(), 5U);
  for (const auto& [job, count] : results) EXPECT_EQ(count, 1) << job;
}

}  // namespace
}  // namespace cuzk::engine
