#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cuzk/server/http_server.h"
#include "cuzk/server/status_json.h"
#include "cuzk/timeline/recorder.h"

namespace cuzk::server {

/// How many of something there may be at a time. Thread-safe; places may outlive it.
class Places {
 public:
  explicit Places(int count) : free_(std::make_shared<std::atomic<int>>(count)) {}
  /// A place, free again when the last copy goes; null when all are taken.
  [[nodiscard]] std::shared_ptr<void> take() const;

 private:
  std::shared_ptr<std::atomic<int>> free_;
};

struct SidePortParts {
  const std::string& instance;
  const timeline::Recorder& recorder;
  std::function<std::string()> metrics;
  std::function<StatusView()> status;
  std::function<std::string()> readiness;
  const Places& large_answers;  ///< /timeline and /trace, which are all of the recorder in one piece each
};

/// "ready", or why a submit is refused at this moment, whatever the request. `state` as in StatusView.
/// Thread-safe.
std::string readiness(const std::string& state, const engine::Status& status);

/// The paths of docs/http.md. Thread-safe, as long as the parts are.
std::optional<HttpAnswer> side_port(std::string_view path, const HttpParameter& parameter,
                                    const SidePortParts& parts);

}  // namespace cuzk::server
