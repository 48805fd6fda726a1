#include "cuzk/timeline/text.h"

#include <charconv>

namespace cuzk::timeline {
namespace {

constexpr std::string_view kPrefix = "TIMELINE";
constexpr std::string_view kLost = "# lost ";

/// Takes the text up to the next comma, and the comma, from `rest`; false when there was no comma.
bool take_field(std::string_view& rest, std::string_view& field) {
  const std::size_t comma = rest.find(',');
  field = rest.substr(0, comma);
  rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
  return comma != std::string_view::npos;
}

template <class T>
bool parse_decimal(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool all_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// For messages: what was there, shortened, without bytes that disturb a terminal.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, 40)) out += (c >= 0x20 && c < 0x7f) ? c : '?';
  return out + (text.size() > 40 ? "...'" : "'");
}

/// Exact: the decimals are read as digits, not through a floating-point number. Those past the sixth are cut.
Result<std::int64_t> parse_time(std::string_view text) {
  const std::string shown = quoted(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string fraction(point == std::string_view::npos ? std::string_view() : text.substr(point + 1));
  if (whole.empty() || !all_digits(whole) || !all_digits(fraction) ||
      (point != std::string_view::npos && fraction.empty()))
    return bad_input("time: " + shown + " is no decimal number of milliseconds");
  fraction.resize(6, '0');
  std::int64_t ms = 0;
  std::int64_t ns = 0;
  if (!parse_decimal(whole, ms) || ms >= kMaxTimeNs / 1'000'000)
    return bad_input("time: " + shown + " is out of range");
  (void)parse_decimal(fraction, ns);
  const std::int64_t value = ms * 1'000'000 + ns;
  return negative ? -value : value;
}

Result<void> parse_detail(std::string_view detail, Event& event) {
  while (!detail.empty()) {
    std::string_view pair;
    const bool more = take_field(detail, pair);
    const std::size_t equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos)
      return bad_input("detail: " + quoted(pair) + " is not key=value");
    if (more && detail.empty()) return bad_input("detail: ends with a comma");
    const std::string_view key = pair.substr(0, equals);
    std::optional<std::uint32_t>* field = key == "partition" ? &event.partition
                                          : key == "worker"  ? &event.worker
                                          : key == "device"  ? &event.device
                                                             : nullptr;
    if (field == nullptr) {
      if (!event.detail.empty()) event.detail += ',';
      event.detail += pair;
      continue;
    }
    if (*field) return bad_input("detail: " + quoted(key) + " comes twice");
    std::uint32_t value = 0;
    if (!parse_decimal(pair.substr(equals + 1), value))
      return bad_input("detail: " + quoted(pair) + " is no number of 32 bits");
    *field = value;
  }
  return {};
}

/// What would end a field or a line becomes '_'.
void append_clean(std::string& out, std::string_view text, bool keep_commas) {
  for (const char c : text) {
    const bool ends = static_cast<unsigned char>(c) < 0x20 || c == 0x7f || (c == ',' && !keep_commas);
    out.push_back(ends ? '_' : c);
  }
}

void append_pair(std::string& out, std::string_view key, const std::optional<std::uint32_t>& value) {
  if (!value) return;
  out += ',';
  out.append(key).append("=").append(std::to_string(*value));
}

}  // namespace

std::string format_line(const Event& event) {
  std::string out(kPrefix);
  out.append(",").append(format_ms(event.time_ns)).append(",").append(name_of(event.kind)).append(",");
  if (event.job.empty()) out += '-';
  append_clean(out, event.job, false);
  const std::size_t before = out.size();
  append_pair(out, "partition", event.partition);
  append_pair(out, "worker", event.worker);
  append_pair(out, "device", event.device);
  if (!event.detail.empty()) {
    out += ',';
    append_clean(out, event.detail, true);
  }
  if (out.size() == before) out += ',';
  return out;
}

std::string format_lost(std::uint64_t count) {
  return std::string(kLost) + std::to_string(count);
}

Result<Event> parse_line(std::string_view line) {
  std::string_view prefix, time, name, job;
  if (!take_field(line, prefix) || prefix != kPrefix)
    return bad_input("does not begin with 'TIMELINE,': " + quoted(prefix));
  if (!take_field(line, time) || !take_field(line, name))
    return bad_input("has fewer fields than TIMELINE,<ms>,<EVENT>,<job>,<detail>");
  take_field(line, job);
  Event event;
  CUZK_TRY_ASSIGN(event.time_ns, parse_time(time));
  const std::optional<EventKind> kind = kind_named(name);
  if (!kind) return bad_input("event: no event is called " + quoted(name));
  event.kind = *kind;
  if (job.empty()) return bad_input("job: is empty");
  event.job = job;
  CUZK_TRY(parse_detail(line, event));
  return event;
}

bool is_begun_line(std::string_view line) {
  return (std::string(kPrefix) + ",").starts_with(line.substr(0, kPrefix.size() + 1));
}

Result<Log> parse_log(std::string_view text) {
  Log log;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (end == std::string_view::npos && is_begun_line(line)) {
      // What was cut may be a number or a name, so that what is left reads as another one.
      log.lost += log.lost < UINT64_MAX ? 1 : 0;
      break;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.front() == '#') {
      std::uint64_t lost = 0;
      if (line.substr(0, kLost.size()) == kLost && parse_decimal(line.substr(kLost.size()), lost) &&
          __builtin_add_overflow(log.lost, lost, &log.lost))
        log.lost = UINT64_MAX;
      continue;
    }
    const std::string place = "line " + std::to_string(number);
    if (log.events.size() == kMaxEvents)
      return bad_input(place + ": more than " + std::to_string(kMaxEvents) + " events");
    Result<Event> event = parse_line(line);
    if (!event) return event.error().within(place);
    log.events.push_back(std::move(event).value());
  }
  return log;
}

}  // namespace cuzk::timeline
