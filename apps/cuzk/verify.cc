#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "cuzk/base/input_file.h"
#include "files.h"
#include "json_file.h"
#include "output.h"
#include "source.h"

namespace cuzk::app {

Result<void> run_verify(const VerifyOptions& options) {
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);

  progress.begin("read the input");
  CUZK_TRY_ASSIGN(const Source source, read_source(options));
  const Statement& statement = *source.statement;
  if (const Result<void> offered = statement.provable(); !offered)
    return offered.error().within("'" + source.file + "'");

  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(statement.circuit_id()));
  CUZK_TRY_ASSIGN(const std::string vk_file, params_path(options.params, circuit, ".vk"));
  progress.begin("read the verifying key");
  CUZK_TRY_ASSIGN(groth16::VerifyingKey vk, groth16::read_verifying_key(pool, vk_file));
  CUZK_TRY_ASSIGN(const std::vector<Fr> inputs, statement.public_inputs(0));
  if (vk.ic.size() != inputs.size() + 1)
    return bad_params(fmt::format("'{}': ic has {} points, but circuit {} has {} public inputs and ONE",
                                  vk_file, vk.ic.size(), circuit.id, inputs.size()));
  const groth16::PreparedVerifyingKey prepared(std::move(vk));

  progress.begin("verify");
  CUZK_TRY_ASSIGN(const FileBytes proof, FileBytes::read(options.proof, kMaxProofFileBytes));
  const Result<void> verdict = verify_statement(pool, prepared, statement, proof.bytes());
  if (!verdict) return verdict.error().within("'" + options.proof + "'");
  progress.end();

  const bool porep = statement.kind() == ProofKind::porep_seal_commit;
  const bool replica_id_checked = options.miner.has_value();
  if (options.json) {
    nlohmann::ordered_json out;
    out["circuit"] = circuit.id;
    out["partitions"] = statement.partitions();
    if (porep) out["replica_id_recomputed"] = replica_id_checked;
    out["verified"] = true;
    say("{}\n", to_text(out));
    return {};
  }
  say("proof of     {}\n", statement.description());
  if (porep)
    say("replica id   {}\n",
        replica_id_checked ? "recomputed from miner, sector, ticket and comm_d"
                           : "taken from the C1 output (give --miner-id and --sector-num to recompute it)");
  print_stages(progress);
  say("verified\n");
  return {};
}

}  // namespace cuzk::app
