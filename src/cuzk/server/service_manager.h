#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace cuzk::server {

/// What systemd is told (sd_notify). Without systemd nothing happens. Thread-safe.
void notify_ready();
void notify_stopping();
void notify_status(const std::string& text);
void notify_alive();
/// How often systemd wants to hear notify_alive, halved; nothing when it does not.
std::optional<std::chrono::microseconds> watchdog_interval();

}  // namespace cuzk::server
