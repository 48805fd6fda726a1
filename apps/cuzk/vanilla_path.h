#pragma once

#include <string>

#include "json_file.h"

namespace cuzk::app {

/// The file that an entry {file} of a request's list of vanilla proofs names: in the folder of `request`, the
/// path of the JSON file, or below it. A name with or without ".gz" finds the other form as well. kBadInput
/// naming `where`, the entry's JSON path, when the name is none or leads out of the folder; whether the file
/// is there is not asked.
Result<std::string> vanilla_path(const std::string& request, const Json& entry, const std::string& where);

}  // namespace cuzk::app
