#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "commands.h"
#include "cuzk/base/file_sink.h"
#include "cuzk/base/input_file.h"
#include "cuzk/timeline/analysis.h"
#include "cuzk/timeline/gantt.h"
#include "cuzk/timeline/trace.h"
#include "files.h"
#include "output.h"

namespace cuzk::app {
namespace {

constexpr std::size_t kMaxInput = std::size_t{1} << 30;

Result<std::string> read_standard_input() {
  std::string text;
  char block[1 << 16];
  while (text.size() <= kMaxInput) {
    const ssize_t n = ::read(STDIN_FILENO, block, sizeof block);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error(std::string("standard input: ") + std::strerror(errno));
    if (n == 0) return text;
    text.append(block, static_cast<std::size_t>(n));
  }
  return bad_input("standard input: more than " + std::to_string(kMaxInput) + " bytes");
}

Result<timeline::Log> read_log(const std::string& path) {
  if (path == "-") {
    CUZK_TRY_ASSIGN(const std::string text, read_standard_input());
    Result<timeline::Log> log = timeline::parse_log(text);
    return log ? std::move(log) : log.error().within("standard input");
  }
  CUZK_TRY_ASSIGN(const InputFile file, InputFile::open(path, kMaxInput));
  const ByteSpan bytes = file.bytes();
  Result<timeline::Log> log =
      timeline::parse_log({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return log ? std::move(log) : log.error().within("'" + path + "'");
}

/// Outputs are opened first: a folder that is not there is known before any work.
Result<std::optional<FileSink>> open_output(const std::string& path) {
  if (path.empty()) return std::optional<FileSink>();
  CUZK_TRY_ASSIGN(FileSink sink, FileSink::create(path));
  return std::optional<FileSink>(std::move(sink));
}

Result<void> write_output(std::optional<FileSink>& sink, const std::string& text) {
  CUZK_TRY(sink->write(byte_span(text)));
  return sink->commit();
}

}  // namespace

Result<void> run_timeline(const TimelineOptions& options) {
  CUZK_TRY(refuse_to_replace("--svg", options.svg, {options.file}));
  CUZK_TRY(refuse_to_replace("--trace", options.trace, {options.file, options.svg}));
  CUZK_TRY_ASSIGN(std::optional<FileSink> svg, open_output(options.svg));
  CUZK_TRY_ASSIGN(std::optional<FileSink> trace, open_output(options.trace));
  CUZK_TRY_ASSIGN(const timeline::Log log, read_log(options.file));
  const timeline::Analysis analysis = timeline::analyse(log);
  if (svg) CUZK_TRY(write_output(svg, timeline::to_svg(log, analysis)));
  if (trace) CUZK_TRY(write_output(trace, timeline::to_trace(log)));
  say("{}", options.json ? timeline::to_json(analysis) : timeline::to_text(analysis));
  return {};
}

}  // namespace cuzk::app
