#include "request_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/filecoin/post/vanilla_proof.h"
#include "cuzk/filecoin/update/partition_proof.h"
#include "cuzk/filecoin/update/sector.h"
#include "cuzk/hash/sha256.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/post.h"
#include "cuzk/proving/update.h"
#include "json_file.h"

namespace cuzk::app {
namespace {

Error missing(const std::string& name, const char* what) {
  return bad_input(name + ": missing or not " + what);
}

/// A value as an error shows it: never a nested one, and never a long one.
std::string shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "a list" : "an object";
  if (value.is_string() && value.get_ref<const std::string&>().size() > 64) return "a long string";
  return value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

// Members of an object whose path is `where`, which is empty or ends with a dot.

Result<std::uint64_t> number(const Json& object, const std::string& where, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || !it->is_number_unsigned())
    return missing(where + member, "a whole number from 0 to 2^64 - 1");
  return it->get<std::uint64_t>();
}

Result<std::string> text(const Json& object, const std::string& where, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || !it->is_string()) return missing(where + member, "a string");
  return it->get<std::string>();
}

Result<std::vector<std::uint8_t>> bytes(const Json& object, const char* member) {
  CUZK_TRY_ASSIGN(const std::string hex, text(object, "", member));
  Result<std::vector<std::uint8_t>> decoded = from_hex(hex);
  if (!decoded) return decoded.error().within(member);
  return decoded;
}

Result<Bytes32> bytes32(const Json& object, const std::string& where, const char* member) {
  CUZK_TRY_ASSIGN(const std::string hex, text(object, where, member));
  const Result<Bytes32> decoded = bytes32_from_hex(hex);
  if (!decoded) return decoded.error().within(where + member);
  return *decoded;
}

/// A registered number that may be null or missing, for sizes that have none.
Result<std::optional<std::uint64_t>> registered_number(const Json& object, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || it->is_null()) return std::optional<std::uint64_t>();
  CUZK_TRY_ASSIGN(const std::uint64_t n, number(object, "", member));
  return std::optional(n);
}

/// A member that repeats what follows from others may be missing, but must not say something else.
template <class T>
Result<void> check_repeated(const Json& object, const std::string& where, const char* member,
                            const T& expected, const std::string& because) {
  const auto it = object.find(member);
  if (it == object.end() || *it == Json(expected)) return {};
  return bad_input(fmt::format("{}{}: {}, but {} {}", where, member, shown(*it), because, expected));
}

Result<void> refuse_members(const Json& request, std::initializer_list<const char*> members, ProofKind kind) {
  for (const char* member : members)
    if (request.contains(member))
      return bad_input(fmt::format("{}: not a member of a request for {}", member, to_string(kind)));
  return {};
}

/// When the file says a size as well, it is the type's; 0 means "as the type says".
Result<void> check_size(const Json& request, std::uint64_t bytes, std::string_view type) {
  if (!request.contains("sector_size")) return {};
  CUZK_TRY_ASSIGN(const std::uint64_t size, number(request, "", "sector_size"));
  if (size == bytes || size == 0) return {};
  return bad_input(fmt::format("sector_size: {}, but the type is {}", size, type));
}

/// The size that stands alone, where there is no registered type.
Result<std::uint64_t> size_without_type(const Json& request, const char* type_member) {
  CUZK_TRY_ASSIGN(const std::uint64_t size, number(request, "", "sector_size"));
  if (size == 0)
    return bad_input(
        fmt::format("sector_size: 0 is \"as {} says\", and that is null or missing", type_member));
  return size;
}

Result<void> check_params(const Json& request, const Circuit& circuit) {
  return check_repeated(request, "", "params", circuit.params_stem + ".params",
                        "parameters of " + circuit.id + " are in");
}

// ---- vanilla proofs

