// A sealed sector of 2 KiB (tests/data) with the reference's parameters and blinding: the device's proof must
// be the reference's, byte for byte, whatever the cap.
#include <cstring>
#include <fstream>
#include <iterator>

#include "cuzk/base/hex.h"
#include "cuzk/filecoin/porep/c1.h"
#include "cuzk/filecoin/porep/circuit.h"
#include "prover_bench.h"

namespace cuzk::device_test {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The first member of that name in a JSON text, a string of 64 hex digits.
Fr scalar_member(const std::string& text, const std::string& name) {
  const std::string mark = "\"" + name + "\": \"";
  const std::size_t at = text.find(mark);
  const std::string digits = at == std::string::npos ? "" : text.substr(at + mark.size(), 64);
  return Fr::from_bytes_le(require(bytes32_from_hex(digits))).value();
}

}  // namespace

void check_porep(Bench& bench) {
  const std::string data = "tests/data/";
  const std::string secrets = read_text(data + "groth16/params/porep-2k.json");
  const std::string blinding = read_text(data + "proofs/2k-v1_1.json");
  const std::string reference = read_text(data + "proofs/2k-v1_1.proof");
  const porep::C1Output c1 = require(porep::read_c1_file(data + "porep/2k-v1_1.c1.json.gz")).output;
  ShapeRecorder recorder;
  porep::synthesize(recorder, porep::PartitionInput::blank(*c1.config.sector));
  auto shape = std::make_shared<const Shape>(std::move(recorder).finish());
  WitnessBuilder builder(shape->num_bits(), shape->num_wide());
  porep::synthesize(builder, require(porep::partition_input(c1, 0)));
  auto witness = std::make_shared<const Witness>(std::move(builder).finish());
  const auto secret = [&](const char* name) { return scalar_member(secrets, name); };
  const auto begin = groth16::ProverClock::now();
  const Case c =
      bench.make(std::move(shape), std::move(witness),
                 {secret("alpha"), secret("beta"), secret("gamma"), secret("delta"), secret("tau")});
  std::printf("parameters and key: %.0f ms\n", milliseconds(groth16::ProverClock::now() - begin));
  const Fr r = scalar_member(blinding, "r");
  const Fr s = scalar_member(blinding, "s");

  struct Run {
    const char* name;
    std::uint64_t limit;
    unsigned arrays;
  };
  for (const Run& run :
       {Run{"0.5 GB", 500'000'000, 0}, Run{"0.7 GB", 700'000'000, 0}, Run{"1.0 GB", 1'000'000'000, 0},
        Run{"no cap", 0, 0}, Run{"0.5 GB, two arrays", 500'000'000, 2}, Run{"0.4 GB", 400'000'000, 0},
        Run{"0.35 GB, one array", 350'000'000, 1}}) {
    const std::string what = std::string("porep-2k, ") + run.name;
    auto context = require(cuda::Context::create({0, run.limit}));
    cuda::CudaProverOptions options;
    options.arrays = run.arrays;
    cuda::CudaProver prover(*context, bench.pool, options);
    const auto plan = prover.plan(*c.key);
    if (!plan) {
      std::printf("%s\n", plan.error().message.c_str());
      bench.report.line(what + ": has a plan", false);
      continue;
    }
    std::printf("%s: %s", what.c_str(), plan->text().c_str());
    const auto start = groth16::ProverClock::now();
    const auto held = prover.hold(c.key);
    if (!held) std::printf("%s\n", held.error().message.c_str());
    std::printf("held in %.0f ms\n", milliseconds(groth16::ProverClock::now() - start));
    bool exact = context->bytes_in_use() == plan->resident_bytes();
    for (const std::size_t circuits : {1, 1, 3}) {
      std::vector<groth16::Prepared> batch;
      for (std::size_t i = 0; i < circuits; ++i)
        batch.push_back(require(prover.prepare(c.key, c.shape, c.witness, r, s)));
      context->reset_peak();
      auto pending = prover.launch(batch);
      if (!pending) {
        std::printf("%s\n", pending.error().message.c_str());
        bench.report.line(what + ": proves", false);
        continue;
      }
      print_stages(pending->report(), *context);
      exact = exact && context->bytes_in_use() == plan->resident_bytes() &&
              context->peak_bytes() <= context->vram_limit();
      bool equal = true;
      for (const groth16::Proof& proof : require(prover.finish(std::move(*pending)))) {
        const auto bytes = groth16::encode_proof(proof);
        equal = equal && reference.size() == bytes.size() &&
                std::memcmp(bytes.data(), reference.data(), bytes.size()) == 0;
      }
      bench.report.line(what + ", " + std::to_string(circuits) + " at a time: the reference's bytes", equal);
    }
    bench.report.line(what + (plan->streamed ? ", streamed" : ", resident") + ": memory as planned", exact);
  }
}

}  // namespace cuzk::device_test
