#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "cuzk/base/hex.h"
#include "cuzk/base/mapped_file.h"
#include "files.h"

namespace cuzk::app {

Result<void> run_setup(const SetupOptions& options) {
  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(options.circuit));
  groth16::ToxicWaste toxic;
  if (options.toxic.empty()) {
    CUZK_TRY_ASSIGN(toxic, groth16::random_toxic_waste());
  } else {
    CUZK_TRY_ASSIGN(toxic, read_toxic(options.toxic));
  }
  std::error_code failure;
  std::filesystem::create_directories(options.out, failure);
  if (failure) return io_error("cannot create folder '" + options.out + "': " + failure.message());
  const std::string stem = (std::filesystem::path(options.out) / circuit.params_stem).string();

  fmt::print(stderr,
             "WARNING: these parameters are INSECURE. They come from secrets that this run {}.\n"
             "         They serve tests and benchmarks; the network accepts no proof made with them.\n",
             options.toxic.empty() ? "drew and forgets" : "read from a file");

  ThreadPool pool(options.threads);
  Progress progress(!options.no_progress);
  progress.begin("record the circuit's shape");
  const std::shared_ptr<const Shape> shape = record_shape(circuit);

  groth16::SetupOptions setup;
  std::uint64_t last = 0;
  bool started = false;
  progress.begin("evaluate the columns at tau");
  setup.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!started) progress.begin("multiply and write points", total);
    started = true;
    progress.advance(done - last);
    last = done;
  };
  CUZK_TRY_ASSIGN(const groth16::SetupResult result,
                  groth16::generate_parameters(pool, *shape, toxic, stem + ".params", setup));
  progress.begin("write the verifying key");
  CUZK_TRY(write_file_atomically(stem + ".vk", groth16::encode_verifying_key(result.vk)));
  progress.end();

  if (options.json) {
    nlohmann::ordered_json out;
    out["circuit"] = circuit.id;
    out["insecure"] = true;
    out["params"] = stem + ".params";
    out["vk"] = stem + ".vk";
    out["bytes"] = result.layout.file_bytes();
    out["sha256"] = to_hex(result.digests.sha256);
    out["blake2b_16"] = to_hex(result.digests.blake2b);
    fmt::print("{}\n", out.dump(2));
    return {};
  }
  fmt::print("circuit      {}  ({} constraints, {} variables, domain 2^{})\n", circuit.id,
             grouped(shape->num_constraints()), grouped(shape->num_inputs() + shape->num_aux()),
             shape->domain_log_size());
  fmt::print("parameters   {}.params  ({})\n", stem, describe_bytes(result.layout.file_bytes()));
  fmt::print("             sha256 {}\n", to_hex(result.digests.sha256));
  fmt::print("key          {}.vk\n", stem);
  print_stages(progress);
  return {};
}

}  // namespace cuzk::app