/// The file that an entry {file} names: in the folder of `request`, the path of the JSON file, or below it. A
/// name with or without ".gz" finds the other form as well. kBadInput naming `where`, the entry's JSON path,
/// when the name is none or leads out of the folder; whether the file is there is not asked.
Result<std::string> vanilla_path(const std::string& request, const Json& entry, const std::string& where) {
  if (!entry.is_object()) return bad_input(where + ": not an object");
  const auto member = entry.find("file");
  if (member == entry.end() || !member->is_string())
    return bad_input(where + ".file: missing or not a string");
  const auto& name = member->get_ref<const std::string&>();
  const std::filesystem::path relative(name);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (name.empty() || relative.is_absolute() || leaves || name.find('\0') != std::string::npos)
    return bad_input(where + ".file: '" + name.substr(0, 80) +
                     "' names no file in the folder of the request");
  std::filesystem::path path = std::filesystem::path(request).parent_path() / relative;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    std::filesystem::path other = path;
    if (path.extension() == ".gz")
      other.replace_extension();
    else
      other += ".gz";
    if (std::filesystem::exists(other, ignored)) path = other;
  }
  return path.string();
}

/// A list of files in a request.
struct VanillaList {
  const std::string& request;      ///< path of the JSON file
  const char* member;              ///< its name there
  std::size_t max_bytes;           ///< the size of one proof; a longer file is none
  std::vector<std::string>& read;  ///< gets the paths of the files
};

/// The bytes that entry {file, len, sha256} number `i` of a list names.
Result<std::vector<std::uint8_t>> vanilla_bytes(const VanillaList& list, const Json& entry, std::size_t i) {
  const std::string where = fmt::format("{}[{}]", list.member, i);
  CUZK_TRY_ASSIGN(const std::string path, vanilla_path(list.request, entry, where));
  const Result<InputFile> file = InputFile::open(path, list.max_bytes);
  if (!file) return file.error().within(where + ".file");
  list.read.push_back(path);
  const ByteSpan content = file->bytes();
  const std::string it_has = fmt::format("'{}' has", path);
  CUZK_TRY(check_repeated(entry, where + '.', "len", content.size(), it_has));
  if (entry.contains("sha256"))
    CUZK_TRY(check_repeated(entry, where + '.', "sha256", to_hex(sha256(content)), it_has));
  return std::vector<std::uint8_t>(content.begin(), content.end());
}

// ---- PoSt

Result<post::PostConfig> post_config_of(const Json& request, post::Kind kind) {
  CUZK_TRY_ASSIGN(const std::optional<std::uint64_t> registered,
                  registered_number(request, "registered_post_proof"));
  std::optional<ApiVersion> version;
  if (request.contains("api_version")) {
    CUZK_TRY_ASSIGN(const std::string name, text(request, "", "api_version"));
    const Result<ApiVersion> parsed = api_version_from_string(name);
    if (!parsed) return parsed.error().within("api_version");
    version = *parsed;
  }
  if (registered) {
    const post::RegisteredPostProof* type = post::find_post_proof(*registered);
    if (type == nullptr || type->params->kind != kind)
      return bad_input(
          fmt::format("registered_post_proof: {} is no {}PoSt type", *registered, post::to_string(kind)));
    CUZK_TRY(check_size(request, type->params->size->bytes, type->name));
    if (version && *version != type->version)
      return bad_input(fmt::format("api_version: {}, but the type is {}", to_string(*version), type->name));
    return post::post_config(*type);
  }
  CUZK_TRY_ASSIGN(const std::uint64_t size, size_without_type(request, "registered_post_proof"));
  if (post::find_post(kind, size) == nullptr)
    return bad_input(fmt::format("sector_size: no sector has {} bytes", size));
  if (!version) return missing("api_version", "a string");
  Result<post::PostConfig> config = post::post_config(kind, size, *version);
  if (!config) return bad_input("api_version: " + config.error().message);
  return config;
}

