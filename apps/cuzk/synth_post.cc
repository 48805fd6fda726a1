#include <fmt/format.h>

#include "commands.h"
#include "cuzk/base/hex.h"
#include "cuzk/filecoin/post/fabricate.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/request.h"
#include "output.h"
#include "progress.h"
#include "request_file.h"
#include "synth.h"

namespace cuzk::app {
namespace {

Result<post::Kind> chosen_kind(const std::string& name) {
  CUZK_TRY_ASSIGN(const ProofKind kind, proof_kind_from_string(name));
  if (kind == ProofKind::winning_post) return post::Kind::winning;
  if (kind == ProofKind::window_post_partition) return post::Kind::window;
  return usage_error("--kind: '" + name + "' is neither winning nor wpost");
}

Result<post::PostConfig> chosen_config(const SynthPostOptions& options) {
  if (options.registered_proof.has_value() == (options.sector_size != 0))
    return usage_error("give one of --registered-proof and --sector-size");
  if (options.registered_proof) {
    if (!options.api_version.empty())
      return usage_error("--api-version goes with --sector-size; a registered type has its own");
    const post::RegisteredPostProof* type = post::find_post_proof(*options.registered_proof);
    if (type == nullptr)
      return usage_error(fmt::format("{} is no PoSt proof type (0 to 14)", *options.registered_proof));
    if (!options.kind.empty()) {
      CUZK_TRY_ASSIGN(const post::Kind kind, chosen_kind(options.kind));
      if (kind != type->params->kind)
        return usage_error(
            fmt::format("--registered-proof {} is of the other kind", *options.registered_proof));
    }
    return post::post_config(*type);
  }
  if (options.kind.empty()) return usage_error("--sector-size needs --kind");
  CUZK_TRY_ASSIGN(const post::Kind kind, chosen_kind(options.kind));
  ApiVersion version = kind == post::Kind::winning ? ApiVersion::v1_0_0 : ApiVersion::v1_2_0;
  if (!options.api_version.empty()) {
    const Result<ApiVersion> given = api_version_from_string(options.api_version);
    if (!given) return usage_error("--api-version: " + given.error().message);
    version = *given;
  }
  return post::post_config(kind, options.sector_size, version);
}

}  // namespace

Result<void> run_synth_post(const SynthPostOptions& options) {
  CUZK_TRY_ASSIGN(const post::PostConfig config, chosen_config(options));
  const bool winning = config.params->kind == post::Kind::winning;
  if (options.sectors == 0 || options.sectors > (winning ? 1 : kMaxWindowSectors))
    return usage_error(winning ? "--sectors: WinningPoSt is about one sector"
                               : fmt::format("--sectors: 1 to {}", kMaxWindowSectors));
  CUZK_TRY(check_name(options.out));
  if (options.first_sector > UINT64_MAX - options.sectors)
    return usage_error("--first-sector: the last number would not fit into 64 bits");

  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  const Bytes32 randomness = post::reference_randomness();
  OrderedJson request;
  request["kind"] = post::to_string(config.params->kind);
  request["name"] = file_name(options.out);
  request["sector_size"] = config.params->size->bytes;
  request["api_version"] = to_string(config.version);
  request["registered_post_proof"] =
      config.registered != nullptr ? OrderedJson(config.registered->number) : OrderedJson();
  request["params"] = post_circuit(*config.params).params_stem + ".params";
  request["randomness"] = to_hex(randomness);
  request["sector_count"] = config.params->max_sectors();
  request["challenge_count"] = config.params->proofs_per_sector();
  request["vanilla"] = OrderedJson::array();

  progress.begin("fabricate and write vanilla proofs", options.sectors);
  for (std::uint64_t i = 0; i < options.sectors; ++i) {
    // All partitions but the last are full, so the place in the list is the position.
    const post::SectorProof proof =
        post::fabricate_sector(pool, config, randomness, options.first_sector + i, i);
    CUZK_TRY_ASSIGN(OrderedJson entry,
                    write_vanilla(options.out, fmt::format("s{}", i), post::write_sector_proof(proof)));
    entry["sector"] = proof.sector_id;
    entry["comm_r"] = to_hex(proof.comm_r);
    request["vanilla"].push_back(std::move(entry));
    progress.advance(1);
  }
  CUZK_TRY(write_request(options.out, request));
  progress.end();
  say("{}PoSt, {}, {} sector{}\nwritten to   {}.json and its {} vanilla file{}\n",
      post::to_string(config.params->kind), config.params->size->name, options.sectors,
      options.sectors == 1 ? "" : "s", options.out, options.sectors, options.sectors == 1 ? "" : "s");
  return {};
}

}  // namespace cuzk::app
