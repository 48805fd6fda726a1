#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cuzk/server/http_server.h"
#include "cuzk/server/status_json.h"
#include "cuzk/timeline/recorder.h"

namespace cuzk::server {

struct SidePortParts {
  const std::string& instance;
  const timeline::Recorder& recorder;
  std::function<std::string()> metrics;
  std::function<StatusView()> status;
  std::function<std::string()> readiness;
};

/// "ready", or why a submit is refused at this moment, whatever the request. `state` as in StatusView.
/// Thread-safe.
std::string readiness(const std::string& state, const engine::Status& status);

/// The paths of docs/http.md. Thread-safe, as long as the parts are.
std::optional<HttpAnswer> side_port(std::string_view path, const HttpParameter& parameter,
                                    const SidePortParts& parts);

}  // namespace cuzk::server
