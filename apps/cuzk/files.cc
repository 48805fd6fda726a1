#include "files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "cuzk/base/hex.h"
#include "json_file.h"
#include "output.h"

namespace cuzk::app {
namespace {

Result<Fr> scalar_member(const Json& object, const std::string& path, const char* member) {
  const auto it = object.find(member);
  if (it == object.end() || !it->is_string())
    return bad_input(path + "." + member + " is missing or not a string of 64 hex digits");
  const Result<Bytes32> bytes = bytes32_from_hex(it->get_ref<const std::string&>());
  if (!bytes) return bytes.error().within(path + "." + member);
  const std::optional<Fr> value = Fr::from_bytes_le(*bytes);
  if (!value) return bad_input(path + "." + member + " is not below the scalar modulus");
  return *value;
}

}  // namespace

Result<groth16::ToxicWaste> read_toxic(const std::string& path) {
  CUZK_TRY_ASSIGN(const Json json, read_json(path));
  if (!json.is_object() || !json.contains("toxic") || !json["toxic"].is_object())
    return bad_input("'" + path + "' has no object `toxic`");
  const Json& toxic = json["toxic"];
  const std::string where = "'" + path + "': toxic";
  groth16::ToxicWaste out;
  CUZK_TRY_ASSIGN(out.alpha, scalar_member(toxic, where, "alpha"));
  CUZK_TRY_ASSIGN(out.beta, scalar_member(toxic, where, "beta"));
  CUZK_TRY_ASSIGN(out.gamma, scalar_member(toxic, where, "gamma"));
  CUZK_TRY_ASSIGN(out.delta, scalar_member(toxic, where, "delta"));
  CUZK_TRY_ASSIGN(out.tau, scalar_member(toxic, where, "tau"));
  if (out.gamma.is_zero() || out.delta.is_zero())
    return bad_input(where + (out.gamma.is_zero() ? ".gamma" : ".delta") +
                     " is zero, which no key can be made from");
  return out;
}

Result<std::vector<Blinding>> read_fixed_rs(const std::string& path, std::size_t partitions) {
  CUZK_TRY_ASSIGN(const Json json, read_json(path));
  if (!json.is_object() || !json.contains("partitions") || !json["partitions"].is_array())
    return bad_input("'" + path + "' has no list `partitions`");
  const Json& list = json["partitions"];
  if (list.size() != partitions)
    return bad_input(fmt::format("'{}': partitions has {} entries, the sector has {} partitions", path,
                                 list.size(), partitions));
  std::vector<Blinding> out;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string where = fmt::format("'{}': partitions[{}]", path, k);
    if (!list[k].is_object()) return bad_input(where + " is not an object");
    Blinding blinding;
    CUZK_TRY_ASSIGN(blinding.r, scalar_member(list[k], where, "r"));
    CUZK_TRY_ASSIGN(blinding.s, scalar_member(list[k], where, "s"));
    out.push_back(blinding);
  }
  return out;
}

Result<std::string> params_path(const std::string& folder, const Circuit& circuit, const char* extension) {
  const std::string path = (std::filesystem::path(folder) / (circuit.params_stem + extension)).string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return io_error(fmt::format(
        "no '{}' (fetch the network's parameters, or for a test: cuzk setup --circuit {} --out {})", path,
        circuit.id, folder));
  return path;
}

std::vector<std::string> parameter_files(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::filesystem::path extension = entry->path().extension();
    if (extension == ".params" || extension == ".vk") out.push_back(entry->path().string());
  }
  return out;
}

Result<void> refuse_to_replace(std::string_view flag, const std::string& output,
                               const std::vector<std::string>& read) {
  const auto found = [](const std::string& path) {
    struct stat at {};
    const int failed = path == "-" ? ::fstat(STDIN_FILENO, &at) : ::stat(path.c_str(), &at);
    return failed == 0 ? std::optional(std::pair(at.st_dev, at.st_ino)) : std::nullopt;
  };
  // FileSink is who says what is wrong with an output.
  const auto there = output.empty() ? std::nullopt : found(output);
  for (const std::string& path : read) {
    if (path.empty() || output.empty()) continue;
    if (path == output || (there && found(path) == there))
      return usage_error(fmt::format("{}: '{}' is also {}, which it would replace", flag, output,
                                     path == "-" ? "standard input" : "'" + path + "'"));
  }
  return {};
}

std::string grouped(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  return fmt::format("{},{:03}", grouped(n / 1000), n % 1000);
}

std::string describe_bytes(std::uint64_t bytes) {
  if (bytes < 10 * 1024) return fmt::format("{} bytes", bytes);
  const double mib = static_cast<double>(bytes) / (1 << 20);
  return mib < 1024 ? fmt::format("{:.1f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

void print_stages(const Progress& progress) {
  double total = 0;
  for (const Progress::Stage& stage : progress.stages()) {
    say("  {:>8.3f} s  {}\n", stage.seconds, stage.name);
    total += stage.seconds;
  }
  say("  {:>8.3f} s  in all\n", total);
}

}  // namespace cuzk::app
