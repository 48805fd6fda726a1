#include "cuzk/engine/fault_injection.h"

#include <new>

#include "cuzk/engine/forwarding_device.h"

namespace cuzk::engine {
namespace {

void fail_allocation(FaultPlan& plan, FaultSite site) {
  if (plan.next(site)) throw std::bad_alloc();
}

class FaultyProver : public groth16::Prover {
 public:
  FaultyProver(groth16::Prover& prover, std::shared_ptr<FaultPlan> plan)
      : prover_(prover), plan_(std::move(plan)) {}

  Result<groth16::Prepared> prepare(std::shared_ptr<const groth16::ProvingKey> key,
                                    std::shared_ptr<const Shape> shape,
                                    std::shared_ptr<const Witness> witness, const Fr& r,
                                    const Fr& s) override {
    fail_allocation(*plan_, FaultSite::kPrepare);
    return prover_.prepare(std::move(key), std::move(shape), std::move(witness), r, s);
  }
  Result<groth16::Pending> launch(std::span<groth16::Prepared> batch,
                                  const groth16::LaunchOptions& options) override {
    fail_allocation(*plan_, FaultSite::kLaunch);
    return prover_.launch(batch, options);
  }
  Result<std::vector<groth16::Proof>> finish(groth16::Pending pending) override {
    fail_allocation(*plan_, FaultSite::kFinish);
    CUZK_TRY_ASSIGN(std::vector<groth16::Proof> proofs, prover_.finish(std::move(pending)));
    if (const std::optional<FaultPlan::Fault> fault = plan_->next(FaultSite::kProof)) {
      groth16::ProofBytes bytes = groth16::encode_proof(proofs.front());
      bytes[fault->bit / 8 % bytes.size()] ^= static_cast<std::uint8_t>(1U << (fault->bit % 8));
      // Mostly that is no point of the curve, for which any point that does not read back may stand.
      const Result<groth16::Proof> flipped = groth16::decode_proof(bytes);
      if (flipped)
        proofs.front() = *flipped;
      else
        proofs.front().a = G1Affine::infinity();
    }
    return proofs;
  }

 private:
  groth16::Prover& prover_;
  std::shared_ptr<FaultPlan> plan_;
};

class FaultyDevice : public ForwardingDevice {
 public:
  FaultyDevice(const std::shared_ptr<Device>& device, std::shared_ptr<FaultPlan> plan)
      : ForwardingDevice(device), prover_(device->prover(), std::move(plan)) {}
  [[nodiscard]] groth16::Prover& prover() override { return prover_; }

 private:
  FaultyProver prover_;
};

class FaultyStatement : public Statement {
 public:
  FaultyStatement(std::shared_ptr<const Statement> statement, std::shared_ptr<FaultPlan> plan)
      : Statement(statement->kind(), statement->circuit_id(), statement->partitions(),
                  statement->description()),
        statement_(std::move(statement)),
        plan_(std::move(plan)) {}

  [[nodiscard]] Result<void> provable() const override { return statement_->provable(); }
  Result<void> verify_vanilla(ThreadPool& pool) const override { return statement_->verify_vanilla(pool); }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return statement_->memory_bytes(); }
  [[nodiscard]] unsigned synthesis_parts() const override { return statement_->synthesis_parts(); }
  Result<PartitionWitness> synthesize(ThreadPool& pool, const Shape& shape, unsigned k,
                                      std::stop_token stop) const override {
    fail_allocation(*plan_, FaultSite::kSynthesis);
    return statement_->synthesize(pool, shape, k, std::move(stop));
  }
  Result<std::vector<Fr>> public_inputs(unsigned k) const override { return statement_->public_inputs(k); }
  Result<CircuitDigest> digest(unsigned k) const override { return statement_->digest(k); }

 private:
  std::shared_ptr<const Statement> statement_;
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

void FaultPlan::add(FaultSite site, std::uint64_t call, unsigned bit) {
  const std::lock_guard lock(mutex_);
  planned_[{site, call}] = bit;
}

std::optional<FaultPlan::Fault> FaultPlan::next(FaultSite site) {
  const std::lock_guard lock(mutex_);
  const auto at = planned_.find({site, calls_[site]++});
  if (at == planned_.end()) return std::nullopt;
  ++injected_;
  return Fault{at->second};
}

std::uint64_t FaultPlan::injected() const {
  const std::lock_guard lock(mutex_);
  return injected_;
}

std::shared_ptr<Device> with_faults(std::shared_ptr<Device> device, std::shared_ptr<FaultPlan> plan) {
  return std::make_shared<FaultyDevice>(device, std::move(plan));
}

RequestReader with_faults(RequestReader reader, std::shared_ptr<FaultPlan> plan) {
  return [reader = std::move(reader), plan = std::move(plan)](
             ThreadPool& pool, ProofRequest request) -> Result<std::shared_ptr<const Statement>> {
    CUZK_TRY_ASSIGN(std::shared_ptr<const Statement> statement, reader(pool, std::move(request)));
    return std::shared_ptr<const Statement>(std::make_shared<FaultyStatement>(std::move(statement), plan));
  };
}

}  // namespace cuzk::engine
