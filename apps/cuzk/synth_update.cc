#include <fmt/format.h>

#include "commands.h"
#include "cuzk/base/hex.h"
#include "cuzk/filecoin/update/fabricate.h"
#include "cuzk/proving/circuit.h"
#include "output.h"
#include "progress.h"
#include "synth.h"

namespace cuzk::app {
namespace {

Result<const update::SectorParams*> chosen_sector(const SynthUpdateOptions& options) {
  if (options.registered_proof.has_value() == (options.sector_size != 0))
    return usage_error("give one of --registered-proof and --sector-size");
  if (options.registered_proof) {
    const update::RegisteredUpdateProof* type = update::find_update_proof(*options.registered_proof);
    if (type == nullptr)
      return usage_error(fmt::format("{} is no update proof type (0 to 4)", *options.registered_proof));
    return type->sector;
  }
  const update::SectorParams* sector = update::find_sector(options.sector_size);
  if (sector == nullptr) return usage_error(fmt::format("no update has {} bytes", options.sector_size));
  return sector;
}

}  // namespace

Result<void> run_synth_update(const SynthUpdateOptions& options) {
  CUZK_TRY_ASSIGN(const update::SectorParams* const sector, chosen_sector(options));
  CUZK_TRY(check_name(options.out));
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  progress.begin("fabricate the update");
  const update::FabricatedUpdate made = update::fabricate_update(pool, *sector);

  progress.begin("write the files");
  OrderedJson request;
  request["name"] = file_name(options.out);
  request["sector_size"] = sector->bytes;
  request["registered_update_proof"] = OrderedJson();
  for (const update::RegisteredUpdateProof& type : update::registered_update_proofs())
    if (type.sector == sector) request["registered_update_proof"] = type.number;
  request["h"] = sector->high_bits();
  request["params"] = update_circuit(*sector).params_stem + ".params";
  request["comm_r_old"] = to_hex(made.statement.comm_r_old);
  request["comm_r_new"] = to_hex(made.statement.comm_r_new);
  request["comm_d_new"] = to_hex(made.statement.comm_d_new);
  request["partitions"] = OrderedJson::array();
  for (std::size_t k = 0; k < made.proofs.size(); ++k) {
    CUZK_TRY_ASSIGN(OrderedJson entry, write_vanilla(options.out, fmt::format("k{}", k),
                                                     update::write_partition_proof(made.proofs[k])));
    entry["k"] = k;
    request["partitions"].push_back(std::move(entry));
  }
  CUZK_TRY(write_request(options.out, request));
  progress.end();
  say("{}, {} partition{}\nwritten to   {}.json and its {} vanilla file{}\n", sector->name,
      made.proofs.size(), made.proofs.size() == 1 ? "" : "s", options.out, made.proofs.size(),
      made.proofs.size() == 1 ? "" : "s");
  return {};
}

}  // namespace cuzk::app
