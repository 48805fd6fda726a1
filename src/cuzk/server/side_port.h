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
  std::function<std::string()> state;
};

/// The paths of docs/http.md.
std::optional<HttpAnswer> side_port(std::string_view path, const HttpParameter& parameter,
                                    const SidePortParts& parts);

}  // namespace cuzk::server
