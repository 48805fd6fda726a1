#include "cuzk/config/config.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <initializer_list>
#include <new>
#include <sstream>
#include <tuple>
#include <utility>

#include <toml++/toml.h>

#include "cuzk/base/input_file.h"
#include "cuzk/config/units.h"

namespace cuzk {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxLineBytes = 4096;
constexpr std::uint32_t kMaxCount = 1'000'000;
/// Below it not even the parameters of the smallest circuit of the network and its requests have room.
constexpr std::uint64_t kMinBudget = std::uint64_t{256} << 20;
/// No machine has more memory.
constexpr std::uint64_t kMaxMemory = std::uint64_t{1} << 50;

// ---- values: a node of the file to a value of ours, or what is wrong with it
// ------------------------------------

Result<bool> read_bool(const toml::node& node) {
  if (const auto value = node.value_exact<bool>()) return *value;
  return usage_error("must be true or false");
}

Result<std::string> read_text(const toml::node& node) {
  if (auto value = node.value_exact<std::string>()) {
    if (value->find('\0') != std::string::npos) return usage_error("must not hold a zero byte");
    return *std::move(value);
  }
  return usage_error("must be a text in quotes");
}

/// A folder, or "" for none. A mere word such as "off" would make a folder of that name wherever we run.
Result<std::string> read_folder_or_none(const toml::node& node) {
  CUZK_TRY_ASSIGN(std::string text, read_text(node));
  if (!text.empty() && text.find('/') == std::string::npos)
    return usage_error(quoted(text) + " is no path, as it has no '/'; \"\" turns it off");
  if (text.starts_with('~') || text.starts_with('$'))
    return usage_error(quoted(text) + " begins with what a shell would replace, and nothing does here");
  return text;
}

Result<std::uint32_t> read_count(const toml::node& node, std::uint32_t min, std::uint32_t max) {
  const auto value = node.value_exact<std::int64_t>();
  if (value && *value >= min && *value <= max) return static_cast<std::uint32_t>(*value);
  return usage_error("must be a whole number from " + std::to_string(min) + " to " + std::to_string(max));
}

Result<std::uint64_t> read_size(const toml::node& node) {
  if (const auto number = node.value_exact<std::int64_t>(); number && *number >= 0)
    return static_cast<std::uint64_t>(*number);
  if (const auto text = node.value_exact<std::string>()) return parse_size(*text);
  return usage_error("must be a size such as \"256GiB\", or a whole number of bytes");
}

/// Bytes of the machine's memory.
Result<std::uint64_t> read_memory(const toml::node& node, std::uint64_t least) {
  CUZK_TRY_ASSIGN(const std::uint64_t size, read_size(node));
  if (size >= least && size <= kMaxMemory) return size;
  return usage_error(format_size(size) + " is not from " + format_size(least) + " to " +
                     format_size(kMaxMemory));
}

Result<std::chrono::milliseconds> read_duration(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return parse_duration(*text);
  return usage_error("must be a duration in quotes, such as \"5m\"");
}

Result<std::vector<std::string>> read_texts(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr) return usage_error("must be a list of texts");
  std::vector<std::string> out;
  for (const toml::node& entry : *list) {
    CUZK_TRY_ASSIGN(std::string text, read_text(entry));
    out.push_back(std::move(text));
  }
  return out;
}

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return std::any_of(alphabets.begin(), alphabets.end(),
                       [c](std::string_view letters) { return letters.find(c) != std::string_view::npos; });
  });
}

bool is_address(int family, std::string_view text) {
  in6_addr parsed{};
  return ::inet_pton(family, std::string(text).c_str(), &parsed) == 1;
}

/// An IPv4 address, an IPv6 address in brackets, also with the interface that it is one of, or a name.
bool is_host(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    const std::string_view inner = text.substr(1, text.size() - 2);
    const std::size_t zone = std::min(inner.find('%'), inner.size());
    return is_address(AF_INET6, inner.substr(0, zone)) && zone + 1 != inner.size() &&
           consists_of(inner.substr(zone), {kLetters, kDigits, "%-._"});
  }
  if (consists_of(text, {kDigits, "."})) return is_address(AF_INET, text);
  return consists_of(text, {kLetters, kDigits, "-._"});
}

