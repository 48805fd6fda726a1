#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

#include "commands.h"
#include "cuzk/base/gzip.h"
#include "cuzk/base/hex.h"
#include "cuzk/base/mapped_file.h"
#include "cuzk/filecoin/porep/circuit.h"
#include "cuzk/filecoin/porep/verify.h"
#include "cuzk/groth16/params_file.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/proving_key.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/r1cs/digest.h"
#include "files.h"
#include "output.h"

namespace cuzk::app {
namespace {

using Json = nlohmann::ordered_json;

void print_text(const Json& json, int indent = 0) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_object() && !value.empty()) {
      say("{:{}}{}\n", "", indent, key);
      print_text(value, indent + 2);
    } else {
      say("{:{}}{:<{}} {}\n", "", indent, key, 22 - indent,
          value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
}

void print(const InspectOptions& options, const Json& json) {
  if (options.json) {
    say("{}\n", json.dump(2));
  } else {
    print_text(json);
  }
}

std::string hex(const Fr& value) {
  return to_hex(value.to_bytes_le());
}

/// One partition's circuit, with the member names of the reference's test data.
Json circuit_digest(const porep::PartitionInput& input) {
  const CircuitDigest digest = digest_circuit([&](auto& cs) { porep::synthesize(cs, input); });
  Json out;
  out["num_inputs"] = digest.counts.inputs;
  out["num_aux"] = digest.counts.aux;
  out["num_constraints"] = digest.counts.constraints;
  out["terms"] = digest.terms[0] + digest.terms[1] + digest.terms[2];
  out["a_aux_density"] = digest.a_aux_density;
  out["b_input_density"] = digest.b_input_density;
  out["b_aux_density"] = digest.b_aux_density;
  out["r1cs_sha256"] = to_hex(digest.r1cs_sha256);
  out["witness_sha256"] = to_hex(digest.witness_sha256);
  Json inputs = Json::array();
  for (std::size_t i = 1; i < digest.inputs.size(); ++i) inputs.push_back(hex(digest.inputs[i]));
  out["public_inputs"] = std::move(inputs);
  return out;
}

Result<void> inspect_c1(const InspectOptions& options, const std::string& path) {
  ThreadPool pool(options.threads);
  Progress progress(!options.no_progress);
  progress.begin("read the C1 output");
  CUZK_TRY_ASSIGN(const porep::C1Document document, porep::read_c1_file(path));
  const porep::C1Output& c1 = document.output;

  Json out;
  out["kind"] = "PoRep C1 output";
  if (document.wrapper) {
    out["wrapper"] = {{"SectorNum", document.wrapper->sector_number},
                      {"SectorSize", document.wrapper->sector_size}};
  }
  out["registered_proof"] = c1.config.registered != nullptr ? Json(c1.config.registered->name) : Json();
  out["sector_size"] = c1.config.sector->bytes;
  out["api_version"] = to_string(c1.config.version);
  out["porep_id"] = to_hex(c1.config.porep_id);
  out["circuit"] = porep_circuit(*c1.config.sector).id;
  out["params"] = porep_circuit(*c1.config.sector).params_stem + ".params";
  out["comm_d"] = to_hex(c1.comm_d);
  out["comm_r"] = to_hex(c1.comm_r);
  out["replica_id"] = to_hex(c1.replica_id);
  out["ticket"] = to_hex(c1.ticket);
  out["seed"] = to_hex(c1.seed);
  progress.begin("verify the vanilla proof");
  const Result<void> verdict = porep::verify_vanilla(pool, c1);
  out["vanilla_verifies"] = verdict.has_value();
  if (!verdict) out["vanilla_error"] = verdict.error().message;

  Json partitions = Json::array();
  for (unsigned k = 0; k < c1.config.partitions(); ++k) {
    Json partition;
    partition["k"] = k;
    Json challenges = Json::array();
    for (const auto c : porep::derive_challenges(c1.config, c1.statement().challenge_inputs(), k))
      challenges.push_back(c);
    partition["challenges"] = std::move(challenges);
    if (options.digests) {
      progress.begin(fmt::format("digests of partition {}", k));
      CUZK_TRY_ASSIGN(const porep::PartitionInput input, porep::partition_input(c1, k));
      partition["circuit"] = circuit_digest(input);
    }
    partitions.push_back(std::move(partition));
  }
  progress.end();
  if (options.json) {
    out["partitions"] = std::move(partitions);
  } else {
    out["partitions"] = partitions.size();
    for (const Json& p : partitions) {
      Json line = p;
      line.erase("k");
      if (line.contains("circuit")) line["circuit"].erase("public_inputs");
      out[fmt::format("partition {}", p["k"].get<unsigned>())] = std::move(line);
    }
  }
  print(options, out);
  return {};
}

Result<void> inspect_proof(const InspectOptions& options, ByteSpan bytes) {
  Json out;
  out["kind"] = "Groth16 proof";
  out["partitions"] = bytes.size() / groth16::kProofBytes;
  out["sha256"] = to_hex(sha256(bytes));
  CUZK_TRY_ASSIGN(const std::vector<groth16::Proof> proofs,
                  groth16::decode_proofs(bytes, bytes.size() / groth16::kProofBytes));
  for (std::size_t k = 0; k < proofs.size(); ++k) {
    const std::string text = to_hex(bytes.subspan(k * groth16::kProofBytes, groth16::kProofBytes));
    out[fmt::format("partition {}", k)] = {
        {"A", text.substr(0, 96)}, {"B", text.substr(96, 192)}, {"C", text.substr(288)}};
  }
  out["points"] = "canonical, on the curve, in the subgroup, finite";
  print(options, out);
  return {};
}

void add_digests(Json& out, const groth16::FileDigests& digests) {
  out["sha256"] = to_hex(digests.sha256);
  out["blake2b_16"] = to_hex(digests.blake2b);
  for (const Circuit& circuit : known_circuits()) {
    if (out["path"].get<std::string>().find(circuit.params_stem) != std::string::npos)
      out["circuit"] = circuit.id;
  }
}

Result<void> inspect_vk(const InspectOptions& options, const MappedFile& file) {
  ThreadPool pool(options.threads);
  CUZK_TRY_ASSIGN(const groth16::VerifyingKey vk,
                  groth16::parse_verifying_key(pool, file.bytes(), "'" + file.path() + "'"));
  Json out;
  out["kind"] = "verifying key";
  out["path"] = file.path();
  out["bytes"] = file.bytes().size();
  out["ic"] = vk.ic.size();
  out["gamma_is_generator"] = vk.gamma_g2 == g2_generator();
  out["points"] = "canonical, on the curve, in the subgroup, finite";
  add_digests(out, groth16::digest_bytes(pool, file.bytes()));
  print(options, out);
  return {};
}

Result<void> inspect_params(const InspectOptions& options, const std::string& path) {
  ThreadPool pool(options.threads);
  Progress progress(!options.no_progress);
  progress.begin("read the structure and the verifying key");
  CUZK_TRY_ASSIGN(const groth16::ParamsFile file, groth16::ParamsFile::open(pool, path));
  const groth16::ParamsLayout& layout = file.layout();
  Json out;
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
  progress.begin("digests", layout.file_bytes());
  const auto advance = [&](std::uint64_t done) { progress.advance_to(done); };
  add_digests(out, groth16::digest_bytes(pool, file.bytes(), advance));
  if (options.check_points) {
    progress.begin("check every point, the subgroup included", layout.vector_bytes());
    CUZK_TRY(groth16::check_points(pool, file, advance));
    out["points"] = "canonical, on the curve, in the subgroup, finite";
  } else {
    out["points"] = "not checked (--check-points does)";
  }
  progress.end();
  print(options, out);
  return {};
}

enum class Content { kC1, kProof, kVerifyingKey, kParams, kUnknown };

/// By what the file holds, never by its name. A phase-1 bincode file has no mark of its own: it is what
/// starts with a small u64 (the number of partitions); the uncompressed points that open a key never do. What
/// opens with such a point is a key, whole or cut.
Content recognise(ByteSpan bytes) {
  if (is_gzip(bytes)) return Content::kC1;
  const auto first = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t c) { return c > ' '; });
  if (first != bytes.end() && *first == '{') return Content::kC1;
  if (bytes.size() >= 8) {
    const auto partitions = load_le<std::uint64_t>(bytes.data());
    if (partitions >= 1 && partitions <= 1024) return Content::kC1;
  }
  if (bytes.size() % groth16::kProofBytes == 0 && !bytes.empty() && (bytes[0] & 0x80) != 0)
    return Content::kProof;
  G1Affine alpha;
  if (bytes.size() < groth16::kG1Bytes ||
      groth16::decode_points(bytes.first(groth16::kG1Bytes), std::span(&alpha, 1)))
    return Content::kUnknown;
  if (bytes.size() >= groth16::vk_bytes(0)) {
    const std::uint64_t n_ic = load_be32(bytes.data() + groth16::kVkFixedBytes);
    if (bytes.size() == groth16::vk_bytes(n_ic)) return Content::kVerifyingKey;
  }
  return Content::kParams;
}

Result<void> inspect_by_content(const InspectOptions& options) {
  if (options.file.empty() == options.c1.empty())
    return usage_error("inspect needs one file: either FILE or --c1 FILE");
  if (!options.c1.empty()) return inspect_c1(options, options.c1);
  CUZK_TRY_ASSIGN(const MappedFile file, MappedFile::open(options.file));
  switch (recognise(file.bytes())) {
    case Content::kC1:
      return inspect_c1(options, options.file);
    case Content::kProof:
      return inspect_proof(options, file.bytes());
    case Content::kVerifyingKey:
      return inspect_vk(options, file);
    case Content::kParams:
      return inspect_params(options, options.file);
    case Content::kUnknown:
      break;
  }
  return bad_input("'" + options.file + "' is not recognised as a C1 output, .params, .vk or proof");
}

}  // namespace

Result<void> run_inspect(const InspectOptions& options) {
  Result<void> result = inspect_by_content(options);
  // Here a parameter file is the input that is looked at, not part of the environment.
  if (!result && result.error().code == ErrorCode::kParams) return bad_input(result.error().message);
  return result;
}

}  // namespace cuzk::app
