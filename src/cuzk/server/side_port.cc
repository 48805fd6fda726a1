#include "cuzk/server/side_port.h"

#include <algorithm>
#include <charconv>

#include "cuzk/cpu/clock.h"
#include "cuzk/server/dashboard/files.h"
#include "cuzk/timeline/json.h"
#include "cuzk/timeline/text.h"
#include "cuzk/timeline/trace.h"

namespace cuzk::server {
namespace {

constexpr std::uint64_t kMostEvents = 10'000;
constexpr const char* kJson = "application/json";

/// A decimal query parameter, `otherwise` when it is absent; nothing when it is no number.
std::optional<std::uint64_t> number(const HttpParameter& parameter, const char* name,
                                    std::uint64_t otherwise) {
  const std::optional<std::string> text = parameter(name);
  if (!text) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return value;
}

HttpAnswer events(const HttpParameter& parameter, const SidePortParts& parts) {
  const std::optional<std::uint64_t> since = number(parameter, "since", 0);
  const std::optional<std::uint64_t> limit = number(parameter, "limit", kMostEvents);
  if (!since || !limit)
    return {.status = 400, .body = std::string(since ? "limit" : "since") + " is not a decimal number\n"};
  const timeline::Recorder::Tail tail = parts.recorder.since(*since, std::min(*limit, kMostEvents));
  return {.content_type = kJson,
          .body = timeline::events_json(parts.instance, real_clock().now().time_since_epoch().count(), *since,
                                        tail, parts.recorder.recorded())};
}

HttpAnswer timeline_lines(const SidePortParts& parts) {
  const timeline::Recorder::View view = parts.recorder.view(0);
  std::string body;
  if (view.lost > 0) body += timeline::format_lost(view.lost) + "\n";
  view.for_each([&](const timeline::Event& event) { body += timeline::format_line(event) + "\n"; });
  return {.body = std::move(body)};
}

HttpAnswer trace(const SidePortParts& parts) {
  timeline::Recorder::Tail tail = parts.recorder.since(0);
  return {.content_type = kJson,
          .body = timeline::to_trace({.events = std::move(tail.events), .lost = tail.lost})};
}

}  // namespace

std::shared_ptr<void> Places::take() const {
  for (int free = *free_; free > 0;) {
    if (free_->compare_exchange_weak(free, free - 1))
      return {static_cast<void*>(free_.get()), [count = free_](void*) { ++*count; }};
  }
  return nullptr;
}

std::string readiness(const std::string& state, const engine::Status& status) {
  if (state != "ready") return state;
  if (std::all_of(status.devices.begin(), status.devices.end(),
                  [](const engine::DeviceStatus& device) { return device.quarantined; }))
    return "every device is in quarantine";
  if (status.journal_failing) return "the journal cannot store results";
  if (!status.journal_refusal.empty()) return "the journal cannot store requests: " + status.journal_refusal;
  return "ready";
}

std::optional<HttpAnswer> side_port(std::string_view path, const HttpParameter& parameter,
                                    const SidePortParts& parts) {
  if (path == "/metrics")
    return HttpAnswer{.content_type = "text/plain; version=0.0.4", .body = parts.metrics()};
  if (path == "/healthz") return HttpAnswer{.body = "ok\n"};
  if (path == "/readyz") {
    const std::string readiness = parts.readiness();
    return HttpAnswer{.status = readiness == "ready" ? 200 : 503, .body = readiness + "\n"};
  }
  if (path == "/status") return HttpAnswer{.content_type = kJson, .body = status_json(parts.status())};
  if (path == "/events") return events(parameter, parts);
  if (path == "/timeline" || path == "/trace") {
    std::shared_ptr<void> place = parts.large_answers.take();
    if (place == nullptr) return HttpAnswer{.status = 503, .body = "others are reading this; try again\n"};
    HttpAnswer answer = path == "/trace" ? trace(parts) : timeline_lines(parts);
    answer.held = std::move(place);
    return answer;
  }
  if (const DashboardFile* file = find_dashboard_file(path); file != nullptr)
    return HttpAnswer{.content_type = std::string(file->content_type), .body = std::string(file->content)};
  return std::nullopt;
}

}  // namespace cuzk::server