/// Whether two addresses, host:port each, cannot both be listened on, as far as that is to be seen without
/// asking for names. False for paths and nothing.
bool share_a_port(std::string_view a, std::string_view b) {
  struct Split {
    std::string_view host;
    std::uint32_t port = 0;  // 0: the system chooses
  };
  const auto split = [](std::string_view text) {
    Split out;
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || text.starts_with("unix:")) return out;
    out.host = text.substr(0, colon);
    (void)std::from_chars(text.data() + colon + 1, text.data() + text.size(), out.port);
    return out;
  };
  const Split x = split(a);
  const Split y = split(b);
  if (x.port == 0 || x.port != y.port) return false;
  const auto covers = [](std::string_view one, std::string_view other) {
    if (one == "[::]") return true;  // IPv4 as well
    if (one == "0.0.0.0") return !other.starts_with('[');
    return one == "localhost" && (other == "127.0.0.1" || other == "[::1]");
  };
  return x.host == y.host || covers(x.host, y.host) || covers(y.host, x.host);
}

Result<void> check_listen(std::string_view text) {
  constexpr std::string_view kUnix = "unix://";
  if (!text.starts_with("unix:")) return check_host_port(text, 0);  // 0: the system chooses
  const std::string_view path = text.substr(std::min(text.size(), kUnix.size()));
  const std::string_view last = path.substr(path.rfind('/') + 1);
  // sun_path has 108 bytes with the terminator.
  if (!text.starts_with(kUnix) || !path.starts_with('/') || path.size() >= 108 || last.empty() ||
      last == "." || last == "..")
    return usage_error(quoted(text) + " is not unix:///absolute/path of up to 107 bytes, of a file");
  // Those of a URI's path. Clients read "%2e" as a dot, and nothing from '?' or '#' on.
  if (!consists_of(path, {kLetters, kDigits, "/-._~!$&'()*+,;=:@"}))
    return usage_error(quoted(text) +
                       " has a character that clients would read as something else; use letters, "
                       "digits and any of /-._~!$&'()*+,;=:@");
  return {};
}

Result<std::vector<std::string>> read_listen(const toml::node& node) {
  std::vector<std::string> out;
  if (node.is_string()) {
    CUZK_TRY_ASSIGN(std::string text, read_text(node));
    out.push_back(std::move(text));
  } else {
    CUZK_TRY_ASSIGN(out, read_texts(node));
  }
  if (out.empty()) return usage_error("must name at least one address");
  for (auto address = out.begin(); address != out.end(); ++address) {
    CUZK_TRY(check_listen(*address));
    // Port 0 is another one each time.
    if (!address->ends_with(":0") && std::find(out.begin(), address, *address) != address)
      return usage_error(quoted(*address) + " is there twice");
  }
  return out;
}

Result<std::vector<std::variant<std::uint32_t, std::string>>> read_devices(const toml::node& node) {
  const toml::array* list = node.as_array();
  if (list == nullptr) return usage_error("must be a list of ordinals or UUIDs");
  std::vector<std::variant<std::uint32_t, std::string>> out;
  for (const toml::node& entry : *list) {
    if (entry.is_string()) {
      CUZK_TRY_ASSIGN(std::string uuid, read_text(entry));
      if (uuid.empty()) return usage_error("an empty UUID names no device");
      out.emplace_back(std::move(uuid));
    } else {
      CUZK_TRY_ASSIGN(const std::uint32_t ordinal, read_count(entry, 0, 1023));
      out.emplace_back(ordinal);
    }
    if (std::find(out.begin(), out.end() - 1, out.back()) != out.end() - 1)
      return usage_error("names a device twice");
  }
  return out;
}

