#pragma once

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace cuzk::server {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError };
enum class LogFormat { kText, kJson };

/// One named value of a log line. Texts may be anything; they are escaped when the line is made.
struct LogField {
  LogField(std::string_view name, std::string_view text) : key(name), value(text), is_text(true) {}
  LogField(std::string_view name, const char* text) : LogField(name, std::string_view(text)) {}
  LogField(std::string_view name, const std::string& text) : LogField(name, std::string_view(text)) {}
  LogField(std::string_view name, bool flag) : key(name), value(flag ? "true" : "false") {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) LogField(std::string_view name, T number)
      : key(name), value(std::to_string(number)) {}

  std::string_view key;  ///< a literal of the caller
  std::string value;
  bool is_text = false;
};

/// One line without its end. Text: `2026-11-29T18:03:46.123456Z INFO message key=value`, values in quotes
/// where they need it. JSON: an object with ts, level, msg and the fields. Control characters never reach the
/// output as they are, so that a request id cannot forge a line. Thread-safe.
std::string format_log_line(LogFormat format, std::chrono::system_clock::time_point time, LogLevel level,
                            std::string_view message, std::initializer_list<LogField> fields);

/// How many lines of one sort are written: so many in a second, as their causes may come at any rate.
/// Thread-safe.
class LineLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  explicit LineLimit(unsigned in_a_second) : most_(in_a_second) {}

  /// Whether one more line may be written.
  bool take(Time now);
  /// How many might not, since this last said so; 0 before the second of the first of them is over.
  std::uint64_t left_out(Time now);

 private:
  const unsigned most_;
  std::mutex mutex_;
  Time second_{};               // when it began; guarded by mutex_
  unsigned taken_ = 0;          // in it; guarded by mutex_
  std::uint64_t left_out_ = 0;  // guarded by mutex_
};

/// What peers can cause lines of.
enum class PeerLines {
  kLibrary,  ///< what the RPC library says of them
  kRefused,  ///< requests that are refused
};

/// The daemon's log, on stderr. Thread-safe. Lines are written in order by a thread of the log, so that
/// nobody waits for who reads them: 4 MiB of them may wait, further ones are left out. What was left out, or
/// could not be written, is told by the next line that can be; nothing else happens. Payload bytes, witness
/// values and blinding scalars are never given to it.
class Log {
 public:
  /// `fd` stays open as long as the process lives.
  Log(LogLevel level, LogFormat format, int fd = 2);
  /// flush, for so long that only a reader who has stopped misses lines.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  void set_level(LogLevel level) { level_ = level; }
  void write(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {});
  void debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kDebug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kInfo, message, fields);
  }
  void warn(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kWarn, message, fields);
  }
  void error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    write(LogLevel::kError, message, fields);
  }

  /// A warning of which a peer can cause any number: so many a second are written, and then how many were
  /// not.
  void warn_of_peer(PeerLines sort, std::string_view message, std::initializer_list<LogField> fields = {});
  /// To be called about once a second: writes how many warnings were left out, where some were.
  void tell_left_out();

  /// Waits until all that was said is written, or `patience` is over.
  void flush(std::chrono::milliseconds patience);

 private:
  struct Lines;
  static void write_lines(const std::shared_ptr<Lines>& lines);

  std::atomic<LogLevel> level_;
  LogFormat format_;
  std::shared_ptr<Lines> lines_;  // the thread's too: it may hang in a write for ever
  LineLimit library_{5};
  LineLimit refused_{20};
};

}  // namespace cuzk::server
