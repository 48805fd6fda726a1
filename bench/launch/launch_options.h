#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuzk::bench {

/// What is done with a key, in order.
struct Action {
  enum class Kind { engine, vram_limit, multiples } kind;
  std::uint64_t value;     ///< workers, bytes, or multiples
  unsigned multiples = 1;  ///< of the key of an engine run
  unsigned jobs = 0;       ///< of an engine run; 0: as --jobs says
};

/// The options that --help prints.
struct Options {
  unsigned log_size = 20;
  unsigned launches = 3;
  std::vector<Action> actions;
  unsigned jobs = 3;
  unsigned partitions = 10;
  std::string porep;
  std::vector<std::string> circuits;
  std::uint64_t memory = std::uint64_t{1} << 40;
  bool kinds = false;
  bool synthetic = true;
  bool check = false;
  unsigned threads = 0;
  bool cpu = false;
  std::string out;
};

/// Ends the program with 2 and a message where they are wrong, with 0 where help is asked for.
Options parse_options(int argc, char** argv);

}  // namespace cuzk::bench
