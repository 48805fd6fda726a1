#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cuzk/base/mapped_file.h"

namespace cuzk {

/// The content of a file that may be gzip-compressed (recognised by its first bytes, not by its name): mapped
/// as it is, or decompressed into memory. Move-only like the mapping.
class InputFile {
 public:
  /// Refuses a compressed file whose content is longer than `max_bytes`. Errors name the path.
  static Result<InputFile> open(const std::string& path, std::size_t max_bytes = std::size_t{1} << 30);

  [[nodiscard]] ByteSpan bytes() const { return mapped_ ? mapped_->bytes() : ByteSpan(inflated_); }

 private:
  std::optional<MappedFile> mapped_;
  std::vector<std::uint8_t> inflated_;
};

}  // namespace cuzk
