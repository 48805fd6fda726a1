#include "cuzk/server/credentials.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <cstring>
#include <fstream>

namespace cuzk::server {
namespace {

constexpr unsigned kReloadSeconds = 10;

struct FreeContext {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
};

std::string openssl_reason() {
  std::string out = "unknown reason";
  if (const unsigned long code = ERR_get_error(); code != 0) {
    const char* reason = ERR_reason_error_string(code);
    if (ERR_SYSTEM_ERROR(code))
      out = std::strerror(ERR_GET_REASON(code));
    else if (reason != nullptr)
      out = reason;
  }
  ERR_clear_error();
  return out;
}

}  // namespace

// gRPC takes any file and fails every handshake later; this says now what is wrong.
Result<void> check_tls_files(const TlsFiles& files) {
  const std::unique_ptr<SSL_CTX, FreeContext> context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) throw std::bad_alloc();
  ERR_clear_error();
  if (SSL_CTX_use_certificate_chain_file(context.get(), files.cert.c_str()) != 1)
    return usage_error("daemon.tls_cert: '" + files.cert + "': " + openssl_reason());
  if (SSL_CTX_use_PrivateKey_file(context.get(), files.key.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context.get()) != 1)
    return usage_error("daemon.tls_key: '" + files.key + "': " + openssl_reason());
  if (!files.client_ca.empty() &&
      SSL_CTX_load_verify_locations(context.get(), files.client_ca.c_str(), nullptr) != 1)
    return usage_error("daemon.tls_client_ca: '" + files.client_ca + "': " + openssl_reason());
  return {};
}

Result<std::shared_ptr<grpc::ServerCredentials>> tls_credentials(const TlsFiles& files) {
  namespace tls = grpc::experimental;
  CUZK_TRY(check_tls_files(files));
  const auto provider = std::make_shared<tls::FileWatcherCertificateProvider>(
      files.key, files.cert, files.client_ca, kReloadSeconds);
  tls::TlsServerCredentialsOptions options(provider);
  options.watch_identity_key_cert_pairs();
  if (!files.client_ca.empty()) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return tls::TlsServerCredentials(options);
}

Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!file || !std::getline(file, token))
    return usage_error("daemon.token_file: '" + path + "' cannot be read or is empty");
  while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty() || token.size() > 4096)
    return usage_error("daemon.token_file: the first line of '" + path + "' must hold 1 to 4096 characters");
  return token;
}

}  // namespace cuzk::server