/// What the file says of a sector beside its vanilla proof is what the proof says.
Result<void> check_sector(const post::PostParams& params, const Json& entry, ByteSpan proof, std::size_t i) {
  if (!entry.contains("sector") && !entry.contains("comm_r")) return {};
  const std::string where = fmt::format("vanilla[{}]", i);
  const Result<post::SectorProof> sector = post::read_sector_proof(proof, params);
  if (!sector) return sector.error().within(where);
  CUZK_TRY(check_repeated(entry, where + '.', "sector", sector->sector_id, "its vanilla proof is of sector"));
  return check_repeated(entry, where + '.', "comm_r", to_hex(sector->comm_r), "its vanilla proof is of");
}

/// Test cases have what comes out of each partition, in a list that the request does not need.
Result<void> check_partition_list(const Json& request, std::uint64_t first, std::size_t expected) {
  const auto list = request.find("partitions");
  if (list == request.end()) return {};
  if (!list->is_array()) return bad_input("partitions: not a list");
  if (list->size() != expected)
    return bad_input(fmt::format("partitions: {} elements, but the sectors make {}", list->size(), expected));
  for (std::size_t k = 0; k < list->size(); ++k)
    CUZK_TRY(check_repeated((*list)[k], fmt::format("partitions[{}].", k), "k", first + k, "its number is"));
  return {};
}

Result<std::shared_ptr<const Statement>> read_post(const std::string& path, const Json& request,
                                                   ProofKind kind, RequestFile& out) {
  const bool winning = kind == ProofKind::winning_post;
  CUZK_TRY(
      refuse_members(request, {"registered_update_proof", "comm_r_old", "comm_r_new", "comm_d_new"}, kind));
  CUZK_TRY_ASSIGN(const post::PostConfig config,
                  post_config_of(request, winning ? post::Kind::winning : post::Kind::window));
  const post::PostParams& params = *config.params;
  CUZK_TRY(check_params(request, post_circuit(params)));
  CUZK_TRY(check_repeated(request, "", "sector_count", params.max_sectors(), "sectors in a proof:"));
  CUZK_TRY(
      check_repeated(request, "", "challenge_count", params.proofs_per_sector(), "challenges of a sector:"));
  CUZK_TRY_ASSIGN(const std::vector<std::uint8_t> randomness, bytes(request, "randomness"));
  std::uint64_t partition_index = 0;
  if (request.contains("partition_index")) {
    CUZK_TRY_ASSIGN(partition_index, number(request, "", "partition_index"));
    if (partition_index > UINT32_MAX) return bad_input("partition_index: larger than 2^32 - 1");
  }

  const auto list = request.find("vanilla");
  if (list == request.end() || !list->is_array()) return missing("vanilla", "a list");
  const std::size_t most = winning || partition_index != 0 ? params.max_sectors() : kMaxWindowSectors;
  if (list->empty() || list->size() > most)
    return bad_input(fmt::format("vanilla: {} elements, expected 1{}", list->size(),
                                 most == 1 ? "" : fmt::format(" to {}", most)));
  CUZK_TRY(check_partition_list(request, partition_index,
                                (list->size() + params.max_sectors() - 1) / params.max_sectors()));
  const VanillaList files{path, "vanilla", post::sector_proof_bytes(params), out.files};
  for (std::size_t i = 0; i < list->size(); ++i) {
    CUZK_TRY_ASSIGN(std::vector<std::uint8_t> proof, vanilla_bytes(files, (*list)[i], i));
    CUZK_TRY(check_sector(params, (*list)[i], proof, i));
    out.proofs.push_back(std::move(proof));
  }
  const ProofList names{files.member};
  if (winning || partition_index != 0)
    return post_statement(config, randomness, static_cast<std::uint32_t>(partition_index), out.proofs, names);
  return window_post_statement(config, randomness, out.proofs, names);
}

// ---- SnapDeals

