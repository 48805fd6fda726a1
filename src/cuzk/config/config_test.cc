#include "cuzk/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <sstream>

#include "cuzk/base/input_file.h"
#include "cuzk/base/random.h"

namespace cuzk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// Whether a line is a key that the example shows switched off: "#name = ...".
bool is_shown_key(const std::string& line) {
  const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", 1);
  return line.starts_with('#') && end != std::string::npos && end > 1 && line.compare(end, 3, " = ") == 0;
}

/// The text with the shown keys switched on, but for those that `skip` says.
std::string switched_on(const std::string& text, const std::function<bool(const std::string&)>& skip = {}) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const bool on = is_shown_key(line) && !(skip && skip(line));
    out += (on ? line.substr(1) : line) + '\n';
  }
  return out;
}

std::string example() {
  const FileBytes file =
      FileBytes::read(std::string(CUZK_TEST_DATA) + "/../../packaging/cuzk.example.toml", 1 << 20).value();
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

ConfigReading read(std::string_view text) {
  return read_config(text, "c.toml");
}

/// The errors of a text that has exactly one.
std::string only_error(std::string_view text) {
  const ConfigReading reading = read(text);
  EXPECT_EQ(reading.errors.size(), 1U) << text;
  return reading.errors.empty() ? "" : reading.errors.front();
}

TEST(Config, AnEmptyFileIsTheBuiltInConfiguration) {
  const ConfigReading reading = read("");
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
  EXPECT_EQ(to_toml(reading.config), to_toml(Config{}));
}

TEST(Config, EveryKeyArrives) {
  const ConfigReading reading = read(R"(
[daemon]
listen = ["unix:///tmp/a.sock", "[::1]:9820"]
status_listen = ""
drain_timeout = "2m"
disconnect_grace = "0s"
journal = "/tmp/j"
tls_cert = "a"
tls_key = "b"
tls_client_ca = "c"
token_file = "d"
[memory]
total_budget = "256GiB"
safety_margin = 1024
eviction_min_idle = "90s"
[gpus]
devices = [0, "GPU-1b2c"]
gpu_threads = 32
gpu_workers_per_device = 1
vram_limit = "20GiB"
points_per_base = 0
[scheduler]
max_batch_size = 3
max_batch_wait_ms = 0
sort_by_type = true
max_pending = 7
on_conflict = "reject"
result_retention = "10m"
max_results = 0
[synthesis]
threads = 3
partition_workers = 0
[pipeline]
enabled = false
synthesis_lookahead = 2
synthesis_concurrency = 4
max_parallel_synthesis = 5
slot_size = 6
max_gpu_queue_depth = 8
[srs]
param_cache = "/p"
preload = ["porep-2k"]
[logging]
level = "debug"
format = "json"
)");
  ASSERT_THAT(reading.errors, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
  const Config& c = reading.config;
  EXPECT_THAT(c.daemon.listen, ElementsAre("unix:///tmp/a.sock", "[::1]:9820"));
  EXPECT_EQ(c.daemon.status_listen, "");
  EXPECT_EQ(c.daemon.drain_timeout, std::chrono::minutes(2));
  EXPECT_EQ(c.daemon.disconnect_grace, std::chrono::seconds(0));
  EXPECT_EQ(c.daemon.journal, "/tmp/j");
  EXPECT_EQ(c.daemon.tls_cert + c.daemon.tls_key + c.daemon.tls_client_ca + c.daemon.token_file, "abcd");
  EXPECT_EQ(c.memory.total_budget, 256ULL << 30);
  EXPECT_EQ(c.memory.safety_margin, 1024U);
  EXPECT_EQ(c.memory.eviction_min_idle, std::chrono::seconds(90));
  ASSERT_EQ(c.gpus.devices.size(), 2U);
  EXPECT_EQ(std::get<std::uint32_t>(c.gpus.devices[0]), 0U);
  EXPECT_EQ(std::get<std::string>(c.gpus.devices[1]), "GPU-1b2c");
  EXPECT_EQ(c.gpus.gpu_threads, 32U);
  EXPECT_EQ(c.gpus.gpu_workers_per_device, 1U);
  EXPECT_EQ(c.gpus.vram_limit, 20ULL << 30);
  EXPECT_EQ(c.gpus.points_per_base, 0U);
  EXPECT_EQ(c.scheduler.max_batch_size, 3U);
  EXPECT_EQ(c.scheduler.max_batch_wait, std::chrono::seconds(0));
  EXPECT_TRUE(c.scheduler.sort_by_type);
  EXPECT_EQ(c.scheduler.max_pending, 7U);
  EXPECT_EQ(c.scheduler.on_conflict, Config::Scheduler::OnConflict::kReject);
  EXPECT_EQ(c.scheduler.result_retention, std::chrono::minutes(10));
  EXPECT_EQ(c.scheduler.max_results, 0U);
  EXPECT_EQ(c.synthesis.threads, 3U);
  EXPECT_EQ(c.synthesis.partition_workers, 0U);
  EXPECT_FALSE(c.pipeline.enabled);
  EXPECT_EQ(c.pipeline.synthesis_lookahead, 2U);
  EXPECT_EQ(c.pipeline.synthesis_concurrency, 4U);
  EXPECT_EQ(c.pipeline.max_parallel_synthesis, 5U);
  EXPECT_EQ(c.pipeline.slot_size, 6U);
  EXPECT_EQ(c.pipeline.max_gpu_queue_depth, 8U);
  EXPECT_EQ(c.srs.param_cache, "/p");
  EXPECT_THAT(c.srs.preload, ElementsAre("porep-2k"));
  EXPECT_EQ(c.logging.level, Config::Logging::Level::kDebug);
  EXPECT_EQ(c.logging.format, Config::Logging::Format::kJson);

  // What is written reads back to the same.
  const ConfigReading again = read(to_toml(c));
  EXPECT_THAT(again.errors, IsEmpty());
  EXPECT_EQ(to_toml(again.config), to_toml(c));
}

TEST(Config, AnErrorNamesItsLine) {
  EXPECT_THAT(only_error("[daemon]\n\nlisten_to = \"x\"\n"),
              StartsWith("c.toml:3:1: unknown key `daemon.listen_to`"));
  EXPECT_EQ(only_error("[memory]\ntotal_bugdet = \"1GiB\"\n"),
            "c.toml:2:1: unknown key `memory.total_bugdet`, did you mean `total_budget`?");
  EXPECT_EQ(only_error("[gpu]\ndevices = []\n"), "c.toml:1:2: unknown section `gpu`, did you mean `gpus`?");
  EXPECT_THAT(only_error("listen = \"a:1\"\n"), StartsWith("c.toml:1:1: unknown section `listen`"));
  EXPECT_EQ(only_error("memory = 3\n"), "c.toml:1:1: `memory` must be a section: [memory]");
  EXPECT_EQ(only_error("[memory]\ntotal_budget = \"1KiB\"\n"),
            "c.toml:2:16: memory.total_budget: 1KiB is not from 256MiB to 1024TiB");
  EXPECT_EQ(only_error("[memory]\nsafety_margin = \"9999TiB\"\n"),
            "c.toml:2:17: memory.safety_margin: 9999TiB is not from 0B to 1024TiB");
  EXPECT_THAT(only_error("[memory]\nsafety_margin = \"5 gigs\"\n"),
              StartsWith("c.toml:2:17: memory.safety_margin: '5 gigs' is not a size"));
  EXPECT_THAT(only_error("[memory]\neviction_min_idle = \"5\"\n"),
              StartsWith("c.toml:2:21: memory.eviction_min_idle: '5' is not a duration"));
  EXPECT_THAT(only_error("[memory]\neviction_min_idle = 5\n"), HasSubstr("must be a duration in quotes"));
  EXPECT_THAT(only_error("[gpus]\ngpu_workers_per_device = 0\n"), HasSubstr("from 1 to 64"));
  EXPECT_THAT(only_error("[gpus]\npoints_per_base = 17\n"), HasSubstr("from 0 to 16"));
  EXPECT_THAT(only_error("[synthesis]\npartition_workers = 1025\n"), HasSubstr("from 0 to 1024"));
  EXPECT_THAT(only_error("[pipeline]\nmax_parallel_synthesis = 1025\n"), HasSubstr("from 1 to 1024"));
  EXPECT_THAT(
      only_error("[daemon]\njournal = \"off\"\n"),
      StartsWith("c.toml:2:11: daemon.journal: 'off' is no path, as it has no '/'; \"\" turns it off"));
  for (const std::string path : {"~/x", "$HOME/x"})
    EXPECT_THAT(only_error("[daemon]\njournal = \"" + path + "\"\n"),
                StartsWith("c.toml:2:11: daemon.journal: '" + path + "' begins with what a shell"));
  EXPECT_EQ(
      only_error("[daemon]\nlisten = [\"unix:///a\", \"[::1]:9820\"]\nstatus_listen = \"[::1]:9820\"\n"),
      "c.toml:3:17: daemon.status_listen: '[::1]:9820' is in daemon.listen too");
  const auto both = [](const std::string& listen, const std::string& status) {
    return "[daemon]\nlisten = \"" + listen + "\"\nstatus_listen = \"" + status + "\"\n";
  };
  EXPECT_EQ(only_error(both("127.0.0.1:98", "localhost:98")),
            "c.toml:3:17: daemon.status_listen: 'localhost:98' would have the port of daemon.listen's "
            "'127.0.0.1:98'");
  for (const auto& [a, b] : {std::pair("0.0.0.0:98", "10.0.0.1:98"), std::pair("[::]:98", "127.0.0.1:098"),
                             std::pair("[::]:98", "0.0.0.0:98"), std::pair("localhost:98", "[::1]:98"),
                             std::pair("0.0.0.0:98", "localhost:98")}) {
    EXPECT_THAT(only_error(both(a, b)), HasSubstr("would have the port"));
    EXPECT_THAT(only_error(both(b, a)), HasSubstr("would have the port"));
  }
  for (const auto& [a, b] :
       {std::pair("127.0.0.1:98", "127.0.0.2:98"), std::pair("0.0.0.0:98", "[::1]:98"),
        std::pair("localhost:98", "10.0.0.1:98"), std::pair("0.0.0.0:98", "127.0.0.1:99"),
        std::pair("0.0.0.0:0", "127.0.0.1:0"), std::pair("unix:///a:98", "0.0.0.0:98")})
    EXPECT_TRUE(read_config(both(a, b), "c.toml").errors.empty()) << a << " " << b;
  EXPECT_THAT(only_error("[gpus]\ngpu_threads = \"32\"\n"), HasSubstr("must be a whole number"));
  EXPECT_THAT(only_error("[gpus]\ndevices = [0, -1]\n"), HasSubstr("must be a whole number"));
  EXPECT_THAT(only_error("[gpus]\ndevices = [1, 1]\n"), HasSubstr("names a device twice"));
  EXPECT_THAT(only_error("[scheduler]\non_conflict = \"replace\"\n"),
              HasSubstr("one of \"new\", \"reject\""));
  EXPECT_THAT(only_error("[scheduler]\nsort_by_type = 1\n"), HasSubstr("must be true or false"));
  EXPECT_THAT(only_error("[logging]\nlevel = \"loud\"\n"), HasSubstr("one of \"trace\""));
  EXPECT_THAT(only_error("[daemon]\nlisten = []\n"), HasSubstr("at least one address"));
  EXPECT_THAT(only_error("[daemon]\nlisten = \"unix:relative\"\n"), HasSubstr("unix:///absolute"));
  EXPECT_THAT(only_error("[daemon]\nlisten = \"localhost\"\n"), HasSubstr("host:port"));
  EXPECT_THAT(only_error("[daemon]\nlisten = [\"a:1\", \"b:1\", \"a:1\"]\n"),
              HasSubstr("'a:1' is there twice"));
  EXPECT_THAT(only_error("[daemon]\nlisten = \"h:65536\"\n"), HasSubstr("host:port"));
  EXPECT_THAT(only_error("[daemon]\ntls_cert = \"a\"\n"), StartsWith("c.toml:2:12: daemon.tls_cert: needs"));
  EXPECT_THAT(only_error("[daemon\n"), StartsWith("c.toml:1:8: "));
  EXPECT_THAT(only_error("[daemon]\njournal = \"a\"\njournal = \"b\"\n"), StartsWith("c.toml:3:"));
}

TEST(Config, AddressesThatCannotBeListenedOn) {
  for (const std::string bad :
       {"http://x:1", "[::1:50", "::1:50", "a b:1", "[]:1", "[g::]:1", "[::1%]:1", "[::1%e 0]:1", "1.2.3:1",
        "300.1.1.1:1", "a:", "a:-1", "a:1x", ":1", "x/y:1", "[127.0.0.1]:1", "a%2e:1"}) {
    for (const char* name : {"listen", "status_listen"})
      EXPECT_THAT(only_error("[daemon]\n" + std::string(name) + " = \"" + bad + "\"\n"),
                  AllOf(StartsWith("c.toml:2:"), HasSubstr("'" + bad + "' is not host:port")))
          << name;
  }
  for (const std::string bad :
       {"unix:", "unix://", "unix:///", "unix:///tmp/", "unix:///tmp/..", "unix://a/b"})
    EXPECT_THAT(only_error("[daemon]\nlisten = \"" + bad + "\"\n"), HasSubstr("unix:///absolute/path"))
        << bad;
  // What gRPC makes of it is another path, such as that of a socket that is in use.
  for (const std::string bad :
       {"unix:///d/s%2esock", "unix:///d/s#ock", "unix:///d/s?ock", "unix:///d/s ock"})
    EXPECT_THAT(only_error("[daemon]\nlisten = \"" + bad + "\"\n"), HasSubstr("clients would read")) << bad;
  for (const std::string good : {"unix:///a", "unix:///run/a-b_c.d/e@1.sock", "host-1.example.org:1", "a_b:1",
                                 "127.0.0.1:0", "0.0.0.0:65535", "[::]:1", "[fe80::1%eth0]:1"})
    EXPECT_THAT(read("[daemon]\nlisten = \"" + good + "\"\n").errors, IsEmpty()) << good;
}

TEST(Config, AnAddressToConnectToHasAPort) {
  EXPECT_TRUE(check_host_port("[::1]:1", 1));
  EXPECT_THAT(check_host_port("localhost:0", 1).error().message, HasSubstr("a port from 1 to 65535"));
}

TEST(Config, AllErrorsAreSaidInTheOrderOfTheFile) {
  const ConfigReading reading = read("[pipeline]\nzeta = 1\nenabled = 2\n[daemon]\nalpha = 3\n");
  EXPECT_THAT(reading.errors,
              ElementsAre(StartsWith("c.toml:2:1:"), StartsWith("c.toml:3:11:"), StartsWith("c.toml:5:1:")));
}

TEST(Config, KeysWithoutEffectWarn) {
  const ConfigReading reading = read("[memory]\npinned_budget = \"50GiB\"\nworking_memory_budget = 1\n");
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_THAT(reading.warnings,
              ElementsAre(StartsWith("c.toml:2:1: memory.pinned_budget: accepted without effect"),
                          StartsWith("c.toml:3:1: memory.working_memory_budget: accepted")));
}

/// The keys and values that the ancestor's example sets.
TEST(Config, TheAncestorsExampleIsAccepted) {
  const ConfigReading reading = read(R"([daemon]
listen = "0.0.0.0:9820"
[srs]
param_cache = "/data/zk/params"
preload = ["porep-32g"]
[memory]
total_budget = "auto"
pinned_budget = "50GiB"
working_memory_budget = "0"
safety_margin = "5GiB"
eviction_min_idle = "5m"
[gpus]
devices = []
gpu_threads = 32
gpu_workers_per_device = 2
[scheduler]
max_batch_size = 1
max_batch_wait_ms = 10000
sort_by_type = true
[synthesis]
threads = 0
partition_workers = 10
[pipeline]
enabled = true
synthesis_lookahead = 1
synthesis_concurrency = 1
[logging]
level = "info"
)");
  EXPECT_THAT(reading.errors, IsEmpty());
  EXPECT_EQ(reading.warnings.size(), 2U);
  EXPECT_EQ(reading.config.synthesis.partition_workers, 10U);
  EXPECT_EQ(reading.config.gpus.gpu_threads, 32U);
}

TEST(Config, CircuitsAreCheckedByTheCaller) {
  const auto check = [](std::string_view id) -> Result<void> {
    return id == "porep-2k" ? Result<void>() : Result<void>(usage_error("no circuit " + std::string(id)));
  };
  EXPECT_THAT(read_config("[srs]\npreload = [\"porep-2k\"]", "c", {.circuit = check}).errors, IsEmpty());
  EXPECT_THAT(read_config("[srs]\npreload = [\"porep-2k\", \"x\"]", "c", {.circuit = check}).errors,
              ElementsAre("c:2:11: srs.preload: no circuit x"));
}

TEST(Config, MemoryThatTheMachineHasNotIsAWarning) {
  const auto warnings = [](const std::string& text) {
    return read_config("[memory]\n" + text, "c", {.memory = std::uint64_t{8} << 30}).warnings;
  };
  EXPECT_THAT(
      warnings("total_budget = \"9GiB\""),
      ElementsAre(
          "c:2:16: memory.total_budget: 9GiB is more than the 8GiB that this machine or its cgroup has"));
  EXPECT_THAT(
      warnings("safety_margin = \"8GiB\""),
      ElementsAre("c:2:17: memory.safety_margin: 8GiB leaves nothing of the 8GiB that this machine or its "
                  "cgroup has: half of that is used"));
  EXPECT_THAT(warnings("total_budget = \"8GiB\"\nsafety_margin = \"8GiB\""), IsEmpty());
  EXPECT_THAT(warnings("safety_margin = \"7GiB\""), IsEmpty());
  EXPECT_THAT(read("[memory]\ntotal_budget = \"9GiB\"").warnings, IsEmpty());
}

TEST(Config, TheExampleShowsTheBuiltInValues) {
  const std::string text = example();
  EXPECT_THAT(read(text).errors, IsEmpty());
  EXPECT_EQ(to_toml(read(text).config), to_toml(Config{}));

  // With every key switched on it is still valid, and what is not marked as an example is the built-in value.
  const std::string all = switched_on(text);
  EXPECT_NE(all, text);
  EXPECT_THAT(read(all).errors, IsEmpty());
  const std::string built_in =
      switched_on(text, [](const std::string& line) { return line.ends_with("# example"); });
  Config expected;
  expected.daemon.journal = "/var/lib/cuzk";
  expected.srs.param_cache = "/var/tmp/filecoin-proof-parameters";
  EXPECT_EQ(to_toml(read(built_in).config), to_toml(expected));

  // No key is missing from it.
  std::istringstream lines(to_toml(read(all).config));
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" = ") == std::string::npos) continue;
    EXPECT_THAT(text, HasSubstr("#" + line.substr(0, line.find(" = ")) + " = ")) << line;
  }
}

