#pragma once

// Comparison with the reference's checkpoint files. Test support.

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "cuzk/base/hex.h"
#include "cuzk/base/input_file.h"
#include "cuzk/r1cs/digest.h"

namespace cuzk {

/// Compares line by line with tests/data/NAME.checkpoints.tsv.gz; stops at the first divergence, which
/// names the gadget.
inline void expect_checkpoints(const std::vector<Checkpoint>& have, const std::string& name) {
  const auto file = InputFile::open(CUZK_TEST_DATA "/" + name + ".checkpoints.tsv.gz");
  ASSERT_TRUE(file);
  std::istringstream in(std::string(file->bytes().begin(), file->bytes().end()));
  std::size_t next = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    ASSERT_LT(next, have.size());
    const Checkpoint& c = have[next++];
    std::ostringstream text;
    text << c.path << '\t' << c.counts.constraints << '\t' << c.counts.inputs << '\t' << c.counts.aux << '\t'
         << to_hex(c.rows) << '\t' << to_hex(c.aux_values);
    ASSERT_EQ(text.str(), line) << "the first divergence";
  }
  EXPECT_EQ(next, have.size());
}

inline std::vector<std::string> hex_of(std::span<const Fr> values) {
  std::vector<std::string> out;
  for (const Fr& x : values) out.push_back(to_hex(x.to_bytes_le()));
  return out;
}

}  // namespace cuzk