template <class E>
using Choices = std::vector<std::pair<std::string_view, E>>;

template <class E>
Result<E> read_choice(const toml::node& node, const Choices<E>& choices) {
  const auto text = node.value_exact<std::string>();
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text && *text == name) return value;
    names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  return usage_error("must be one of " + names);
}

const Choices<Config::Logging::Level>& levels() {
  using Level = Config::Logging::Level;
  static const Choices<Level> choices{{"trace", Level::kTrace},
                                      {"debug", Level::kDebug},
                                      {"info", Level::kInfo},
                                      {"warn", Level::kWarn},
                                      {"error", Level::kError}};
  return choices;
}
const Choices<Config::Logging::Format>& formats() {
  using Format = Config::Logging::Format;
  static const Choices<Format> choices{{"text", Format::kText}, {"json", Format::kJson}};
  return choices;
}
const Choices<Config::Scheduler::OnConflict>& conflicts() {
  using OnConflict = Config::Scheduler::OnConflict;
  static const Choices<OnConflict> choices{{"new", OnConflict::kNewJob}, {"reject", OnConflict::kReject}};
  return choices;
}

// ---- keys
// ------------------------------------------------------------------------------------------------------

/// One key of the file. `read` puts the node's value into the configuration.
struct Key {
  std::string_view section;
  std::string_view name;
  std::function<Result<void>(const toml::node&, Config&)> read;
  std::string_view warning = {};  ///< said whenever the key is there
};

/// A Key whose value `read` makes and `place` finds the room for.
template <class Read, class Place>
Key key(std::string_view section, std::string_view name, Read read, Place place) {
  return {section, name, [read, place](const toml::node& node, Config& config) -> Result<void> {
            auto value = read(node);
            if (!value) return value.error();
            place(config) = std::move(value).value();
            return {};
          }};
}

#define CUZK_PLACE(member)  \
  [](Config & c) -> auto& { \
    return c.member;        \
  }

