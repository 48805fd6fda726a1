#include "vanilla_path.h"

#include <algorithm>
#include <filesystem>

namespace cuzk::app {

Result<std::string> vanilla_path(const std::string& request, const Json& entry, const std::string& where) {
  if (!entry.is_object()) return bad_input(where + ": not an object");
  const auto member = entry.find("file");
  if (member == entry.end() || !member->is_string())
    return bad_input(where + ".file: missing or not a string");
  const auto& name = member->get_ref<const std::string&>();
  const std::filesystem::path relative(name);
  const bool leaves = std::find(relative.begin(), relative.end(), "..") != relative.end();
  if (name.empty() || relative.is_absolute() || leaves || name.find('\0') != std::string::npos)
    return bad_input(where + ".file: '" + name.substr(0, 80) +
                     "' names no file in the folder of the request");
  std::filesystem::path path = std::filesystem::path(request).parent_path() / relative;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    std::filesystem::path other = path;
    if (path.extension() == ".gz")
      other.replace_extension();
    else
      other += ".gz";
    if (std::filesystem::exists(other, ignored)) path = other;
  }
  return path.string();
}

}  // namespace cuzk::app
