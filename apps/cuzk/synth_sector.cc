#include <fmt/format.h>

#include "commands.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/filecoin/porep/fabricate.h"
#include "cuzk/proving/porep.h"
#include "files.h"
#include "output.h"

namespace cuzk::app {
namespace {

ByteSpan as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Result<porep::PorepConfig> chosen_config(const SynthSectorOptions& options) {
  if (options.registered_proof) {
    if (options.sector_size != 0 || options.porep_number)
      return usage_error("--registered-proof stands alone: it says size and number");
    return porep::porep_config(*porep::find_seal_proof(*options.registered_proof));
  }
  if (options.sector_size == 0 || !options.porep_number)
    return usage_error("give --registered-proof, or --sector-size with --porep-number");
  if (porep::find_seal_proof(*options.porep_number) != nullptr)
    return usage_error(
        fmt::format("number {} is a registered type: use --registered-proof", *options.porep_number));
  return porep::unregistered_config(options.sector_size, *options.porep_number);
}

}  // namespace

Result<void> run_synth_sector(const SynthSectorOptions& options) {
  CUZK_TRY_ASSIGN(const porep::PorepConfig config, chosen_config(options));
  if (options.wrapper && config.registered == nullptr)
    return usage_error("--wrapper needs --registered-proof");
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  progress.begin("fabricate the sector");
  porep::SectorIdentity identity = porep::SectorIdentity::reference();
  identity.miner = options.miner;
  identity.sector_number = options.sector;
  CUZK_TRY_ASSIGN(const porep::C1Output c1, porep::fabricate_sector(pool, config, identity));
  progress.end();

  if (config.registered == nullptr) {
    const std::string bincode = options.out + ".c1.bincode";
    CUZK_TRY(write_file_atomically(bincode, porep::write_c1_bincode(c1)));
    CUZK_TRY(write_file_atomically(options.out + ".json", as_bytes(porep::write_porep_side_json(config))));
    say("{}\nwritten to   {} and {}.json\n", describe(config), bincode, options.out);
    return {};
  }
  std::string text = porep::write_c1_json(c1);
  if (options.wrapper) text = porep::write_c1_wrapper({options.sector, config.sector->bytes}, text);
  CUZK_TRY(write_file_atomically(options.out, as_bytes(text)));
  say("{}\nwritten to   {}  ({})\n", describe(config), options.out, describe_bytes(text.size()));
  return {};
}

}  // namespace cuzk::app