/// Every key there is, in the order of the example file.
std::vector<Key> all_keys(const CircuitCheck& circuit) {
  const auto count = [](std::uint32_t min, std::uint32_t max = kMaxCount) {
    return [min, max](const toml::node& node) { return read_count(node, min, max); };
  };
  const auto host_port_or_none = [](const toml::node& node) -> Result<std::string> {
    CUZK_TRY_ASSIGN(std::string text, read_text(node));
    if (!text.empty()) CUZK_TRY(check_host_port(text, 0));
    return text;
  };
  const auto size_or_auto = [](const toml::node& node) -> Result<std::optional<std::uint64_t>> {
    if (node.value_exact<std::string_view>() == std::string_view("auto"))
      return std::optional<std::uint64_t>();
    CUZK_TRY_ASSIGN(const std::uint64_t size, read_size(node));
    if (size == 0) return usage_error("must be \"auto\" or more than nothing");
    return std::optional(size);
  };
  const auto budget = [](const toml::node& node) -> Result<std::optional<std::uint64_t>> {
    if (node.value_exact<std::string_view>() == std::string_view("auto"))
      return std::optional<std::uint64_t>();
    CUZK_TRY_ASSIGN(const std::uint64_t size, read_memory(node, kMinBudget));
    return std::optional(size);
  };
  const auto margin = [](const toml::node& node) { return read_memory(node, 0); };
  const auto milliseconds = [](const toml::node& node) -> Result<std::chrono::milliseconds> {
    CUZK_TRY_ASSIGN(const std::uint32_t ms, read_count(node, 0, 86'400'000));
    return std::chrono::milliseconds(ms);
  };
  const auto circuits = [circuit](const toml::node& node) -> Result<std::vector<std::string>> {
    CUZK_TRY_ASSIGN(std::vector<std::string> ids, read_texts(node));
    for (const std::string& id : ids) {
      if (circuit) CUZK_TRY(circuit(id));
    }
    return ids;
  };
  const auto ignored = [](const toml::node&, Config&) { return Result<void>(); };
  constexpr std::string_view kIgnored = "accepted without effect: memory.total_budget covers it";

  return {
      key("daemon", "listen", read_listen, CUZK_PLACE(daemon.listen)),
      key("daemon", "status_listen", host_port_or_none, CUZK_PLACE(daemon.status_listen)),
      key("daemon", "drain_timeout", read_duration, CUZK_PLACE(daemon.drain_timeout)),
      key("daemon", "disconnect_grace", read_duration, CUZK_PLACE(daemon.disconnect_grace)),
      key("daemon", "journal", read_folder_or_none, CUZK_PLACE(daemon.journal)),
      key("daemon", "tls_cert", read_text, CUZK_PLACE(daemon.tls_cert)),
      key("daemon", "tls_key", read_text, CUZK_PLACE(daemon.tls_key)),
      key("daemon", "tls_client_ca", read_text, CUZK_PLACE(daemon.tls_client_ca)),
      key("daemon", "token_file", read_text, CUZK_PLACE(daemon.token_file)),

      key("memory", "total_budget", budget, CUZK_PLACE(memory.total_budget)),
      key("memory", "safety_margin", margin, CUZK_PLACE(memory.safety_margin)),
      key("memory", "eviction_min_idle", read_duration, CUZK_PLACE(memory.eviction_min_idle)),
      {"memory", "pinned_budget", ignored, kIgnored},
      {"memory", "working_memory_budget", ignored, kIgnored},

      key("gpus", "devices", read_devices, CUZK_PLACE(gpus.devices)),
      key("gpus", "gpu_threads", count(0, 4096), CUZK_PLACE(gpus.gpu_threads)),
      key("gpus", "gpu_workers_per_device", count(1, kMaxWorkersPerDevice),
          CUZK_PLACE(gpus.gpu_workers_per_device)),
      key("gpus", "vram_limit", size_or_auto, CUZK_PLACE(gpus.vram_limit)),
      key("gpus", "points_per_base", count(0, kMaxPointsPerBase), CUZK_PLACE(gpus.points_per_base)),

      key("scheduler", "max_batch_size", count(1, 1024), CUZK_PLACE(scheduler.max_batch_size)),
      key("scheduler", "max_batch_wait_ms", milliseconds, CUZK_PLACE(scheduler.max_batch_wait)),
      key("scheduler", "sort_by_type", read_bool, CUZK_PLACE(scheduler.sort_by_type)),
      key("scheduler", "max_pending", count(1), CUZK_PLACE(scheduler.max_pending)),
      key(
          "scheduler", "on_conflict", [](const toml::node& node) { return read_choice(node, conflicts()); },
          CUZK_PLACE(scheduler.on_conflict)),
      key("scheduler", "result_retention", read_duration, CUZK_PLACE(scheduler.result_retention)),
      key("scheduler", "max_results", count(0), CUZK_PLACE(scheduler.max_results)),

      key("synthesis", "threads", count(0, 4096), CUZK_PLACE(synthesis.threads)),
      key("synthesis", "partition_workers", count(0, kMaxWorkers), CUZK_PLACE(synthesis.partition_workers)),

      key("pipeline", "enabled", read_bool, CUZK_PLACE(pipeline.enabled)),
      key("pipeline", "synthesis_lookahead", count(1, 4096), CUZK_PLACE(pipeline.synthesis_lookahead)),
      key("pipeline", "synthesis_concurrency", count(1, 4096), CUZK_PLACE(pipeline.synthesis_concurrency)),
      key("pipeline", "max_parallel_synthesis", count(1, kMaxWorkers),
          CUZK_PLACE(pipeline.max_parallel_synthesis)),
      key("pipeline", "slot_size", count(0, 4096), CUZK_PLACE(pipeline.slot_size)),
      key("pipeline", "max_gpu_queue_depth", count(1, 4096), CUZK_PLACE(pipeline.max_gpu_queue_depth)),

      key("srs", "param_cache", read_text, CUZK_PLACE(srs.param_cache)),
      key("srs", "preload", circuits, CUZK_PLACE(srs.preload)),

      key(
          "logging", "level", [](const toml::node& node) { return read_choice(node, levels()); },
          CUZK_PLACE(logging.level)),
      key(
          "logging", "format", [](const toml::node& node) { return read_choice(node, formats()); },
          CUZK_PLACE(logging.format)),
  };
}
#undef CUZK_PLACE

