#include "cuzk/base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "cuzk/base/file_sink.h"

namespace cuzk {
namespace {

Error os_error(const std::string& what, const std::string& path) {
  return io_error(what + " '" + path + "': " + std::strerror(errno));
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  // Not blocking: opening a pipe would wait for a writer, only for it to be refused below.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return os_error("cannot open", path);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    const Error error = S_ISDIR(info.st_mode) ? io_error("'" + path + "' is a folder, not a file")
                                              : io_error("'" + path + "' is not a regular file");
    ::close(fd);
    return error;
  }
  MappedFile file;
  file.path_ = path;
  file.size_ = static_cast<std::size_t>(info.st_size);
  if (file.size_ > 0) {
    void* p = ::mmap(nullptr, file.size_, PROT_READ, MAP_PRIVATE, fd, 0);
    if (p == MAP_FAILED) {
      const Error error = os_error("cannot map", path);
      file.size_ = 0;
      ::close(fd);
      return error;
    }
    file.data_ = static_cast<const std::uint8_t*>(p);
  }
  ::close(fd);
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
