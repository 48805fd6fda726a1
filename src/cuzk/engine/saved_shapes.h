#pragma once

#include <functional>
#include <string>

#include "cuzk/base/bytes.h"
#include "cuzk/base/result.h"
#include "cuzk/cpu/thread_pool.h"
#include "cuzk/engine/circuit_source.h"
#include "cuzk/proving/circuit.h"

namespace cuzk::engine {

/// Recorded shapes kept on disk between runs, `<circuit id>.shape` each (r1cs/shape_file.h), so that a
/// restart reads what it would otherwise take some seconds to record. Immutable, thread-safe.
class SavedShapes {
 public:
  /// `folder` is made when the first shape is saved. `program` names the code that records: a file that
  /// another program wrote is recorded anew and replaced, because nothing in a file tells whether a circuit
  /// has changed since. `warn` is told, on the calling thread, when a file is damaged or cannot be written.
  SavedShapes(std::string folder, const Bytes32& program, std::function<void(const std::string&)> warn)
      : folder_(std::move(folder)), program_(program), warn_(std::move(warn)) {}

  /// The circuit's shape: read where it is saved, else recorded and saved. Disk trouble costs the recording,
  /// never the shape. kStopped within a second of a stop, when it has to be recorded.
  [[nodiscard]] Result<LoadedShape> load(ThreadPool& pool, const Circuit& circuit,
                                         const std::stop_token& stop = {}) const;

  [[nodiscard]] std::string path(const Circuit& circuit) const {
    return folder_ + "/" + circuit.id + ".shape";
  }

 private:
  std::string folder_;
  Bytes32 program_;
  std::function<void(const std::string&)> warn_;
};

/// SHA-256 of the running executable: the `program` of SavedShapes. kIo when it cannot be read.
Result<Bytes32> running_program();

}  // namespace cuzk::engine