TEST(Config, LongOrBrokenTextNeverCrashes) {
  EXPECT_THAT(read_config(std::string((1 << 20) + 1, ' '), "c").errors,
              ElementsAre(HasSubstr("larger than 1 MiB")));
  EXPECT_FALSE(read_config(std::string(100'000, '['), "c").errors.empty());
  EXPECT_FALSE(read_config("a = " + std::string(100'000, '['), "c").errors.empty());
  std::string dotted = "a";
  for (int part = 0; part < 100'000; ++part) dotted += ".a";
  EXPECT_THAT(read_config("# deep\n" + dotted + " = 1\n", "c").errors,
              ElementsAre(HasSubstr("c:2: a line of more than 4096 bytes")));
  EXPECT_FALSE(read_config("[daemon]\njournal = \"\\u0000\"\n", "c").errors.empty());
  EXPECT_FALSE(read_config_file("/no/such/file"));
  EXPECT_FALSE(read_config_file("/"));

  // Mutations of a valid file: bytes changed, pieces removed and repeated. Whatever is accepted writes and
  // reads back.
  const std::string seed = switched_on(example());
  TestRandom random(5);
  unsigned refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string text = seed;
    for (std::uint64_t edits = 1 + random.next() % 4; edits > 0; --edits) {
      const std::size_t at = random.next() % text.size();
      const std::size_t length = random.next() % 24;
      switch (random.next() % 3) {
        case 0:
          text[at] = static_cast<char>(random.next());
          break;
        case 1:
          text.erase(at, length);
          break;
        default:
          text.insert(at, text.substr(random.next() % text.size(), length));
      }
    }
    const ConfigReading reading = read(text);
    refused += !reading.errors.empty();
    if (!reading.errors.empty()) continue;
    EXPECT_THAT(read(to_toml(reading.config)).errors, IsEmpty()) << text;
  }
  EXPECT_GT(refused, 50U);
}

}  // namespace
}  // namespace cuzk
