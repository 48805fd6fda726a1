#pragma once

#include <memory>
#include <string>

#include "cuzk/base/result.h"
#include "cuzk/timeline/recorder.h"

namespace cuzk::timeline {

/// Writes the events of a recorder to a file as they come, as lines (text.h), from a thread of its own: who
/// records never waits for the disk. What the recorder overwrote before it was written, and what the disk
/// refused, stands in the file as `# lost N`. Not thread-safe: one thread opens and closes it.
class LineFile {
 public:
  /// Appends to `path`, made if it is not there; a last line that another process did not end is taken away
  /// and counted as lost. Begins with the oldest event that the recorder has. kIo, naming the path, for a
  /// pipe too. The recorder must outlive the object.
  static Result<std::unique_ptr<LineFile>> open(const Recorder& recorder, const std::string& path);

  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;
  /// As close(), without its answer.
  ~LineFile();

  /// Writes every event recorded before the call, and ends. kIo, naming the path and how many events are
  /// missing, when any are. Later calls do nothing.
  Result<void> close();

 private:
  struct State;
  explicit LineFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cuzk::timeline
