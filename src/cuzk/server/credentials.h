#pragma once

#include <memory>
#include <string>

#include <grpcpp/security/server_credentials.h>

#include "cuzk/base/result.h"

namespace cuzk::server {

struct TlsFiles {
  std::string cert;
  std::string key;
  std::string client_ca;  ///< empty: clients need no certificate
};

/// kUsage, naming the key of the configuration, when certificate, key or CA cannot be used as they are now:
/// not there, not PEM, or a key of another certificate.
Result<void> check_tls_files(const TlsFiles& files);

/// Credentials that read the files again when they change. Then they take whatever is there, and say nothing
/// when it fails every handshake; errors as check_tls_files.
Result<std::shared_ptr<grpc::ServerCredentials>> tls_credentials(const TlsFiles& files);

/// The first line of a token file. kUsage when it cannot be read, is empty, or is longer than 4 KiB.
Result<std::string> read_token(const std::string& path);

}  // namespace cuzk::server
