#include "cuzk/timeline/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "cuzk/base/positioned_file.h"
#include "cuzk/timeline/text.h"

namespace cuzk::timeline {
namespace {

/// Takes away a last line without its end, as what is appended would become part of it: a process that was
/// ended while it wrote has left it. Whether there was one.
bool cut_unfinished_line(int fd, const std::string& path) {
  struct stat status {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return false;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::vector<std::uint8_t> end(std::min<std::uint64_t>(size, 64 * 1024));
  const Result<PositionedFile> file = PositionedFile::open(path);
  if (!file || !file->read(size - end.size(), end) || end.back() == '\n') return false;
  const auto line = std::find(end.rbegin(), end.rend(), std::uint8_t{'\n'});
  const auto length = static_cast<std::uint64_t>(line - end.rbegin());
  // Somebody else's text stays as it is.
  if (!is_begun_line(std::string(line.base(), end.end()))) return false;
  return ::ftruncate(fd, static_cast<off_t>(size - length)) == 0;
}

}  // namespace

struct LineFile::State {
  static constexpr std::size_t kBatch = 1024;

  State(const Recorder& source, std::string file, int descriptor)
      : recorder(source), path(std::move(file)), fd(descriptor) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::close(fd); }

  void follow(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (recorder.wait(cursor, std::chrono::seconds(1), stop)) write_some();
    }
  }

  /// One batch of lines; whole lines or nothing.
  void write_some() {
    const Recorder::Tail tail = recorder.since(cursor, kBatch);
    cursor = tail.next;
    unwritten += tail.lost;
    std::string text;
    if (unwritten != 0) text = format_lost(unwritten) + "\n";
    for (const Event& event : tail.events) text += format_line(event) + "\n";
    if (write_all(text)) {
      missing += unwritten;
      unwritten = 0;
    } else {
      unwritten += tail.events.size();
    }
  }

  bool write_all(std::string_view text) {
    struct stat before {};
    const bool regular = ::fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
    while (!text.empty()) {
      const ssize_t n = ::write(fd, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        if (failure.empty()) failure = std::strerror(n < 0 ? errno : ENOSPC);
        // Half a line would make the file unreadable: take back what the disk had taken of this batch.
        if (regular && ::ftruncate(fd, before.st_size) != 0) failure += "; half a line may be left";
        return false;
      }
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  const Recorder& recorder;
  const std::string path;
  const int fd;
  std::uint64_t cursor = 0;
  std::uint64_t unwritten = 0;  // lost since the last line that says so
  std::uint64_t missing = 0;    // lost, and said so in the file
  std::string failure;          // of the first write that failed
  std::jthread thread;          // the only user of the above until it is joined
};

LineFile::LineFile(std::unique_ptr<State> state) : state_(std::move(state)) {}

LineFile::~LineFile() {
  (void)close();
}

Result<std::unique_ptr<LineFile>> LineFile::open(const Recorder& recorder, const std::string& path) {
  // Neither opening nor writing waits for a reader: of a pipe there may be none, or one that has stopped.
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
  struct stat status {};
  const bool pipe = fd >= 0 ? ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode) : errno == ENXIO;
  if (pipe) {
    if (fd >= 0) ::close(fd);
    return io_error("'" + path + "' is a pipe or a socket; events are written to a file");
  }
  if (fd < 0) return io_error("'" + path + "': " + std::strerror(errno));
  auto state = std::make_unique<State>(recorder, path, fd);
  state->cursor = recorder.dropped();
  if (cut_unfinished_line(fd, path)) state->unwritten = 1;
  state->thread = std::jthread([s = state.get()](const std::stop_token& stop) { s->follow(stop); });
  return std::unique_ptr<LineFile>(new LineFile(std::move(state)));
}

Result<void> LineFile::close() {
  if (!state_) return {};
  const std::unique_ptr<State> s = std::move(state_);
  s->thread.request_stop();
  s->thread.join();
  for (const std::uint64_t end = s->recorder.recorded(); s->cursor < end;) s->write_some();
  if (s->unwritten != 0) s->write_some();
  const std::uint64_t missing = s->missing + s->unwritten;
  if (missing == 0) return {};
  return io_error("'" + s->path + "': " + std::to_string(missing) + " events are missing" +
                  (s->failure.empty() ? "" : ": " + s->failure));
}

}  // namespace cuzk::timeline
