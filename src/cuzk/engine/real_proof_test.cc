// Real proofs of toy circuits through the engine: the CPU prover, parameter files, verification.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

#include "cuzk/engine/toy_fixture.h"
#include "cuzk/proving/prove.h"

namespace cuzk::engine {
namespace {

class RealProofs : public ToyEngine {
 protected:
  RealProofs() { start(); }
};

TEST_F(RealProofs, VerifyOutsideTheEngine) {
  std::map<std::string, std::pair<ProofKind, std::uint64_t>> jobs;
  for (std::uint64_t tag = 1; tag <= 6; ++tag) {
    const ProofKind kind = tag % 2 == 0 ? ProofKind::porep_seal_commit : ProofKind::winning_post;
    const Submission submission = submit(kind, tag);
    ASSERT_EQ(submission.outcome, Submission::Outcome::kAccepted) << submission.message;
    jobs[submission.job_id] = {kind, tag};
  }
  for (const auto& [job, what] : jobs) {
    const auto result = wait(job);
    ASSERT_EQ(result->state, JobState::kCompleted) << result->message;
    expect_verifies(*result, what.second);
    EXPECT_GT(result->times.gpu_compute, Duration::zero());
  }
  EXPECT_TRUE(engine_->shut_down({}));
  EXPECT_EQ(engine_->status().counters.completed[1], 3U);
}

TEST_F(RealProofs, ADamagedParameterFileFailsItsJobsOnly) {
  std::vector<std::uint8_t> bytes = groth16::test::read_file(circuits_->path());
  const std::vector<std::uint8_t> good = bytes;
  bytes.pop_back();
  groth16::test::write_file(circuits_->path(), bytes);
  const auto failed = wait(submit(ProofKind::winning_post, 1).job_id);
  EXPECT_EQ(failed->failure, FailureClass::kParams);
  EXPECT_THAT(failed->message, testing::StartsWith("PARAMS: "));
  EXPECT_THAT(failed->message, testing::HasSubstr("toy.params"));
  groth16::test::write_file(circuits_->path(), good);
  EXPECT_EQ(wait(submit(ProofKind::winning_post, 2).job_id)->state, JobState::kCompleted);
  std::filesystem::remove(circuits_->path());
  EXPECT_EQ(wait(submit(ProofKind::winning_post, 3).job_id)->state, JobState::kCompleted) << "it is loaded";
  while (!engine_->evict("toy")) {
  }
  EXPECT_EQ(submit(ProofKind::winning_post, 4).outcome, Submission::Outcome::kParams);
  const Result<Evicted> again = engine_->evict("toy");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->was_loaded);
}

TEST_F(RealProofs, AKeyWhoseFileIsGoneFailsOneJobAndTheNextOneLoadsAgain) {
  const std::vector<std::uint8_t> good = groth16::test::read_file(circuits_->path());
  EXPECT_EQ(wait(submit(ProofKind::winning_post, 1).job_id)->state, JobState::kCompleted);
  std::filesystem::resize_file(circuits_->path(), 0);
  const auto failed = wait(submit(ProofKind::winning_post, 2).job_id);
  EXPECT_EQ(failed->failure, FailureClass::kParams);
  EXPECT_THAT(failed->message, testing::HasSubstr("toy.params"));
  // Another file under the name, as tools put it there: a key that still has the old one open fails for ever.
  groth16::test::write_file(folder_.file("good"), good);
  std::filesystem::rename(folder_.file("good"), circuits_->path());
  const auto proved = wait(submit(ProofKind::winning_post, 3).job_id);
  EXPECT_EQ(proved->state, JobState::kCompleted) << proved->message;
  expect_verifies(*proved, 3);
  EXPECT_EQ(engine_->status().counters.key_loads, 2U);
}

TEST_F(RealProofs, ValidPointsThatAreWrongAreASelfCheckThatNamesTheFile) {
  // The first two points of h change places: each is as sound as before.
  std::vector<std::uint8_t> bytes = groth16::test::read_file(circuits_->path());
  const groth16::ParamsSection h = groth16::ParamsLayout::read(bytes, "p")->h;
  ASSERT_GE(h.count, 2U);
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(h.offset);
  std::swap_ranges(first, first + 96, first + 96);
  const std::vector<std::uint8_t> good = groth16::test::read_file(circuits_->path());
  groth16::test::write_file(circuits_->path(), bytes);
  const auto failed = wait(submit(ProofKind::porep_seal_commit, 1).job_id);
  EXPECT_EQ(failed->failure, FailureClass::kSelfCheck);
  EXPECT_THAT(failed->message, testing::HasSubstr("the parameters of toy may be wrong"));
  EXPECT_THAT(failed->message, testing::HasSubstr(circuits_->path()));
  // The same of a proof that no engine makes.
  const auto shape = circuits_->load_shape(pool_, "toy", {})->shape;
  const auto key = groth16::ProvingKey::load(pool_, circuits_->path(), shape).value();
  groth16::CpuProver prover(pool_);
  const auto refused = prove_statement(pool_, prover, key, groth16::PreparedVerifyingKey(key->vk()),
                                       ToyStatement(ProofKind::winning_post, 1), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInternal);
  EXPECT_THAT(refused.error().message, testing::HasSubstr(circuits_->path()));
  groth16::test::write_file(circuits_->path(), good);
  EXPECT_EQ(wait(submit(ProofKind::porep_seal_commit, 2).job_id)->state, JobState::kCompleted);
}

TEST_F(RealProofs, ABadRequestNamesItsField) {
  const Submission refused = submit(ProofKind::winning_post, 0);
  EXPECT_EQ(refused.outcome, Submission::Outcome::kInvalid);
  EXPECT_EQ(refused.message, "INVALID_INPUT: sector_number: no toy");
}

/// A device that still uses a key when it is told to drop it.
class SlowToDrop : public CpuDevice {
 public:
  using CpuDevice::CpuDevice;
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& /*options*/) override {
    key_ = key;
    return {};
  }
  void let_go() { key_.reset(); }

