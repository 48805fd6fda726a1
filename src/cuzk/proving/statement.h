#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/field/fr.h"
#include "cuzk/proving/request.h"
#include "cuzk/r1cs/digest.h"
#include "cuzk/r1cs/shape.h"
#include "cuzk/r1cs/witness.h"

namespace cuzk {

/// One partition of a statement, ready to be proved.
struct PartitionWitness {
  std::shared_ptr<const Witness> witness;
  std::vector<Fr> inputs;  ///< the public inputs without ONE, from the statement; equal to the witness's
};

/// What is to be proved, of any kind: public values and the vanilla proof, decoded. Immutable, so all of it
/// may be called from any thread; partitions may be built at the same time.
class Statement {
 public:
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  virtual ~Statement() = default;

  [[nodiscard]] ProofKind kind() const { return kind_; }
  /// Of the circuit that every partition runs: find_circuit (circuit.h) knows it.
  [[nodiscard]] const std::string& circuit_id() const { return circuit_id_; }
  /// Proofs to make, at least 1.
  [[nodiscard]] unsigned partitions() const { return partitions_; }
  /// For people: "2KiB, StackedDrg2KiBV1_1, 1 partition of 2 challenges".
  [[nodiscard]] const std::string& description() const { return description_; }

  /// kUnsupported when the partitions' proofs side by side are not what the network takes: non-interactive
  /// PoRep needs them aggregated.
  [[nodiscard]] virtual Result<void> provable() const { return {}; }

  /// Whether the vanilla proof is true: everything that the circuit would notice, and fields that it ignores.
  /// kBadInput names the place.
  virtual Result<void> verify_vanilla(ThreadPool& pool) const = 0;

  /// Bytes that it takes, nearly: those of the vanilla proof.
  [[nodiscard]] virtual std::uint64_t memory_bytes() const = 0;

  /// How many threads synthesize() has work for, at most, whatever the partition.
  [[nodiscard]] virtual unsigned synthesis_parts() const { return 1; }

  /// Runs the circuit with the values of partition `k`, k < partitions(). `shape` is that of circuit_id().
  /// kBadInput when the vanilla proof contradicts the statement; kStopped within a second of a stop that is
  /// asked for.
  virtual Result<PartitionWitness> synthesize(ThreadPool& pool, const Shape& shape, unsigned k,
                                              std::stop_token stop) const = 0;

  /// The public inputs of partition `k` without ONE, from what a verifier knows.
  virtual Result<std::vector<Fr>> public_inputs(unsigned k) const = 0;

  /// Runs the circuit of partition `k` into digests of its rows and values, holding little of either.
  virtual Result<CircuitDigest> digest(unsigned k) const = 0;

 protected:
  Statement(ProofKind kind, std::string circuit_id, unsigned partitions, std::string description)
      : kind_(kind),
        circuit_id_(std::move(circuit_id)),
        partitions_(partitions),
        description_(std::move(description)) {}

 private:
  ProofKind kind_;
  std::string circuit_id_;
  unsigned partitions_;
  std::string description_;
};

/// Checks every member of the request and decodes the vanilla proof, without verifying it: what verifying a
/// finished proof needs. kBadInput, or kUnsupported for what is understood but not offered; the message
/// starts with the name of the API's field.
Result<std::shared_ptr<const Statement>> decode_request(const ProofRequest& request);

/// decode_request, then Statement::verify_vanilla: after it only a defect of this program can make proving
/// fail. Errors name the API's field.
Result<std::shared_ptr<const Statement>> read_request(ThreadPool& pool, ProofRequest request);

}  // namespace cuzk