Result<const update::SectorParams*> update_sector_of(const Json& request) {
  CUZK_TRY_ASSIGN(const std::optional<std::uint64_t> registered,
                  registered_number(request, "registered_update_proof"));
  if (registered) {
    const update::RegisteredUpdateProof* type = update::find_update_proof(*registered);
    if (type == nullptr)
      return bad_input(fmt::format("registered_update_proof: {} is no update type", *registered));
    CUZK_TRY(check_size(request, type->sector->bytes, type->name));
    return type->sector;
  }
  CUZK_TRY_ASSIGN(const std::uint64_t size, size_without_type(request, "registered_update_proof"));
  const update::SectorParams* sector = update::find_sector(size);
  if (sector == nullptr) return bad_input(fmt::format("sector_size: no update has {} bytes", size));
  return sector;
}

Result<std::shared_ptr<const Statement>> read_update(const std::string& path, const Json& request,
                                                     RequestFile& out) {
  CUZK_TRY(refuse_members(request, {"registered_post_proof", "vanilla", "randomness", "partition_index"},
                          ProofKind::snap_deals_update));
  CUZK_TRY_ASSIGN(const update::SectorParams* const sector, update_sector_of(request));
  CUZK_TRY(check_params(request, update_circuit(*sector)));
  CUZK_TRY(check_repeated(request, "", "h", sector->high_bits(), "high bits of this size:"));
  update::Statement commitments;
  CUZK_TRY_ASSIGN(commitments.comm_r_old, bytes32(request, "", "comm_r_old"));
  CUZK_TRY_ASSIGN(commitments.comm_r_new, bytes32(request, "", "comm_r_new"));
  CUZK_TRY_ASSIGN(commitments.comm_d_new, bytes32(request, "", "comm_d_new"));

  const auto list = request.find("partitions");
  if (list == request.end() || !list->is_array()) return missing("partitions", "a list");
  if (list->size() != sector->partitions())
    return bad_input(fmt::format("partitions: {} elements, expected {}", list->size(), sector->partitions()));
  const VanillaList files{path, "partitions", update::partition_proof_bytes(*sector), out.files};
  for (std::size_t k = 0; k < list->size(); ++k) {
    CUZK_TRY_ASSIGN(std::vector<std::uint8_t> proof, vanilla_bytes(files, (*list)[k], k));
    CUZK_TRY(check_repeated((*list)[k], fmt::format("partitions[{}].", k), "k", k, "its number is"));
    out.proofs.push_back(std::move(proof));
  }
  return update_statement(*sector, commitments, out.proofs, {files.member});
}

/// The kind that the file's members say.
Result<ProofKind> kind_of(const Json& request) {
  if (!request.contains("kind")) {
    if (request.contains("comm_r_new")) return ProofKind::snap_deals_update;
    return bad_input("kind: missing (\"Winning\" or \"Window\"; a SnapDeals request has comm_r_new instead)");
  }
  if (request["kind"] == "Winning") return ProofKind::winning_post;
  if (request["kind"] == "Window") return ProofKind::window_post_partition;
  return bad_input("kind: " + shown(request["kind"]) + " is neither \"Winning\" nor \"Window\"");
}

Result<std::shared_ptr<const Statement>> read_object(const std::string& path, const Json& request,
                                                     std::optional<ProofKind> wanted, RequestFile& out) {
  if (!request.is_object()) return bad_input("not a JSON object");
  CUZK_TRY_ASSIGN(const ProofKind kind, kind_of(request));
  if (wanted && *wanted != kind)
    return bad_input(
        fmt::format("kind: a request for {}, where {} was asked for", to_string(kind), to_string(*wanted)));
  if (kind == ProofKind::snap_deals_update) return read_update(path, request, out);
  return read_post(path, request, kind, out);
}

}  // namespace

Result<RequestFile> read_request_file(const std::string& path, std::optional<ProofKind> kind) {
  RequestFile out;
  CUZK_TRY_ASSIGN(out.members, read_json(path));
  out.files.push_back(path);
  Result<std::shared_ptr<const Statement>> statement = read_object(path, out.members, kind, out);
  if (!statement) return statement.error().within("'" + path + "'");
  out.statement = *std::move(statement);
  return out;
}

}  // namespace cuzk::app
