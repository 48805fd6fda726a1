#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <grpcpp/security/server_credentials.h>

#include "cuzk/base/result.h"

namespace cuzk::server {

struct TlsFiles {
  std::string cert;
  std::string key;
  std::string client_ca;  ///< empty: clients need no certificate
  bool operator==(const TlsFiles&) const = default;
};

/// A file without a name on any disk, read through path(). What it holds changes from one moment to the next
/// as a whole. Not thread-safe, but whoever reads it may do so at any time.
class MemoryFile {
 public:
  MemoryFile() = default;
  MemoryFile(MemoryFile&& other) noexcept;
  MemoryFile& operator=(MemoryFile&&) = delete;
  ~MemoryFile();

  /// Of this process, while the object lives and after the first replace; always the same.
  [[nodiscard]] std::string path() const;
  /// kIo when there is no room; then it holds what it held.
  Result<void> replace(std::string_view content);

 private:
  int fd_ = -1;
  std::uint32_t versions_ = 0;
};

/// What handshakes show and ask for: the files as they were when they could last be used, so that half of a
/// renewal, or a file that is gone, keeps nobody out. Not thread-safe.
class TlsIdentity {
 public:
  /// kUsage, naming the key of the configuration, when certificate, key or CA cannot be used as they are now:
  /// not there, not PEM, or a key of another certificate.
  static Result<std::unique_ptr<TlsIdentity>> open(TlsFiles files);

  /// Reads the files again and takes them if they can be used; true when they are others than before. Errors
  /// as of open: what was in use stays in use.
  Result<bool> refresh();

  /// Show what refresh took within a second; connections that are there stay. The identity must outlive the
  /// servers that have them.
  [[nodiscard]] std::shared_ptr<grpc::ServerCredentials> credentials() const;

 private:
  explicit TlsIdentity(TlsFiles files) : files_(std::move(files)) {}

  const TlsFiles files_;
  TlsFiles content_;  ///< of each of them, as in use
  MemoryFile pair_;   ///< the key, then its certificates
  MemoryFile roots_;
};

/// The files that a client shows and believes, read; their CA is that of the daemon's certificate. kUsage,
/// naming the option of the command line, for what cannot be used. Thread-safe.
Result<TlsFiles> read_client_files(const TlsFiles& files);

/// The first line of a token file. kUsage when it cannot be read, is empty, or is longer than 4 KiB, without
/// the name of the option. Thread-safe.
Result<std::string> read_token(const std::string& path);

}  // namespace cuzk::server
