#pragma once

#include <memory>
#include <string>
#include <vector>

#include "commands.h"
#include "cuzk/proving/statement.h"

namespace cuzk::app {

/// What is to be proved, as the command line names it.
struct Source {
  std::string file;                ///< where it was read from, for messages
  std::vector<std::string> files;  ///< all that were read
  std::shared_ptr<const Statement> statement;
};

/// Reads --c1 FILE, or --kind KIND --request FILE. A C1 output's replica_id is recomputed and compared when a
/// miner and a sector number are given. The vanilla proof is not verified. kUsage for options that do not go
/// together.
Result<Source> read_source(const SourceOptions& options);

/// Statement::verify_vanilla; errors name the file.
Result<void> verify_vanilla(ThreadPool& pool, const Source& source);

}  // namespace cuzk::app
