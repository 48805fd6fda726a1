#include "cuzk/config/units.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace cuzk {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

// Largest first within each family, for the writers below.
constexpr std::array<Unit, 9> kSizeUnits{{{"TiB", std::uint64_t{1} << 40},
                                          {"GiB", std::uint64_t{1} << 30},
                                          {"MiB", std::uint64_t{1} << 20},
                                          {"KiB", std::uint64_t{1} << 10},
                                          {"B", 1},
                                          {"TB", 1'000'000'000'000},
                                          {"GB", 1'000'000'000},
                                          {"MB", 1'000'000},
                                          {"KB", 1'000}}};
constexpr std::array<Unit, 4> kDurationUnits{{{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};

constexpr std::uint64_t kMaxDurationMs = std::uint64_t{10} * 365 * 24 * 3'600'000;

/// Splits "12 GiB" into number and unit; nothing when it does not start with a digit or the number does not
/// fit.
std::optional<std::pair<std::uint64_t, std::string_view>> split(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.size() > 1 && text.front() == ' ') text.remove_prefix(1);
  return std::pair{number, text};
}

template <std::size_t N>
std::optional<std::uint64_t> scaled(std::uint64_t number, std::string_view name,
                                    const std::array<Unit, N>& units) {
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    std::uint64_t value = 0;
    if (__builtin_mul_overflow(number, unit.factor, &value)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "'";
  out += text.substr(0, 100);
  out += "'";
  return out;
}

Result<std::uint64_t> parse_size(std::string_view text) {
  if (const auto parts = split(text)) {
    const std::string_view unit = parts->second.empty() ? std::string_view("B") : parts->second;
    if (const auto value = scaled(parts->first, unit, kSizeUnits)) return *value;
  }
  return usage_error(quoted(text) +
                     " is not a size: a whole number with B, KiB, MiB, GiB, TiB, KB, MB, GB or TB");
}

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (const auto parts = split(text)) {
    const auto value = scaled(parts->first, parts->second, kDurationUnits);
    if (value && *value <= kMaxDurationMs) return std::chrono::milliseconds(*value);
  }
  return usage_error(quoted(text) +
                     " is not a duration: a whole number with ms, s, m or h, ten years at most");
}

std::string format_size(std::uint64_t bytes) {
  for (const Unit& unit : kSizeUnits) {
    if (unit.factor == 1 || (bytes != 0 && bytes % unit.factor == 0))
      return std::to_string(bytes / unit.factor) + std::string(unit.name);
  }
  return std::to_string(bytes) + "B";
}

std::string format_duration(std::chrono::milliseconds duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  for (const Unit& unit : kDurationUnits) {
    if (unit.factor == 1 || (count != 0 && count % unit.factor == 0))
      return std::to_string(count / unit.factor) + std::string(unit.name);
  }
  return std::to_string(count) + "ms";
}

}  // namespace cuzk
