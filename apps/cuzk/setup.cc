#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>

#include "commands.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/hex.h"
#include "files.h"
#include "json_file.h"
#include "output.h"
#if CUZK_HAVE_CUDA
#include "cuzk/cuda/point_maker.h"
#endif

namespace cuzk::app {

namespace {

/// The network's parameters have the same names and took hours to fetch.
Result<void> refuse_existing(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return {};
  return usage_error("'" + path + "' exists; --overwrite replaces it");
}

}  // namespace

Result<void> run_setup(const SetupOptions& options) {
#if !CUZK_HAVE_CUDA
  if (options.device)
    return usage_error("--device " + std::to_string(*options.device) +
                       ": this program was built without CUDA");
#endif
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
  const std::string params_path = stem + ".params";
  const std::string vk_path = stem + ".vk";
  if (!options.overwrite) {
    CUZK_TRY(refuse_existing(params_path));
    CUZK_TRY(refuse_existing(vk_path));
  }
  for (const std::string& path : {params_path, vk_path})
    CUZK_TRY(refuse_to_replace("--out", path, {options.toxic}));
  CUZK_TRY_ASSIGN(FileSink vk_file, FileSink::create(vk_path));
#if CUZK_HAVE_CUDA
  std::unique_ptr<cuda::Context> device;
  if (options.device) {
    CUZK_TRY_ASSIGN(device, cuda::Context::create({.device = static_cast<int>(*options.device)}));
  }
#endif

  tell(
      "WARNING: these parameters are INSECURE. They come from secrets that this run {}.\n"
      "         They serve tests and benchmarks; the network accepts no proof made with them.\n",
      options.toxic.empty() ? "drew and forgets" : "read from a file");

  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  progress.begin("record the circuit's shape");
  const std::shared_ptr<const Shape> shape = record_shape(pool, circuit);

  groth16::SetupOptions setup;
#if CUZK_HAVE_CUDA
  std::unique_ptr<cuda::DevicePointMaker> points;
  if (device != nullptr) {
    const std::uint64_t count = (std::uint64_t{1} << shape->domain_log_size()) + 3 * shape->num_aux();
    points = std::make_unique<cuda::DevicePointMaker>(*device, pool, setup.g1, setup.g2, count);
    setup.points = points.get();
  }
#endif
  bool started = false;
  progress.begin("evaluate the columns at tau");
  setup.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!started) progress.begin("multiply and write points", total);
    started = true;
    progress.advance_to(done);
  };
  CUZK_TRY_ASSIGN(const groth16::SetupResult result,
                  groth16::generate_parameters(pool, *shape, toxic, params_path, setup));
  progress.begin("write the verifying key");
  Result<void> written = vk_file.write(groth16::encode_verifying_key(result.vk));
  if (written) written = vk_file.commit();
  if (!written) {
    // All or nothing: parameters without their key would stand in the way of the next run.
    std::filesystem::remove(params_path, failure);
    return written;
  }
  progress.end();

  if (options.json) {
    nlohmann::ordered_json out;
    out["circuit"] = circuit.id;
    out["insecure"] = true;
    out["params"] = params_path;
    out["vk"] = vk_path;
    out["bytes"] = result.layout.file_bytes();
    out["sha256"] = to_hex(result.digests.sha256);
    out["blake2b_16"] = to_hex(result.digests.blake2b);
    say("{}\n", to_text(out));
    return {};
  }
  say("circuit      {}  ({} constraints, {} variables, domain 2^{})\n", circuit.id,
      grouped(shape->num_constraints()), grouped(shape->num_inputs() + shape->num_aux()),
      shape->domain_log_size());
  say("parameters   {}  ({})\n", params_path, describe_bytes(result.layout.file_bytes()));
  say("             sha256 {}\n", to_hex(result.digests.sha256));
  say("key          {}\n", vk_path);
  print_stages(progress);
  return {};
}

}  // namespace cuzk::app
