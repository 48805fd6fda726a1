#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "cuzk/proving/statement.h"
#include "synthetic_circuit.h"

namespace cuzk::bench {

/// Partition k of job `tag` is the synthetic circuit with a witness of its own.
class SyntheticStatement : public Statement {
 public:
  SyntheticStatement(const SyntheticCircuit& circuit, unsigned partitions, std::uint64_t tag)
      : Statement(ProofKind::porep_seal_commit, "synthetic", partitions, "synthetic"),
        circuit_(circuit),
        tag_(tag) {}
  Result<void> verify_vanilla(ThreadPool&) const override { return {}; }
  [[nodiscard]] std::uint64_t memory_bytes() const override { return sizeof *this; }
  Result<PartitionWitness> synthesize(ThreadPool& pool, const Shape&, unsigned k,
                                      std::stop_token) const override {
    return PartitionWitness{std::make_shared<const Witness>(circuit_.witness(pool, seed(k))),
                            circuit_.inputs(seed(k))};
  }
  Result<std::vector<Fr>> public_inputs(unsigned k) const override { return circuit_.inputs(seed(k)); }
  Result<CircuitDigest> digest(unsigned) const override {
    return Error{ErrorCode::kUnsupported, "a synthetic circuit has no digest"};
  }

 private:
  [[nodiscard]] std::uint64_t seed(unsigned k) const { return tag_ * 1000 + k; }
  const SyntheticCircuit& circuit_;
  std::uint64_t tag_;
};

}  // namespace cuzk::bench
