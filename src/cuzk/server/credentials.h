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

/// Credentials that read the files again when they change. kUsage, naming the key of the configuration, when
/// certificate, key or CA cannot be used as they are now.
Result<std::shared_ptr<grpc::ServerCredentials>> tls_credentials(const TlsFiles& files);

/// The first line of a token file. kUsage when it cannot be read, is empty, or is longer than 4 KiB.
Result<std::string> read_token(const std::string& path);

}  // namespace cuzk::server
