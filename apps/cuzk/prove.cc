#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "cuzk/groth16/cpu_prover.h"
#include "files.h"
#include "json_file.h"
#include "output.h"
#include "source.h"

namespace cuzk::app {

Result<void> run_prove(const ProveOptions& options) {
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);

  progress.begin("read the input");
  CUZK_TRY_ASSIGN(const Source source, read_source(options));
  const Statement& statement = *source.statement;
  if (const Result<void> offered = statement.provable(); !offered)
    return offered.error().within("'" + source.file + "'");
  const std::size_t partitions = statement.partitions();
  std::vector<Blinding> blinding;
  if (!options.fixed_rs.empty()) {
    CUZK_TRY_ASSIGN(blinding, read_fixed_rs(options.fixed_rs, partitions));
    tell("WARNING: r and s are fixed; the proof is for tests and not zero-knowledge.\n");
  }

  CUZK_TRY(refuse_to_replace("--out", options.out, source.files));
  CUZK_TRY(refuse_to_replace("--out", options.out, {options.fixed_rs}));
  CUZK_TRY(refuse_to_replace("--out", options.out, parameter_files(options.params)));
  // An output that cannot be written to shows now, not after the proof. What is never committed is never
  // seen.
  CUZK_TRY_ASSIGN(FileSink proof_file, FileSink::create(options.out));

  progress.begin("verify the vanilla proof");
  CUZK_TRY(verify_vanilla(pool, source));

  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(statement.circuit_id()));
  CUZK_TRY_ASSIGN(const std::string params, params_path(options.params, circuit, ".params"));
  progress.begin("record the circuit's shape");
  const std::shared_ptr<const Shape> shape = record_shape(pool, circuit);
  const auto fraction = [&](double done) { progress.advance_to(Progress::part(done)); };
  progress.begin("open and check the parameters", Progress::kWhole);
  CUZK_TRY_ASSIGN(const std::shared_ptr<const groth16::ProvingKey> key,
                  groth16::ProvingKey::load(pool, params, shape, fraction));
  const groth16::PreparedVerifyingKey vk(key->vk());

  groth16::CpuProver prover(pool);
  const std::size_t first_proving_stage = progress.stages().size() + 1;
  ProveObserver observer;
  // Only the stage "prove" tells how far it is; the others take a moment.
  observer.stage = [&](std::string_view stage) {
    progress.begin(std::string(stage), stage.ends_with("prove") ? Progress::kWhole : 0);
  };
  observer.progress = fraction;
  CUZK_TRY_ASSIGN(const std::vector<groth16::Proof> proofs,
                  prove_statement(pool, prover, key, vk, statement, blinding, observer));
  progress.end();

  std::vector<std::uint8_t> bytes;
  bytes.reserve(proofs.size() * groth16::kProofBytes);
  for (const groth16::Proof& proof : proofs) {
    const groth16::ProofBytes encoded = groth16::encode_proof(proof);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  CUZK_TRY(proof_file.write(bytes));
  CUZK_TRY(proof_file.commit());

  double proving_seconds = 0;
  for (std::size_t i = first_proving_stage; i < progress.stages().size(); ++i)
    proving_seconds += progress.stages()[i].seconds;
  if (options.json) {
    nlohmann::ordered_json out;
    out["circuit"] = circuit.id;
    out["partitions"] = partitions;
    out["proof"] = to_hex(bytes);
    out["verified"] = true;
    out["proving_seconds"] = proving_seconds;
    for (const Progress::Stage& stage : progress.stages())
      out["stages"].push_back({{"name", stage.name}, {"seconds", stage.seconds}});
    say("{}\n", to_text(out));
    return {};
  }
  say("proof of     {}\n", statement.description());
  say("circuit      {}  ({} constraints, domain 2^{})\n", circuit.id, grouped(shape->num_constraints()),
      shape->domain_log_size());
  print_stages(progress);
  say("proving      {:.2f} s from parsed input and open parameters to the proof, its verification included\n",
      proving_seconds);
  say("proof        {}\n", to_hex(bytes));
  say("written to   {}\n", options.out);
  say("verified\n");
  return {};
}

}  // namespace cuzk::app
