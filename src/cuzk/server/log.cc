#include "cuzk/server/log.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <new>
#include <thread>
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

/// What is said and not written yet.
struct Log::Lines {
  static constexpr std::size_t kMostWaiting = std::size_t{4} << 20;

  Lines(LogFormat line_format, int descriptor) : format(line_format), fd(descriptor) {}

  const LogFormat format;
  const int fd;
  std::mutex mutex;
  std::condition_variable change;
  std::string waiting;         // whole lines; guarded by mutex
  std::uint64_t left_out = 0;  // that come behind `waiting`; guarded by mutex
  bool writing = false;        // what was taken from here; guarded by mutex
  bool ends = false;           // guarded by mutex
};

namespace {

/// Whether all of it was written. Who reads a descriptor that does not block is waited for too.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {
      pollfd one{.fd = fd, .events = POLLOUT, .revents = 0};
      (void)::poll(&one, 1, -1);
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// As many whole lines as a pipe takes at a time, so that other processes' lines do not come in between; one
/// at least.
std::string_view first_lines(std::string_view text) {
  if (text.size() <= PIPE_BUF) return text;
  const std::size_t last = text.rfind('\n', PIPE_BUF - 1);
  return text.substr(0, (last != std::string_view::npos ? last : text.find('\n')) + 1);
}

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

void Log::write_lines(const std::shared_ptr<Lines>& lines) {
  std::uint64_t missing = 0;  // lines, not told of yet
  const auto tell_missing = [&] {
    if (missing == 0) return;
    try {
      const std::string line = format_log_line(
          lines->format, std::chrono::system_clock::now(), LogLevel::kWarn,
          "lines of this log are missing: it was not read, or could not be written", {{"lines", missing}});
      if (write_all(lines->fd, line + '\n')) missing = 0;
    } catch (const std::bad_alloc&) {
    }
  };
  std::unique_lock guard(lines->mutex);
  for (;;) {
    lines->change.wait(guard, [&] { return lines->ends || !lines->waiting.empty() || lines->left_out > 0; });
    if (lines->waiting.empty() && lines->left_out == 0) return;
    const std::string text = std::exchange(lines->waiting, {});
    const std::uint64_t left_out = std::exchange(lines->left_out, 0);
    lines->writing = true;
    guard.unlock();
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view some = first_lines(rest);
      rest.remove_prefix(some.size());
      tell_missing();
      if (!write_all(lines->fd, some)) missing += count_lines(some);
    }
    missing += left_out;
    tell_missing();
    guard.lock();
    lines->writing = false;
    lines->change.notify_all();
  }
}

Log::Log(LogLevel level, LogFormat format, int fd)
    : level_(level), format_(format), lines_(std::make_shared<Lines>(format, fd)) {
  std::thread([lines = lines_] { write_lines(lines); }).detach();
}

Log::~Log() {
  flush(std::chrono::seconds(2));
  const std::lock_guard guard(lines_->mutex);
  lines_->ends = true;
  lines_->change.notify_all();
}

void Log::write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) {
  if (level < level_) return;
  // The time is taken with the lock held, so that lines are in its order.
  const std::lock_guard guard(lines_->mutex);
  const std::string line = format_log_line(format_, std::chrono::system_clock::now(), level, message, fields);
  if (lines_->left_out > 0 || lines_->waiting.size() + line.size() >= Lines::kMostWaiting) {
    ++lines_->left_out;
    return;
  }
  lines_->waiting += line;
  lines_->waiting += '\n';
  lines_->change.notify_all();
}

void Log::flush(std::chrono::milliseconds patience) {
  std::unique_lock guard(lines_->mutex);
  lines_->change.wait_for(
      guard, patience, [&] { return lines_->waiting.empty() && lines_->left_out == 0 && !lines_->writing; });
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
