#include "cuzk/base/input_file.h"

#include <algorithm>

#include "cuzk/base/gzip.h"

namespace cuzk {

Result<FileBytes> FileBytes::read(const std::string& path, std::size_t max_bytes) {
  CUZK_TRY_ASSIGN(const PositionedFile file, PositionedFile::open(path));
  return read(file, max_bytes);
}

Result<FileBytes> FileBytes::read(const PositionedFile& file, std::size_t max_bytes) {
  if (file.size() > max_bytes)
    return bad_input("'" + file.path() + "' has " + std::to_string(file.size()) +
                     " bytes, more than the largest file of its kind (" + std::to_string(max_bytes) + ")");
  FileBytes out;
  out.size_ = static_cast<std::size_t>(file.size());
  // Not filled with zeros first: every byte is read.
  out.data_ = std::make_unique_for_overwrite<std::uint8_t[]>(out.size_);
  CUZK_TRY(file.read(0, {out.data_.get(), out.size_}));
  return out;
}

Result<InputFile> InputFile::open(const std::string& path, std::size_t max_bytes) {
  // Compressed content is shorter than what it stands for, but for the framing of something tiny.
  constexpr std::size_t kFraming = 4096;
  CUZK_TRY_ASSIGN(const PositionedFile opened, PositionedFile::open(path));
  std::uint8_t magic[2] = {};
  CUZK_TRY(opened.read(0, std::span(magic).first(std::min<std::uint64_t>(opened.size(), 2))));
  const bool compressed = is_gzip(magic);
  CUZK_TRY_ASSIGN(FileBytes stored, FileBytes::read(opened, compressed ? max_bytes + kFraming : max_bytes));
  InputFile file;
  if (!compressed) {
    file.plain_ = std::move(stored);
    return file;
  }
  auto inflated = gunzip(stored.bytes(), max_bytes);
  if (!inflated) return inflated.error().within("'" + path + "'");
  file.inflated_ = std::move(inflated).value();
  return file;
}

}  // namespace cuzk
