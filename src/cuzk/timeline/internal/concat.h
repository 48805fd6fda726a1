#pragma once

#include <string>
#include <string_view>

namespace cuzk::timeline {

/// Texts one after the other. Not operator+: GCC 12 warns of overlapping copies that are none where a literal
/// comes before a temporary string (its bug 105651).
template <class... Parts>
void append(std::string& out, const Parts&... parts) {
  (out.append(std::string_view(parts)), ...);
}

template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  append(out, parts...);
  return out;
}

}  // namespace cuzk::timeline
