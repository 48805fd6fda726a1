#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "commands.h"
#include "cuzk/base/bytes.h"

// The parts of `cuzk inspect`, by what the file is. Each prints what it found; an Error says what is bad.

namespace cuzk::app {

using OrderedJson = nlohmann::ordered_json;

/// As JSON, or as lines of name and value.
void print_inspection(const InspectOptions& options, const OrderedJson& json);

Result<void> inspect_c1(const InspectOptions& options, const std::string& path);
Result<void> inspect_request(const InspectOptions& options, const std::string& path);
Result<void> inspect_proof(const InspectOptions& options, const std::string& path, ByteSpan bytes);
Result<void> inspect_vk(const InspectOptions& options, const std::string& path);
Result<void> inspect_params(const InspectOptions& options, const std::string& path);

}  // namespace cuzk::app
