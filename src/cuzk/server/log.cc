#include "cuzk/server/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <utility>

#include "cuzk/timeline/json.h"

namespace cuzk::server {
namespace {

constexpr std::array<std::string_view, 5> kTextNames{"TRACE", "DEBUG", "INFO", "WARN", "ERROR"};
constexpr std::array<std::string_view, 5> kJsonNames{"trace", "debug", "info", "warn", "error"};

/// RFC 3339, UTC, microseconds.
std::string timestamp(std::chrono::system_clock::time_point time) {
  const auto since_epoch = std::chrono::floor<std::chrono::microseconds>(time.time_since_epoch());
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_epoch);
  const std::time_t whole = seconds.count();
  std::tm utc{};
  ::gmtime_r(&whole, &utc);
  std::array<char, 64> out{};
  std::snprintf(out.data(), out.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", utc.tm_year + 1900,
                utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                static_cast<int>((since_epoch - seconds).count()));
  return out.data();
}

bool plain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 0x7f || c == '"' || c == '\\' || c == '=') return false;
  }
  return true;
}

}  // namespace

bool LineLimit::take(Time now) {
  const std::lock_guard guard(mutex_);
  if (now - second_ >= std::chrono::seconds(1)) {
    second_ = now;
    taken_ = 0;
  }
  if (taken_ < most_) {
    ++taken_;
    return true;
  }
  ++left_out_;
  return false;
}

std::uint64_t LineLimit::left_out(Time now) {
  const std::lock_guard guard(mutex_);
  return now - second_ >= std::chrono::seconds(1) ? std::exchange(left_out_, 0) : 0;
}

std::string format_log_line(LogFormat format, std::chrono::system_clock::time_point time, LogLevel level,
                            std::string_view message, std::initializer_list<LogField> fields) {
  const auto index = static_cast<std::size_t>(level);
  std::string out;
  if (format == LogFormat::kJson) {
    out += "{\"ts\":\"" + timestamp(time) + "\",\"level\":\"";
    out += kJsonNames[index];
    out += "\",\"msg\":";
    timeline::append_json_string(out, message);
    for (const LogField& field : fields) {
      out += ',';
      timeline::append_json_string(out, field.key);
      out += ':';
      if (field.is_text)
        timeline::append_json_string(out, field.value);
      else
        out += field.value;
    }
    out += '}';
    return out;
  }
  out += timestamp(time);
  out += ' ';
  out += kTextNames[index];
  out += ' ';
  // A message is ours, but may hold a file's name or another program's words.
  for (const char c : message) out += static_cast<unsigned char>(c) < ' ' || c == 0x7f ? ' ' : c;
  for (const LogField& field : fields) {
    out += ' ';
    out += field.key;
    out += '=';
    if (!field.is_text || plain(field.value))
      out += field.value;
    else
      timeline::append_json_string(out, field.value);
  }
  return out;
}

Log::Log(LogLevel level, LogFormat format)
    : level_(level),
      format_(format),
      logger_(std::make_shared<spdlog::logger>("cuzk", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_level(spdlog::level::trace);
  logger_->set_pattern("%v");
  logger_->set_error_handler([](const std::string&) {});
}

Log::~Log() = default;

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < level_) return;
  logger_->log(spdlog::level::info, spdlog::string_view_t(format_log_line(
                                        format_, std::chrono::system_clock::now(), level, message, fields)));
}

void Log::warn_of_peer(PeerLines sort, std::string_view message, std::initializer_list<LogField> fields) {
  if (LogLevel::kWarn < level_) return;
  LineLimit& limit = sort == PeerLines::kLibrary ? library_ : refused_;
  if (limit.take(std::chrono::steady_clock::now())) write(LogLevel::kWarn, message, fields);
}

void Log::tell_left_out() {
  const auto now = std::chrono::steady_clock::now();
  if (const std::uint64_t lines = library_.left_out(now); lines > 0)
    warn("more of what gRPC and protobuf say of peers was left out", {{"lines", lines}});
  if (const std::uint64_t lines = refused_.left_out(now); lines > 0)
    warn("more requests were refused, without a line each", {{"lines", lines}});
}

}  // namespace cuzk::server