 private:
  std::shared_ptr<const groth16::ProvingKey> key_;
};

TEST_F(RealProofs, AnEvictedKeyCountsUntilItsMemoryIsFree) {
  const auto device = std::make_shared<SlowToDrop>(pool_);
  start(nullptr, device);
  ASSERT_EQ(wait(submit(ProofKind::winning_post, 1).job_id)->state, JobState::kCompleted);
  Result<Evicted> evicted = engine_->evict("toy");
  while (!evicted) evicted = engine_->evict("toy");  // the last partition is let go after its job is done
  const auto keys = [&] {
    return engine_->status().memory_by_use[static_cast<std::size_t>(MemoryUse::kKeys)];
  };
  const std::uint64_t file = std::filesystem::file_size(circuits_->path());
  EXPECT_EQ(keys(), file);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(keys(), file) << "the device has it still";
  EXPECT_GE(engine_->status().memory_let_go, file);
  device->let_go();
  engine_->stop_submissions();  // a change: the engine looks again
  while (keys() > 0) std::this_thread::yield();
  EXPECT_GT(engine_->status().memory_let_go, 0U) << "the shape: its source has it still";
}

/// A device without room for any key.
class TooSmall : public CpuDevice {
 public:
  using CpuDevice::CpuDevice;
  Result<void> hold(const std::shared_ptr<const groth16::ProvingKey>& key,
                    const groth16::LaunchOptions& /*options*/) override {
    return io_error("device 0, proving key " + key->path() + ": out of memory: 9 bytes needed, 8 allowed");
  }
};

TEST_F(RealProofs, ADeviceWithoutRoomForTheKeyIsNoFaultOfTheFile) {
  start(nullptr, std::make_shared<TooSmall>(pool_));
  const auto failed = wait(submit(ProofKind::winning_post, 1).job_id);
  EXPECT_EQ(failed->failure, FailureClass::kResource);
  EXPECT_THAT(failed->message, testing::HasSubstr("9 bytes needed, 8 allowed"));
  EXPECT_FALSE(engine_->status().devices.at(0).quarantined);
}

TEST(EngineCreate, RefusesWhatCannotBe) {
  ThreadPool pool(1);
  const auto circuits = std::make_shared<FileCircuitSource>("/nowhere");
  EXPECT_EQ(Engine::create({}, {.pool = pool, .devices = {}, .circuits = circuits}).error().code,
            ErrorCode::kUsage);
  EngineConfig config;
  config.workers_per_device = 0;
  EXPECT_EQ(Engine::create(
                config, {.pool = pool, .devices = {std::make_shared<CpuDevice>(pool)}, .circuits = circuits})
                .error()
                .code,
            ErrorCode::kUsage);
  EXPECT_TRUE(circuits->known().empty());
  const Result<std::uint64_t> missing = circuits->params_bytes("porep-2k");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kParams);
  EXPECT_THAT(missing.error().message, testing::AllOf(testing::StartsWith("circuit porep-2k: '"),
                                                      testing::HasSubstr("srs.param_cache")));
  EXPECT_EQ(circuits->params_bytes("porep-3k").error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace cuzk::engine
