#include "inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "cuzk/base/gzip.h"
#include "cuzk/base/input_file.h"
#include "cuzk/base/positioned_file.h"
#include "cuzk/filecoin/json_scanner.h"
#include "cuzk/groth16/point_codec.h"
#include "cuzk/groth16/proof.h"
#include "cuzk/groth16/verifying_key.h"
#include "files.h"
#include "json_file.h"
#include "output.h"

namespace cuzk::app {
namespace {

void print_text(const OrderedJson& json, int indent) {
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

enum class Content { kC1, kRequest, kProof, kVerifyingKey, kParams, kUnknown };

/// A C1 output, unless the first member that either of the two knows is a request's.
Content recognise_json(ByteSpan text) {
  static constexpr std::array<std::string_view, 12> kMembers{
      "registered_proof",      "vanilla_proofs",          "Phase1Out", "SectorNum",  "replica_id", "seed",
      "registered_post_proof", "registered_update_proof", "vanilla",   "randomness", "comm_r_new", "kind"};
  constexpr std::size_t kFirstOfRequest = 6;
  Content content = Content::kC1;
  JsonScanner json(text);
  (void)json.read_object(kMembers, 0, [&](std::size_t i) {
    if (i >= kFirstOfRequest) content = Content::kRequest;
    return false;
  });
  return content;
}

/// As much of a file as tells what it is: a JSON text's first known member, a key's first point. It bounds
/// what is read of a file that turns out to be nothing.
constexpr std::size_t kHeadBytes = std::size_t{1} << 20;

/// By what the file holds, never by its name: the head of a file of `size` bytes. A phase-1 bincode file has
/// no mark of its own: it is what starts with a small u64 (the number of partitions); the uncompressed points
/// that open a key never do. What opens with such a point is a key, whole or cut.
Content recognise(ByteSpan head, std::uint64_t size) {
  if (is_gzip(head)) return Content::kC1;
  const auto first = std::find_if(head.begin(), head.end(), [](std::uint8_t c) { return c > ' '; });
  if (first != head.end() && *first == '{') return recognise_json(head);
  if (head.size() >= 8) {
    const auto partitions = load_le<std::uint64_t>(head.data());
    if (partitions >= 1 && partitions <= 1024) return Content::kC1;
  }
  if (size % groth16::kProofBytes == 0 && size <= kMaxProofFileBytes && size != 0 && (head[0] & 0x80) != 0)
    return Content::kProof;
  G1Affine alpha;
  if (head.size() < groth16::kG1Bytes ||
      groth16::decode_points(head.first(groth16::kG1Bytes), std::span(&alpha, 1), Isa::portable))
    return Content::kUnknown;
  if (head.size() >= groth16::vk_bytes(0)) {
    const std::uint64_t n_ic = load_be32(head.data() + groth16::kVkFixedBytes);
    if (size == groth16::vk_bytes(n_ic)) return Content::kVerifyingKey;
  }
  return Content::kParams;
}

Result<void> inspect_proof_file(const InspectOptions& options, const PositionedFile& file) {
  CUZK_TRY_ASSIGN(const FileBytes bytes, FileBytes::read(file, kMaxProofFileBytes));
  return inspect_proof(options, file.path(), bytes.bytes());
}

Result<void> inspect_by_content(const InspectOptions& options) {
  const int given = int{!options.file.empty()} + int{!options.c1.empty()} + int{!options.request.empty()};
  if (given != 1) return usage_error("inspect needs one file: FILE, or --c1 FILE, or --request FILE");
  if (!options.c1.empty()) return inspect_c1(options, options.c1);
  if (!options.request.empty()) return inspect_request(options, options.request);
  CUZK_TRY_ASSIGN(const PositionedFile file, PositionedFile::open(options.file));
  std::vector<std::uint8_t> head(std::min<std::uint64_t>(file.size(), kHeadBytes));
  CUZK_TRY(file.read(0, head));
  switch (recognise(head, file.size())) {
    case Content::kC1:
      return inspect_c1(options, options.file);
    case Content::kRequest:
      return inspect_request(options, options.file);
    case Content::kProof:
      return inspect_proof_file(options, file);
    case Content::kVerifyingKey:
      return inspect_vk(options, options.file);
    case Content::kParams:
      return inspect_params(options, options.file);
    case Content::kUnknown:
      break;
  }
  return bad_input("'" + options.file + "' is not recognised as a C1 output, request, .params, .vk or proof");
}

}  // namespace

void print_inspection(const InspectOptions& options, const OrderedJson& json) {
  if (options.json) {
    say("{}\n", to_text(json));
  } else {
    print_text(json, 0);
  }
}

Result<void> run_inspect(const InspectOptions& options) {
  Result<void> result = inspect_by_content(options);
  // Here a parameter file is the input that is looked at, not part of the environment.
  if (!result && result.error().code == ErrorCode::kParams) return bad_input(result.error().message);
  return result;
}

}  // namespace cuzk::app
