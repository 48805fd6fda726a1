// The operator's TOML: whatever it is, errors have a place; what is accepted is written so that it reads back
// the same.

#include "cuzk/base/result.h"
#include "cuzk/config/config.h"

using namespace cuzk;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ConfigReading reading = read_config({reinterpret_cast<const char*>(data), size}, "c.toml");
  for (const std::string& error : reading.errors) CUZK_CHECK(error.starts_with("c.toml"));
  for (const std::string& warning : reading.warnings) CUZK_CHECK(warning.starts_with("c.toml"));
  if (!reading.errors.empty()) return 0;
  const std::string text = to_toml(reading.config);
  const ConfigReading again = read_config(text, "again.toml");
  CUZK_CHECK(again.errors.empty());
  CUZK_CHECK(to_toml(again.config) == text);
  return 0;
}
