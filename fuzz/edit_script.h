#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "cuzk/base/bytes.h"

namespace cuzk::fuzz {

/// Applies a fuzz input as a list of edits to a valid text: so a few bytes of input reach deep into a message
/// of a hundred kilobytes. Each edit: position (u32 little-endian, modulo the length), bytes to delete (u8),
/// bytes to insert (u8, at most 15 are taken), those bytes.
inline void apply_edits(std::string& text, ByteSpan script) {
  while (script.size() >= 6) {
    const std::size_t position = load_le<std::uint32_t>(script.data()) % (text.size() + 1);
    const std::size_t removed = script[4];
    const std::size_t inserted = script[5] & 15U;
    script = script.subspan(6);
    const std::size_t available = inserted < script.size() ? inserted : script.size();
    text.replace(position, removed, reinterpret_cast<const char*>(script.data()), available);
    script = script.subspan(available);
  }
}

}  // namespace cuzk::fuzz
