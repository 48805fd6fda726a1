#pragma once

// An engine with the CPU prover and a toy circuit, for tests of real proofs.

#include <gtest/gtest.h>

#include <future>

#include "cuzk/engine/engine.h"
#include "cuzk/engine/fault_injection.h"
#include "cuzk/groth16/setup.h"
#include "cuzk/groth16/test_support.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk::engine {

/// Partition k proves that it knows factors of tag * (k + 2).
class ToyStatement : public Statement {
 public:
  ToyStatement(ProofKind proof_kind, std::uint64_t tag)
      : Statement(proof_kind, "toy", proof_kind == ProofKind::porep_seal_commit ? 3 : 1, "toy"), tag_(tag) {}

  Result<void> verify_vanilla(ThreadPool&) const override { return {}; }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return sizeof(*this); }
  Result<PartitionWitness> synthesize(ThreadPool&, const Shape&, unsigned k, std::stop_token) const override {
    return PartitionWitness{groth16::test::product(tag_, k + 2).witness(false), public_inputs(k).value()};
  }
  Result<std::vector<Fr>> public_inputs(unsigned k) const override {
    return std::vector<Fr>{Fr::from_u64(tag_ * (k + 2))};
  }
  Result<CircuitDigest> digest(unsigned) const override { return Error{ErrorCode::kUnsupported, "none"}; }

 private:
  std::uint64_t tag_;
};

/// Parameters in a file, loaded as FileCircuitSource loads them; the shape is the toy's.
class ToyCircuits : public FileCircuitSource {
 public:
  explicit ToyCircuits(const std::string& folder) : FileCircuitSource(folder), path_(folder + "/toy.params") {
    ThreadPool pool(1);
    shape_ = groth16::test::product(1, 1).shape(false);
    CUZK_CHECK(
        groth16::generate_parameters(pool, *shape_, groth16::test::golden_secrets(), path_).has_value());
  }
  [[nodiscard]] Result<std::string> params_path(const std::string&) const override { return path_; }
  Result<LoadedShape> load_shape(ThreadPool&, const std::string&, const std::stop_token&) override {
    return LoadedShape{shape_, false};
  }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::shared_ptr<const Shape> shape_;
};

inline Result<std::shared_ptr<const Statement>> read_toy(ThreadPool&, const ProofRequest& request) {
  if (request.sector_number == 0) return bad_input("sector_number: no toy");
  return std::shared_ptr<const Statement>(
      std::make_shared<ToyStatement>(request.kind, request.sector_number));
}

class ToyEngine : public testing::Test {
 protected:
  /// A fresh engine; with a plan, one whose device and statements have its faults.
  void start(const std::shared_ptr<FaultPlan>& plan = nullptr, std::shared_ptr<Device> device = nullptr) {
    engine_.reset();
    EngineConfig config;
    config.partition_workers = 2;
    if (device == nullptr) device = std::make_shared<CpuDevice>(pool_);
    RequestReader reader = read_toy;
    if (plan != nullptr) {
      device = with_faults(std::move(device), plan);
      reader = with_faults(std::move(reader), plan);
    }
    engine_ = Engine::create(config, {.pool = pool_,
                                      .devices = {std::move(device)},
                                      .circuits = circuits_,
                                      .read_request = std::move(reader)})
                  .value();
  }
  Submission submit(ProofKind kind, std::uint64_t tag) {
    ProofRequest request;
    request.kind = kind;
    request.sector_number = tag;
    return engine_->submit({"", Priority::kByKind, request, {}});
  }
  std::shared_ptr<const JobResult> wait(const std::string& job) {
    std::promise<std::shared_ptr<const JobResult>> promise;
    EXPECT_TRUE(engine_->await(job, {}, [&](const Awaited& awaited) { promise.set_value(awaited.result); }));
    return promise.get_future().get();
  }
  /// The proof holds for the statement, checked without the engine.
  void expect_verifies(const JobResult& result, std::uint64_t tag) {
    const groth16::ParamsFile file = groth16::ParamsFile::open(pool_, circuits_->path()).value();
    const groth16::PreparedVerifyingKey vk(file.vk());
    const ToyStatement statement(result.identity.kind, tag);
    const auto proofs = groth16::decode_proofs(result.proof, statement.partitions());
    ASSERT_TRUE(proofs);
    for (unsigned k = 0; k < statement.partitions(); ++k) {
      const std::vector<Fr> inputs = statement.public_inputs(k).value();
      EXPECT_TRUE(vk.verify(pool_, {inputs, (*proofs)[k]})) << k;
    }
  }

  ThreadPool pool_{2};
  groth16::test::TemporaryFolder folder_;
  std::shared_ptr<ToyCircuits> circuits_ = std::make_shared<ToyCircuits>(folder_.file(""));
  std::unique_ptr<Engine> engine_;
};

}  // namespace cuzk::engine