// ---- the walk over the file
// ------------------------------------------------------------------------------------

/// Edits (insert, delete, replace a letter) that turn one name into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// ", did you mean X?" for the nearest of `known`, or nothing when none is near.
std::string suggestion(std::string_view name, const std::vector<std::string_view>& known) {
  std::string_view best;
  std::size_t best_distance = 4;
  if (name.size() > 64) return {};
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < std::min(best_distance, candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : ", did you mean `" + std::string(best) + "`?";
}

class Walk {
 public:
  Walk(std::string_view name, const ConfigChecks& checks)
      : name_(name), memory_(checks.memory), keys_(all_keys(checks.circuit)) {}

  ConfigReading read(const toml::table& root) {
    for (const auto& [section, node] : root) read_section(section.str(), section.source(), node);
    check_together(root);
    if (memory_ != 0) compare_with_machine(root);
    finish(errors_, reading_.errors);
    finish(warnings_, reading_.warnings);
    return std::move(reading_);
  }

  [[nodiscard]] std::string at(const toml::source_region& place) const {
    return name_ + ":" + std::to_string(place.begin.line) + ":" + std::to_string(place.begin.column) + ": ";
  }

 private:
  struct Finding {
    toml::source_region place;
    std::string text;
  };

  void read_section(std::string_view section, const toml::source_region& place, const toml::node& node) {
    std::vector<std::string_view> names;
    std::vector<std::string_view> sections;
    for (const Key& key : keys_) {
      if (key.section == section) names.push_back(key.name);
      if (sections.empty() || sections.back() != key.section) sections.push_back(key.section);
    }
    if (names.empty()) {
      errors_.push_back(
          {place, "unknown section `" + std::string(section) + "`" + suggestion(section, sections)});
      return;
    }
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      errors_.push_back(
          {place, "`" + std::string(section) + "` must be a section: [" + std::string(section) + "]"});
      return;
    }
    for (const auto& [name, value] : *table) {
      const std::string_view written = name.str();  // a lambda cannot capture a structured binding
      const std::string full = std::string(section) + "." + std::string(written);
      const auto key = std::find_if(keys_.begin(), keys_.end(),
                                    [&](const Key& k) { return k.section == section && k.name == written; });
      if (key == keys_.end()) {
        errors_.push_back({name.source(), "unknown key `" + full + "`" + suggestion(written, names)});
        continue;
      }
      if (!key->warning.empty())
        warnings_.push_back({name.source(), full + ": " + std::string(key->warning)});
      if (const Result<void> read = key->read(value, reading_.config); !read)
        errors_.push_back({value.source(), full + ": " + read.error().message});
    }
  }

  /// Keys that make no sense one without the other.
  void check_together(const toml::table& root) {
    const Config::Daemon& daemon = reading_.config.daemon;
    const auto demand = [&](const char* key, bool set, const char* other, bool other_set) {
      if (!set || other_set) return;
      const auto node = root["daemon"][key];
      errors_.push_back({node ? node.node()->source() : toml::source_region{},
                         std::string("daemon.") + key + ": needs daemon." + other + " as well"});
    };
    demand("tls_cert", !daemon.tls_cert.empty(), "tls_key", !daemon.tls_key.empty());
    demand("tls_key", !daemon.tls_key.empty(), "tls_cert", !daemon.tls_cert.empty());
    demand("tls_client_ca", !daemon.tls_client_ca.empty(), "tls_cert", !daemon.tls_cert.empty());
    const std::string& status = daemon.status_listen;
    for (const std::string& address : daemon.listen) {
      if (!share_a_port(status, address)) continue;
      const auto node = root["daemon"]["status_listen"];
      errors_.push_back(
          {node ? node.node()->source() : toml::source_region{},
           "daemon.status_listen: " + quoted(status) +
               (status == address ? " is in daemon.listen too"
                                  : " would have the port of daemon.listen's " + quoted(address))});
      break;
    }
  }

  void compare_with_machine(const toml::table& root) {
    const Config::Memory& memory = reading_.config.memory;
    const auto warn = [&](const char* key, const std::string& text) {
      if (const auto node = root["memory"][key])
        warnings_.push_back({node.node()->source(), std::string("memory.") + key + ": " + text});
    };
    const std::string has = "the " + format_size(memory_) + " that this machine or its cgroup has";
    if (memory.total_budget && *memory.total_budget > memory_)
      warn("total_budget", format_size(*memory.total_budget) + " is more than " + has);
    if (!memory.total_budget && memory.safety_margin >= memory_)
      warn("safety_margin",
           format_size(memory.safety_margin) + " leaves nothing of " + has + ": half of that is used");
  }

  void finish(std::vector<Finding>& findings, std::vector<std::string>& out) {
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
      return std::tie(a.place.begin.line, a.place.begin.column) <
             std::tie(b.place.begin.line, b.place.begin.column);
    });
    for (const Finding& finding : findings) out.push_back(at(finding.place) + finding.text);
  }

  std::string name_;
  std::uint64_t memory_;
  std::vector<Key> keys_;
  ConfigReading reading_;
  std::vector<Finding> errors_;
  std::vector<Finding> warnings_;
};

