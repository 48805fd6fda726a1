#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuzk/groth16/prover.h"
#include "cuzk/groth16/verifier.h"
#include "cuzk/proving/statement.h"

namespace cuzk {

/// The blinding scalars of one partition's proof.
struct Blinding {
  Fr r;
  Fr s;
};

/// Fresh scalars from the operating system.
Result<Blinding> random_blinding();

/// Whether a proof just made counts: it verifies against the public inputs. kInternal if not.
Result<void> check_proof(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                         const groth16::ProofInstance& instance);

/// What a failure text says after a proof that does not verify: points that are valid but not the circuit's
/// pass every check of a load, and show here. `path` is the parameter file, empty where there is none.
[[nodiscard]] std::string suspect_parameters(const std::string& circuit_id, const std::string& path);

/// For progress displays. Either may be empty.
struct ProveObserver {
  /// Told what the prover is about to do, from the calling thread.
  std::function<void(std::string_view stage)> stage;
  /// The fraction of the stage "prove" that is done, as groth16::LaunchOptions::progress.
  std::function<void(double done)> progress;
};

/// Proves every partition of a statement, one after the other, and verifies each proof against the public
/// inputs before it counts; one that does not verify is kInternal, with suspect_parameters. The statement
/// must have passed verify_vanilla. `blinding` is empty (fresh scalars from the operating system) or has one
/// entry per partition, for tests only. Proofs in partition order.
Result<std::vector<groth16::Proof>> prove_statement(ThreadPool& pool, groth16::Prover& prover,
                                                    const std::shared_ptr<const groth16::ProvingKey>& key,
                                                    const groth16::PreparedVerifyingKey& vk,
                                                    const Statement& statement,
                                                    std::span<const Blinding> blinding,
                                                    const ProveObserver& observer = {});

/// Verifies the concatenated proofs of all partitions of a statement. kBadInput says what is wrong: the
/// length, an element of a partition's proof, or the partition whose equation does not hold.
Result<void> verify_statement(ThreadPool& pool, const groth16::PreparedVerifyingKey& vk,
                              const Statement& statement, ByteSpan proof);

}  // namespace cuzk
