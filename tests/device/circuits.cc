// Sectors of 2 KiB (tests/data), one of every kind of proof, with the reference's parameters and blinding:
// the device's proof must be the reference's and the CPU's, byte for byte, whatever the cap and
// whatever is proved beside it in the launch.
#include <algorithm>

#include "cuzk/proving/circuit.h"
#include "prover_bench.h"
#include "reference_cases.h"

namespace cuzk::device_test {
namespace {

struct Run {
  std::string name;
  std::uint64_t limit;
  unsigned arrays = 0;
  std::vector<std::size_t> launches = {1, 1, 3};  ///< circuits in each
};

/// From here on the least cap, whose pieces have 8,192 points, makes a launch of one circuit take 4 s and
/// more.
constexpr unsigned kLongLogSize = 21;

/// The caps that porep-2k is measured under, and for every circuit the least one that has a plan, one between
/// that and what a resident key takes, and none.
std::vector<Run> runs_of(const Shape& shape, ProofKind kind) {
  const cuda::KeyCounts counts = cuda::key_counts(shape);
  const std::uint64_t least = least_limit(counts);
  const std::uint64_t resident = cuda::plan_prover(counts).needed_bytes();
  std::vector<Run> runs{{"no cap", 0},
                        {"the least cap", least},
                        {"half of the way to resident", least + (resident - least) / 2}};
  if (shape.domain_log_size() >= kLongLogSize) runs[1].launches = {1};
  if (kind != ProofKind::porep_seal_commit) {
    runs.push_back({"one array", resident - 1, 1});
    return runs;
  }
  for (const Run& run : {Run{"0.5 GB", 500'000'000}, Run{"0.7 GB", 700'000'000}, Run{"1.0 GB", 1'000'000'000},
                         Run{"0.5 GB, two arrays", 500'000'000, 2}, Run{"0.4 GB", 400'000'000},
                         Run{"0.35 GB, one array", 350'000'000, 1}})
    runs.push_back(run);
  return runs;
}

void check_run(Bench& bench, const Case& c, const Statement& statement, const ReferenceProof& reference,
               const Run& run) {
  const std::string what = statement.circuit_id() + ", " + run.name;
  auto context = require(cuda::Context::create({0, run.limit}));
  cuda::CudaProverOptions options;
  options.arrays = run.arrays;
  cuda::CudaProver prover(*context, bench.pool, options);
  const auto plan = prover.plan(*c.key);
  if (!plan) {
    std::printf("%s\n", plan.error().message.c_str());
    bench.report.line(what + ": has a plan", false);
    return;
  }
  std::printf("%s: %s", what.c_str(), plan->text().c_str());
  const auto start = groth16::ProverClock::now();
  const auto held = prover.hold(c.key);
  if (!held) std::printf("%s\n", held.error().message.c_str());
  std::printf("held in %.0f ms\n", milliseconds(groth16::ProverClock::now() - start));
  bool exact = context->bytes_in_use() == plan->resident_bytes();
  const std::uint64_t of_driver = pool_memory(*context).in_use;
  const groth16::PreparedVerifyingKey vk(c.key->vk());
  for (const std::size_t circuits : run.launches) {
    std::vector<groth16::Prepared> batch;
    // Of several the first has another witness, so that none can have its values from there.
    for (std::size_t i = 0; i < circuits; ++i)
      batch.push_back(require(prover.prepare(c.key, c.shape, circuits > 1 && i == 0 ? c.others[0] : c.witness,
                                             reference.blinding.r, reference.blinding.s)));
    context->reset_peak();
    auto pending = prover.launch(batch);
    if (!pending) {
      std::printf("%s\n", pending.error().message.c_str());
      bench.report.line(what + ": proves", false);
      continue;
    }
    print_stages(pending->report(), *context);
    exact = exact && context->bytes_in_use() == plan->resident_bytes() &&
            pool_memory(*context).in_use == of_driver && limit_held(*context);
    const auto proofs = require(prover.finish(std::move(*pending)));
    bool right = proofs.size() == circuits;
    for (std::size_t i = 0; i < proofs.size(); ++i) {
      const auto bytes = groth16::encode_proof(proofs[i]);
      const bool equal =
          std::equal(bytes.begin(), bytes.end(), reference.bytes.begin(), reference.bytes.end());
      if (circuits > 1 && i == 0)
        right = right && !equal;
      else
        right = right && equal && verify_statement(bench.pool, vk, statement, bytes).has_value();
    }
    bench.report.line(what + ", " + std::to_string(circuits) + " at a time: the reference's bytes", right);
  }
  const bool bound = run.limit == 0 ? !plan->streamed : plan->streamed;
  bench.report.line(what + (plan->streamed ? ", streamed" : ", resident") + ": memory as planned",
                    exact && bound);
}

void check_case(Bench& bench, const ReferenceCase& c) {
  const std::shared_ptr<const Statement> statement =
      require(read_request(bench.pool, require(reference_request(c))));
  const ReferenceProof reference = require(reference_proof(c));
  std::shared_ptr<const Shape> shape =
      record_shape(bench.pool, require(find_circuit(statement->circuit_id())));
  const PartitionWitness partition = require(statement->synthesize(bench.pool, *shape, 0, {}));
  const auto begin = groth16::ProverClock::now();
  // Of no statement, but a witness of the shape: a prover does not ask whether it satisfies it.
  auto other = std::make_shared<Witness>(*partition.witness);
  for (std::uint64_t i = 0; i < shape->num_bits(); i += 3)
    other->bits[i / 64] ^= std::uint64_t{1} << (i % 64);
  Case made = bench.make(std::move(shape), partition.witness, require(reference_secrets(c)));
  made.others.push_back(std::move(other));
  std::printf("%s, domain 2^%u; parameters and key: %.0f ms\n", statement->circuit_id().c_str(),
              made.shape->domain_log_size(), milliseconds(groth16::ProverClock::now() - begin));
  const auto on_cpu = groth16::encode_proof(bench.on_cpu(made, reference.blinding.r, reference.blinding.s));
  bench.report.line(statement->circuit_id() + ": the CPU's proof is the reference's",
                    std::equal(on_cpu.begin(), on_cpu.end(), reference.bytes.begin(), reference.bytes.end()));
  for (const Run& run : runs_of(*made.shape, statement->kind()))
    check_run(bench, made, *statement, reference, run);
}

}  // namespace

bool is_circuit(const std::string& name) {
  return std::any_of(kReferenceCases.begin(), kReferenceCases.end(),
                     [&](const ReferenceCase& c) { return name == c.parameters; });
}

void check_circuits(Bench& bench, const std::vector<std::string>& names) {
  for (const ReferenceCase& c : kReferenceCases)
    if (names.empty() || std::find(names.begin(), names.end(), c.parameters) != names.end())
      check_case(bench, c);
}

}  // namespace cuzk::device_test
