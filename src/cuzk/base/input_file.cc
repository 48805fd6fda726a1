#include "cuzk/base/input_file.h"

#include "cuzk/base/gzip.h"

namespace cuzk {

Result<InputFile> InputFile::open(const std::string& path, std::size_t max_bytes) {
  CUZK_TRY_ASSIGN(MappedFile mapped, MappedFile::open(path));
  InputFile file;
  if (!is_gzip(mapped.bytes())) {
    file.mapped_ = std::move(mapped);
    return file;
  }
  auto inflated = gunzip(mapped.bytes(), max_bytes);
  if (!inflated) return inflated.error().within("'" + path + "'");
  file.inflated_ = std::move(inflated).value();
  return file;
}

}  // namespace cuzk
