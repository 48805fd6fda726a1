#include <fmt/format.h>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/porep.h"
#include "inspect.h"
#include "progress.h"
#include "request_file.h"

namespace cuzk::app {
namespace {

/// One partition's circuit, with the member names of the reference's test data.
OrderedJson to_json(const CircuitDigest& digest) {
  OrderedJson out;
  out["num_inputs"] = digest.counts.inputs;
  out["num_aux"] = digest.counts.aux;
  out["num_constraints"] = digest.counts.constraints;
  out["terms"] = digest.terms[0] + digest.terms[1] + digest.terms[2];
  out["a_aux_density"] = digest.a_aux_density;
  out["b_input_density"] = digest.b_input_density;
  out["b_aux_density"] = digest.b_aux_density;
  out["r1cs_sha256"] = to_hex(digest.r1cs_sha256);
  out["witness_sha256"] = to_hex(digest.witness_sha256);
  OrderedJson inputs = OrderedJson::array();
  for (std::size_t i = 1; i < digest.inputs.size(); ++i)
    inputs.push_back(to_hex(digest.inputs[i].to_bytes_le()));
  out["public_inputs"] = std::move(inputs);
  return out;
}

void add_circuit(OrderedJson& out, const Statement& statement) {
  const Circuit circuit = find_circuit(statement.circuit_id()).value();
  out["circuit"] = circuit.id;
  out["params"] = circuit.params_stem + ".params";
}

/// Verifies the vanilla proof, adds what each partition has to `partitions`, prints all of it, and fails when
/// the vanilla proof is false.
Result<void> finish(const InspectOptions& options, ThreadPool& pool, Progress& progress,
                    const std::string& path, const Statement& statement, OrderedJson out,
                    std::vector<OrderedJson> partitions) {
  progress.begin("verify the vanilla proof");
  const Result<void> verdict = statement.verify_vanilla(pool);
  out["vanilla_verifies"] = verdict.has_value();
  if (!verdict) out["vanilla_error"] = verdict.error().message;
  if (options.digests) {
    for (unsigned k = 0; k < statement.partitions(); ++k) {
      progress.begin(fmt::format("digests of partition {}", k));
      CUZK_TRY_ASSIGN(const CircuitDigest digest, statement.digest(k));
      partitions[k]["circuit"] = to_json(digest);
    }
  }
  progress.end();
  if (options.json) {
    out["partitions"] = std::move(partitions);
  } else {
    out["partitions"] = partitions.size();
    for (OrderedJson& partition : partitions) {
      const auto k = partition["k"].get<unsigned>();
      partition.erase("k");
      if (partition.contains("circuit")) partition["circuit"].erase("public_inputs");
      if (!partition.empty()) out[fmt::format("partition {}", k)] = std::move(partition);
    }
  }
  print_inspection(options, out);
  if (!verdict) return verdict.error().within("'" + path + "'");
  return {};
}

std::vector<OrderedJson> numbered(unsigned partitions) {
  std::vector<OrderedJson> out;
  for (unsigned k = 0; k < partitions; ++k) out.push_back({{"k", k}});
  return out;
}

}  // namespace

Result<void> inspect_c1(const InspectOptions& options, const std::string& path) {
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  progress.begin("read the C1 output");
  CUZK_TRY_ASSIGN(porep::C1Document document, porep::read_c1_file(path));
  const porep::C1Output& c1 = document.output;

  OrderedJson out;
  out["kind"] = "PoRep C1 output";
  if (document.wrapper) {
    out["wrapper"] = {{"SectorNum", document.wrapper->sector_number},
                      {"SectorSize", document.wrapper->sector_size}};
  }
  out["registered_proof"] =
      c1.config.registered != nullptr ? OrderedJson(c1.config.registered->name) : OrderedJson();
  out["sector_size"] = c1.config.sector->bytes;
  out["api_version"] = to_string(c1.config.version);
  out["porep_id"] = to_hex(c1.config.porep_id);
  out["comm_d"] = to_hex(c1.comm_d);
  out["comm_r"] = to_hex(c1.comm_r);
  out["replica_id"] = to_hex(c1.replica_id);
  out["ticket"] = to_hex(c1.ticket);
  out["seed"] = to_hex(c1.seed);
  std::vector<OrderedJson> partitions = numbered(c1.config.partitions());
  for (unsigned k = 0; k < partitions.size(); ++k)
    partitions[k]["challenges"] = porep::derive_challenges(c1.config, c1.statement().challenge_inputs(), k);
  const std::shared_ptr<const Statement> statement = porep_statement(std::move(document.output));
  add_circuit(out, *statement);
  return finish(options, pool, progress, path, *statement, std::move(out), std::move(partitions));
}

Result<void> inspect_request(const InspectOptions& options, const std::string& path) {
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  progress.begin("read the request");
  CUZK_TRY_ASSIGN(const RequestFile file, read_request_file(path, {}));
  const std::shared_ptr<const Statement>& statement = file.statement;
  OrderedJson out;
  out["kind"] = "request for " + std::string(to_string(statement->kind()));
  out["proof_of"] = statement->description();
  add_circuit(out, *statement);
  return finish(options, pool, progress, path, *statement, std::move(out), numbered(statement->partitions()));
}

}  // namespace cuzk::app
