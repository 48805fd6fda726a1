#include "cuzk/timeline/json.h"

#include "cuzk/timeline/internal/concat.h"

namespace cuzk::timeline {
namespace {

/// The length of the well-formed UTF-8 sequence at the front of `text` (Unicode 15, table 3-7), or 0.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

void append_optional(std::string& out, const std::optional<std::uint32_t>& value) {
  out += ',';
  out += value ? std::to_string(*value) : "null";
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void append_json_string(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto c = static_cast<unsigned char>(text.front());
    if (length == 0) {
      out += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out.append("\\").push_back(static_cast<char>(c));
    } else if (c < 0x20 || c == 0x7f) {
      out.append("\\u00").push_back(kHex[c >> 4]);
      out.push_back(kHex[c & 15]);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

std::string events_json(std::string_view instance, std::int64_t now_ns, std::uint64_t since,
                        const Recorder::Tail& tail, std::uint64_t recorded) {
  std::string out = "{\"instance\":";
  append_json_string(out, instance);
  append(out, ",\"now_ms\":", format_ms(now_ns), ",\"since\":", std::to_string(since),
         ",\"next\":", std::to_string(tail.next), ",\"lost\":", std::to_string(tail.lost),
         ",\"recorded\":", std::to_string(recorded), ",\"events\":[");
  for (const Event& event : tail.events) {
    if (&event != tail.events.data()) out += ',';
    out.append("\n[")
        .append(format_ms(event.time_ns))
        .append(",\"")
        .append(name_of(event.kind))
        .append("\",");
    append_json_string(out, event.job);
    append_optional(out, event.partition);
    append_optional(out, event.device);
    append_optional(out, event.worker);
    out += ',';
    append_json_string(out, event.detail);
    out += ']';
  }
  out += "]}\n";
  return out;
}

}  // namespace cuzk::timeline