/// The first line (from 1) that is longer than kMaxLineBytes, 0 when there is none. Each part of a dotted key
/// is a table within a table, and toml++ follows them by recursion: a line of 100,000 parts ends the stack.
std::size_t first_long_line(std::string_view text) {
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end - begin > kMaxLineBytes) return line;
    begin = end + 1;
  }
  return 0;
}

}  // namespace

ConfigReading read_config(std::string_view text, std::string_view name, const ConfigChecks& checks) {
  Walk walk(name, checks);
  ConfigReading failed;
  if (text.size() > kMaxFileBytes) {
    failed.errors.push_back(std::string(name) + ": larger than 1 MiB is no configuration");
    return failed;
  }
  if (const std::size_t line = first_long_line(text); line > 0) {
    failed.errors.push_back(std::string(name) + ":" + std::to_string(line) + ": a line of more than " +
                            std::to_string(kMaxLineBytes) + " bytes");
    return failed;
  }
  try {
    return walk.read(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    failed.errors.push_back(walk.at(error.source()) + std::string(error.description()));
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    failed.errors.push_back(std::string(name) + ": " + error.what());
  }
  return failed;
}

Result<ConfigReading> read_config_file(const std::string& path, const ConfigChecks& checks) {
  const Result<FileBytes> file = FileBytes::read(path, kMaxFileBytes);
  if (!file) return usage_error("configuration: " + file.error().message);
  const ByteSpan bytes = file->bytes();
  return read_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path, checks);
}

Result<void> check_host_port(std::string_view text, std::uint32_t least_port) {
  const std::size_t colon = text.rfind(':');
  std::uint32_t port = 0;
  if (colon != std::string_view::npos && colon > 0) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error == std::errc() && end == digits.data() + digits.size() && port >= least_port && port <= 65535 &&
        is_host(text.substr(0, colon)))
      return {};
  }
  return usage_error(quoted(text) + " is not host:port with a port from " + std::to_string(least_port) +
                     " to 65535; an IPv6 address stands in brackets");
}

// ---- writing
// ---------------------------------------------------------------------------------------------------

namespace {

template <class E>
std::string name_of(E value, const Choices<E>& choices) {
  for (const auto& [name, candidate] : choices) {
    if (candidate == value) return std::string(name);
  }
  return {};
}

toml::array texts(const std::vector<std::string>& values) {
  toml::array out;
  for (const std::string& value : values) out.push_back(value);
  return out;
}

}  // namespace

