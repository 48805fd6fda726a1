#include "cuzk/base/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cuzk/base/file_sink.h"
#include "cuzk/base/positioned_file.h"

namespace cuzk {
Result<MappedFile> MappedFile::open(const std::string& path) {
  CUZK_TRY_ASSIGN(const PositionedFile opened, PositionedFile::open(path));
  MappedFile file;
  file.path_ = path;
  if (opened.size() == 0) return file;
  void* const data = ::mmap(nullptr, opened.size(), PROT_READ, MAP_PRIVATE, opened.fd_, 0);
  if (data == MAP_FAILED) return io_error("cannot map '" + path + "': " + std::strerror(errno));
  file.size_ = opened.size();
  file.data_ = static_cast<const std::uint8_t*>(data);
  return file;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::uint8_t*>(data_), size_);
}

Result<void> write_file_atomically(const std::string& path, ByteSpan bytes) {
  CUZK_TRY_ASSIGN(FileSink sink, FileSink::create(path));
  CUZK_TRY(sink.write(bytes));
  return sink.commit();
}

}  // namespace cuzk
