#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/groth16/prover.h"
#include "cuzk/groth16/verifier.h"

namespace cuzk {

/// The blinding scalars of one partition's proof.
struct Blinding {
  Fr r;
  Fr s;
};

/// Fresh scalars from the operating system.
Result<Blinding> random_blinding();

/// One partition of a sector, ready to be proved.
struct PartitionWitness {
  std::shared_ptr<const Witness> witness;
  std::vector<Fr> inputs;  ///< the public inputs without ONE, from the statement; equal to the witness's
};

/// Runs the circuit with the values of partition `k`. kBadInput when a value is no scalar, the partition's
/// roots disagree, or its node numbers are not those that seed and graph demand. `shape` is that of the
/// sector's circuit and `graph` that of `c1.config`; both are read only, so partitions may be built at the
/// same time. One core.
Result<PartitionWitness> partition_witness(const Shape& shape, const porep::C1Output& c1,
                                           const porep::Graph& graph, unsigned k);

/// Whether a proof just made counts: it verifies against the public inputs. kInternal if not.
Result<void> check_proof(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                         const groth16::ProofInstance& instance);

/// Told what the prover is about to do, from the calling thread: for progress displays.
using StageObserver = std::function<void(std::string_view stage)>;

/// Proves every partition of a sector, one after the other, and verifies each proof against the public inputs
/// before it counts. The C1 output must have passed porep::verify_vanilla; types that need aggregation are
/// refused (kUnsupported). `blinding` is empty (fresh scalars from the operating system) or has one entry per
/// partition, for tests only. Proofs in partition order.
Result<std::vector<groth16::Proof>> prove_porep(ThreadPool& pool, groth16::Prover& prover,
                                                const std::shared_ptr<const groth16::ProvingKey>& key,
                                                const groth16::PreparedVerifyingKey& vk,
                                                const porep::C1Output& c1, std::span<const Blinding> blinding,
                                                const StageObserver& observer = {});

/// Verifies the concatenated proofs of all partitions of a sector. kBadInput says what is wrong: the length,
/// an element of a partition's proof, or the partition whose equation does not hold.
Result<void> verify_porep(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                          const porep::PorepConfig& config, const porep::Statement& statement,
                          ByteSpan proof);

/// kUnsupported for non-interactive types, whose proof is an aggregate that this program cannot make.
Result<void> require_concatenation(const porep::PorepConfig& config);

}  // namespace cuzk
