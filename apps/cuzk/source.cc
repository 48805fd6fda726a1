#include "source.h"

#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/proving/porep.h"
#include "request_file.h"

namespace cuzk::app {
namespace {

Result<std::shared_ptr<const Statement>> read_c1(const SourceOptions& options) {
  CUZK_TRY_ASSIGN(porep::C1Document document, porep::read_c1_file(options.c1));
  if (options.miner) {
    const Result<void> id = porep::verify_replica_id(document.output, *options.miner, *options.sector);
    if (!id) return id.error().within("'" + options.c1 + "'");
  }
  return porep_statement(std::move(document.output));
}

}  // namespace

Result<Source> read_source(const SourceOptions& options) {
  if (options.c1.empty() == options.request.empty())
    return usage_error("give one of --c1 FILE (PoRep) and --kind KIND --request FILE (the other kinds)");
  if (!options.c1.empty()) {
    if (!options.kind.empty()) return usage_error("--kind goes with --request; --c1 is always a PoRep");
    if (options.miner.has_value() != options.sector.has_value())
      return usage_error("--miner-id and --sector-num go together");
    CUZK_TRY_ASSIGN(std::shared_ptr<const Statement> statement, read_c1(options));
    return Source{options.c1, {options.c1}, std::move(statement)};
  }
  if (options.miner || options.sector) return usage_error("--miner-id and --sector-num go with --c1");
  if (options.kind.empty()) return usage_error("--request needs --kind");
  CUZK_TRY_ASSIGN(const ProofKind kind, proof_kind_from_string(options.kind));
  if (kind == ProofKind::porep_seal_commit) return usage_error("a PoRep is read from --c1 FILE");
  CUZK_TRY_ASSIGN(RequestFile file, read_request_file(options.request, kind));
  return Source{options.request, std::move(file.files), std::move(file.statement)};
}

Result<void> verify_vanilla(ThreadPool& pool, const Source& source) {
  const Result<void> verdict = source.statement->verify_vanilla(pool);
  if (!verdict) return verdict.error().within("'" + source.file + "'");
  return {};
}

}  // namespace cuzk::app
