#include "cuzk/timeline/event.h"

#include <algorithm>

namespace cuzk::timeline {
namespace {

constexpr std::array<std::string_view, kEventKinds> kNames = {
    "SYNTH_START", "SYNTH_END",     "GPU_QUEUE",     "GPU_PICKUP",   "GPU_START",  "GPU_END",
    "LOCK_WAIT",   "LOCK_ACQUIRED", "LOCK_RELEASED", "KERNEL_START", "KERNEL_END", "EPILOGUE_END",
    "VERIFY_END",  "JOB_DONE",      "KEY_START",     "KEY_END"};

}  // namespace

std::string_view name_of(EventKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<EventKind> kind_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<EventKind>(found - kNames.begin());
}

void add_detail(Event& event, std::string_view key, std::string_view value) {
  if (!event.detail.empty()) event.detail += ',';
  event.detail.append(key).push_back('=');
  for (const char c : value) {
    const bool ends = c == ',' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    event.detail.push_back(ends ? '_' : c);
  }
}

void add_detail(Event& event, std::string_view key, std::uint64_t value) {
  add_detail(event, key, std::to_string(value));
}

void add_detail_ms(Event& event, std::string_view key, std::int64_t nanoseconds) {
  add_detail(event, key, format_ms(nanoseconds));
}

std::optional<std::string_view> detail_of(const Event& event, std::string_view key) {
  std::string_view rest = event.detail;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find(','));
    if (pair.size() > key.size() && pair[key.size()] == '=' && pair.substr(0, key.size()) == key)
      return pair.substr(key.size() + 1);
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  }
  return std::nullopt;
}

std::string format_ms(std::int64_t nanoseconds) {
  // Unsigned arithmetic: the negative of the smallest value does not fit the type.
  const bool negative = nanoseconds < 0;
  const auto bits = static_cast<std::uint64_t>(nanoseconds);
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  std::string out = negative ? "-" : "";
  out += std::to_string(magnitude / 1'000'000);
  if (const std::uint64_t fraction = magnitude % 1'000'000; fraction != 0) {
    const std::string digits = std::to_string(fraction);
    out += '.';
    out.append(6 - digits.size(), '0').append(digits);
    out.erase(out.find_last_not_of('0') + 1);
  }
  return out;
}

}  // namespace cuzk::timeline