std::string to_toml(const Config& config) {
  const auto count = [](std::uint32_t n) { return static_cast<std::int64_t>(n); };
  const auto size_or_auto = [](const std::optional<std::uint64_t>& size) {
    return size ? format_size(*size) : std::string("auto");
  };
  toml::array devices;
  for (const auto& device : config.gpus.devices) {
    if (const auto* ordinal = std::get_if<std::uint32_t>(&device))
      devices.push_back(count(*ordinal));
    else
      devices.push_back(std::get<std::string>(device));
  }

  toml::table daemon{{"listen", texts(config.daemon.listen)},
                     {"status_listen", config.daemon.status_listen},
                     {"drain_timeout", format_duration(config.daemon.drain_timeout)},
                     {"disconnect_grace", format_duration(config.daemon.disconnect_grace)}};
  if (config.daemon.journal) daemon.insert("journal", *config.daemon.journal);
  const std::array<std::pair<const char*, const std::string*>, 4> files{
      {{"tls_cert", &config.daemon.tls_cert},
       {"tls_key", &config.daemon.tls_key},
       {"tls_client_ca", &config.daemon.tls_client_ca},
       {"token_file", &config.daemon.token_file}}};
  for (const auto& [name, path] : files) {
    if (!path->empty()) daemon.insert(name, *path);
  }
  toml::table synthesis{{"threads", count(config.synthesis.threads)}};
  if (config.synthesis.partition_workers)
    synthesis.insert("partition_workers", count(*config.synthesis.partition_workers));
  toml::table pipeline{{"enabled", config.pipeline.enabled},
                       {"synthesis_lookahead", count(config.pipeline.synthesis_lookahead)},
                       {"synthesis_concurrency", count(config.pipeline.synthesis_concurrency)},
                       {"slot_size", count(config.pipeline.slot_size)}};
  if (config.pipeline.max_parallel_synthesis)
    pipeline.insert("max_parallel_synthesis", count(*config.pipeline.max_parallel_synthesis));
  if (config.pipeline.max_gpu_queue_depth)
    pipeline.insert("max_gpu_queue_depth", count(*config.pipeline.max_gpu_queue_depth));
  toml::table srs{{"preload", texts(config.srs.preload)}};
  if (config.srs.param_cache) srs.insert("param_cache", *config.srs.param_cache);

  const toml::table root{
      {"daemon", daemon},
      {"memory", toml::table{{"total_budget", size_or_auto(config.memory.total_budget)},
                             {"safety_margin", format_size(config.memory.safety_margin)},
                             {"eviction_min_idle", format_duration(config.memory.eviction_min_idle)}}},
      {"gpus", toml::table{{"devices", devices},
                           {"gpu_threads", count(config.gpus.gpu_threads)},
                           {"gpu_workers_per_device", count(config.gpus.gpu_workers_per_device)},
                           {"vram_limit", size_or_auto(config.gpus.vram_limit)},
                           {"points_per_base", count(config.gpus.points_per_base)}}},
      {"scheduler", toml::table{{"max_batch_size", count(config.scheduler.max_batch_size)},
                                {"max_batch_wait_ms", config.scheduler.max_batch_wait.count()},
                                {"sort_by_type", config.scheduler.sort_by_type},
                                {"max_pending", count(config.scheduler.max_pending)},
                                {"on_conflict", name_of(config.scheduler.on_conflict, conflicts())},
                                {"result_retention", format_duration(config.scheduler.result_retention)},
                                {"max_results", count(config.scheduler.max_results)}}},
      {"synthesis", synthesis},
      {"pipeline", pipeline},
      {"srs", srs},
      {"logging", toml::table{{"level", name_of(config.logging.level, levels())},
                              {"format", name_of(config.logging.format, formats())}}}};
  std::ostringstream out;
  out << root << "\n";
  return out.str();
}

}  // namespace cuzk
