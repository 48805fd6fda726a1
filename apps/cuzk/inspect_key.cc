#include <fmt/format.h>

#include <utility>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/proving/circuit.h"
#include "inspect.h"
#include "progress.h"

namespace cuzk::app {
namespace {

constexpr const char* kPointsAreGood = "canonical, on the curve, in the subgroup, finite";

void add_digests(OrderedJson& out, const groth16::FileDigests& digests) {
  out["sha256"] = to_hex(digests.sha256);
  out["blake2b_16"] = to_hex(digests.blake2b);
}

/// A key does not say of which circuit it is. Its name may, which proves nothing; --circuit compares what can
/// be compared. Call with the name and length of every vector and the shape's count for it.
template <class Expected>
Result<void> add_circuit(ThreadPool& pool, OrderedJson& out, const InspectOptions& options,
                         const std::string& path, Expected&& expected) {
  for (const Circuit& circuit : known_circuits())
    if (path.find(circuit.params_stem) != std::string::npos) out["named_for_circuit"] = circuit.id;
  if (options.circuit.empty()) return {};
  CUZK_TRY_ASSIGN(const Circuit circuit, find_circuit(options.circuit));
  const std::shared_ptr<const Shape> shape = record_shape(pool, circuit);
  for (const auto& [name, count] : expected(*shape)) {
    if (out[name] != count)
      return bad_input(fmt::format("'{}': {} is {}, but circuit {} has {}", path, name, out[name].dump(),
                                   circuit.id, count));
  }
  out["circuit"] = circuit.id;
  return {};
}

using Counts = std::vector<std::pair<const char*, std::uint64_t>>;

}  // namespace

Result<void> inspect_proof(const InspectOptions& options, const std::string& path, ByteSpan bytes) {
  OrderedJson out;
  out["kind"] = "Groth16 proof";
  out["partitions"] = bytes.size() / groth16::kProofBytes;
  out["sha256"] = to_hex(sha256(bytes));
  const auto proofs = groth16::decode_proofs(bytes, bytes.size() / groth16::kProofBytes);
  if (!proofs) return proofs.error().within("'" + path + "'");
  for (std::size_t k = 0; k < proofs->size(); ++k) {
    const std::string text = to_hex(bytes.subspan(k * groth16::kProofBytes, groth16::kProofBytes));
    out[fmt::format("partition {}", k)] = {
        {"A", text.substr(0, 96)}, {"B", text.substr(96, 192)}, {"C", text.substr(288)}};
  }
  out["points"] = kPointsAreGood;
  print_inspection(options, out);
  return {};
}

Result<void> inspect_vk(const InspectOptions& options, const std::string& path) {
  ThreadPool pool(options.threads, options.isa);
  CUZK_TRY_ASSIGN(const groth16::VerifyingKey vk, groth16::read_verifying_key(pool, path));
  // A key that could be read is the bytes that it encodes to.
  const std::vector<std::uint8_t> bytes = groth16::encode_verifying_key(vk);
  OrderedJson out;
  out["kind"] = "verifying key";
  out["path"] = path;
  out["bytes"] = bytes.size();
  out["len_ic"] = vk.ic.size();
  out["gamma_is_generator"] = vk.gamma_g2 == g2_generator();
  out["points"] = kPointsAreGood;
  add_digests(out, groth16::digest_bytes(pool, bytes));
  CUZK_TRY(add_circuit(pool, out, options, path, [](const Shape& shape) {
    return Counts{{"len_ic", shape.num_inputs()}};
  }));
  print_inspection(options, out);
  return {};
}

Result<void> inspect_params(const InspectOptions& options, const std::string& path) {
  ThreadPool pool(options.threads, options.isa);
  Progress progress(!options.no_progress);
  progress.begin("read the structure and the verifying key");
  CUZK_TRY_ASSIGN(const groth16::ParamsFile file, groth16::ParamsFile::open(pool, path));
  const groth16::ParamsLayout& layout = file.layout();
  OrderedJson out;
  out["kind"] = "proving parameters";
  out["path"] = path;
  out["bytes"] = layout.file_bytes();
  out["domain_size"] = layout.h.count + 1;
  out["len_ic"] = layout.n_ic;
  out["len_h"] = layout.h.count;
  out["len_l"] = layout.l.count;
  out["len_a"] = layout.a.count;
  out["len_b_g1"] = layout.b_g1.count;
  out["len_b_g2"] = layout.b_g2.count;
  out["vk_sha256"] = to_hex(sha256(groth16::encode_verifying_key(file.vk())));
  out["gamma_is_generator"] = file.vk().gamma_g2 == g2_generator();
  progress.begin("compare with the circuit");
  CUZK_TRY(add_circuit(pool, out, options, path, [](const Shape& shape) {
    const std::uint64_t in_b = shape.b_input_count() + shape.b_aux_count();
    return Counts{{"len_ic", shape.num_inputs()},
                  {"len_h", (std::uint64_t{1} << shape.domain_log_size()) - 1},
                  {"len_l", shape.num_aux()},
                  {"len_a", shape.num_inputs() + shape.a_aux_count()},
                  {"len_b_g1", in_b},
                  {"len_b_g2", in_b}};
  }));
  progress.begin("digests", layout.file_bytes());
  const auto advance = [&](std::uint64_t done) { progress.advance_to(done); };
  CUZK_TRY_ASSIGN(const groth16::FileDigests digests, groth16::digest_file(pool, file.file(), advance));
  add_digests(out, digests);
  if (options.check_points) {
    progress.begin("check every point, the subgroup included", layout.vector_bytes());
    CUZK_TRY(groth16::check_points(pool, file, advance));
    out["points"] = kPointsAreGood;
  } else {
    out["points"] = "not checked (--check-points does)";
  }
  progress.end();
  print_inspection(options, out);
  return {};
}

}  // namespace cuzk::app
