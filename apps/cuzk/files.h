#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuzk/groth16/setup.h"
#include "cuzk/proving/circuit.h"
#include "cuzk/proving/prove.h"
#include "progress.h"

namespace cuzk::app {

/// The `toxic` object of a JSON file: alpha, beta, gamma, delta, tau as 64 hex digits, little-endian.
Result<groth16::ToxicWaste> read_toxic(const std::string& path);

/// `partitions`: a list of {r, s}, each 64 hex digits, little-endian; exactly `partitions` of them.
Result<std::vector<Blinding>> read_fixed_rs(const std::string& path, std::size_t partitions);

/// No file of proofs is larger: 87,381 partitions.
inline constexpr std::size_t kMaxProofFileBytes = std::size_t{16} << 20;

/// DIR/STEM.EXTENSION; kIo, naming the file and how to get it, when it does not exist.
Result<std::string> params_path(const std::string& folder, const Circuit& circuit, const char* extension);

/// The .params and .vk files of a folder, whatever their circuits; none when it cannot be read.
std::vector<std::string> parameter_files(const std::string& folder);

/// kUsage, naming `flag`, when `output` is one of the files that are read, whatever it is called there: what
/// is written would take its place. Empty names are none; "-" is standard input.
Result<void> refuse_to_replace(std::string_view flag, const std::string& output,
                               const std::vector<std::string>& read);

std::string describe_bytes(std::uint64_t bytes);
/// "1,234,567"
std::string grouped(std::uint64_t n);

/// The stages of a command and their times as lines, and the total.
void print_stages(const Progress& progress);

}  // namespace cuzk::app
