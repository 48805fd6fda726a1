#include "cuzk/server/credentials.h"

#include <fcntl.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "cuzk/base/input_file.h"

namespace cuzk::server {
namespace {

constexpr std::size_t kMaxPemBytes = std::size_t{1} << 20;
/// How often gRPC looks at what it is given.
constexpr unsigned kReloadSeconds = 1;

struct Free {
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// A key with a pass phrase is refused instead of asked about on the terminal.
char no_phrase[] = "";

std::string openssl_reason() {
  const unsigned long code = ERR_get_error();
  const char* reason = code == 0 ? nullptr : ERR_reason_error_string(code);
  ERR_clear_error();
  return reason == nullptr ? "unknown reason" : reason;
}

Owned<BIO> bio_of(const std::string& text) {
  Owned<BIO> out(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  if (out == nullptr) throw std::bad_alloc();
  return out;
}

/// The next certificate; null behind the last one, and at what is none.
Owned<X509> next_certificate(const Owned<BIO>& bio) {
  return Owned<X509>(PEM_read_bio_X509(bio.get(), nullptr, nullptr, no_phrase));
}

bool take_chain(SSL_CTX* context, const std::string& pem) {
  const Owned<BIO> bio = bio_of(pem);
  const Owned<X509> own = next_certificate(bio);
  if (own == nullptr || SSL_CTX_use_certificate(context, own.get()) != 1) return false;
  while (const Owned<X509> issuer = next_certificate(bio)) {
    if (SSL_CTX_add1_chain_cert(context, issuer.get()) != 1) return false;
  }
  return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

bool take_key(SSL_CTX* context, const std::string& pem) {
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio_of(pem).get(), nullptr, nullptr, no_phrase));
  return key != nullptr && SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
         SSL_CTX_check_private_key(context) == 1;
}

bool take_roots(SSL_CTX* context, const std::string& pem) {
  const Owned<BIO> bio = bio_of(pem);
  std::size_t count = 0;
  while (const Owned<X509> root = next_certificate(bio)) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), root.get()) != 1) return false;
    ++count;
  }
  return count > 0 && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

/// What messages call the files.
struct TlsNames {
  const char* cert;
  const char* key;
  const char* ca;
};
constexpr TlsNames kDaemonNames{"daemon.tls_cert", "daemon.tls_key", "daemon.tls_client_ca"};
constexpr TlsNames kClientNames{"--tls-cert", "--tls-key", "--tls-ca"};

/// gRPC takes any text and fails every handshake later; this says now what is wrong.
Result<void> check(const TlsFiles& files, const TlsFiles& content, const TlsNames& names) {
  const auto wrong = [](const char* name, const std::string& path) {
    return usage_error(std::string(name) + ": '" + path + "': " + openssl_reason());
  };
  const Owned<SSL_CTX> context(SSL_CTX_new(TLS_server_method()));
  if (context == nullptr) throw std::bad_alloc();
  ERR_clear_error();
  if (!files.cert.empty() && !take_chain(context.get(), content.cert)) return wrong(names.cert, files.cert);
  ERR_clear_error();
  if (!files.key.empty() && !take_key(context.get(), content.key)) return wrong(names.key, files.key);
  ERR_clear_error();
  if (!files.client_ca.empty() && !take_roots(context.get(), content.client_ca))
    return wrong(names.ca, files.client_ca);
  ERR_clear_error();
  return {};
}

/// The private key alone: gRPC shows the first certificate that it finds, also one beside the key.
std::string only_key(const std::string& pem) {
  const Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio_of(pem).get(), nullptr, nullptr, no_phrase));
  const Owned<BIO> out(BIO_new(BIO_s_mem()));
  if (key == nullptr || out == nullptr ||
      PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    throw std::bad_alloc();  // check() has read it
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

Result<std::string> read_pem(const char* name, const std::string& path) {
  const Result<FileBytes> file = FileBytes::read(path, kMaxPemBytes);
  if (!file) return usage_error(std::string(name) + ": " + file.error().message);
  return std::string(file->bytes().begin(), file->bytes().end());
}

/// The files that are named, as they can be used.
Result<TlsFiles> read_and_check(const TlsFiles& files, const TlsNames& names) {
  TlsFiles content;
  if (!files.cert.empty()) {
    CUZK_TRY_ASSIGN(content.cert, read_pem(names.cert, files.cert));
  }
  if (!files.key.empty()) {
    CUZK_TRY_ASSIGN(content.key, read_pem(names.key, files.key));
  }
  if (!files.client_ca.empty()) {
    CUZK_TRY_ASSIGN(content.client_ca, read_pem(names.ca, files.client_ca));
  }
  CUZK_TRY(check(files, content, names));
  return content;
}

}  // namespace

// ---- MemoryFile

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), versions_(other.versions_) {}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) ::close(fd_);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(fd_);
}

Result<void> MemoryFile::replace(std::string_view content) {
  const auto failed = [] { return io_error(std::string("a file in memory: ") + std::strerror(errno)); };
  MemoryFile next;
  next.fd_ = ::memfd_create("cuzk-tls", MFD_CLOEXEC);
  if (next.fd_ < 0) return failed();
  while (!content.empty()) {
    const ssize_t written = ::write(next.fd_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failed();
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  // A reader that looks at the time before and after tells versions apart by whole seconds.
  const timespec time{static_cast<time_t>(versions_ + 1), 0};
  const timespec times[2] = {time, time};
  if (::futimens(next.fd_, times) != 0) return failed();
  if (fd_ < 0)
    std::swap(fd_, next.fd_);
  else if (::dup3(next.fd_, fd_, O_CLOEXEC) < 0)
    return failed();
  ++versions_;
  return {};
}

// ---- TlsIdentity

Result<std::unique_ptr<TlsIdentity>> TlsIdentity::open(TlsFiles files) {
  std::unique_ptr<TlsIdentity> out(new TlsIdentity(std::move(files)));
  CUZK_TRY(out->refresh());
  return out;
}

Result<bool> TlsIdentity::refresh() {
  CUZK_TRY_ASSIGN(TlsFiles content, read_and_check(files_, kDaemonNames));
  if (content == content_) return false;
  // The key and its certificates in one file: nobody can read one without the other.
  CUZK_TRY(pair_.replace(only_key(content.key) + "\n" + content.cert));
  CUZK_TRY(roots_.replace(content.client_ca));
  content_ = std::move(content);
  return true;
}

std::shared_ptr<grpc::ServerCredentials> TlsIdentity::credentials() const {
  namespace tls = grpc::experimental;
  const bool demand = !files_.client_ca.empty();
  tls::TlsServerCredentialsOptions options(std::make_shared<tls::FileWatcherCertificateProvider>(
      pair_.path(), pair_.path(), demand ? roots_.path() : "", kReloadSeconds));
  options.watch_identity_key_cert_pairs();
  if (demand) {
    options.watch_root_certs();
    options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  }
  return tls::TlsServerCredentials(options);
}

Result<TlsFiles> read_client_files(const TlsFiles& files) {
  return read_and_check(files, kClientNames);
}

Result<std::string> read_token(const std::string& path) {
  std::ifstream file(path);
  std::string token;
  if (!file || !std::getline(file, token)) return usage_error("'" + path + "' cannot be read or is empty");
  while (!token.empty() && (token.back() == '\r' || token.back() == ' ')) token.pop_back();
  if (token.empty() || token.size() > 4096)
    return usage_error("the first line of '" + path + "' must hold 1 to 4096 characters");
  return token;
}

}  // namespace cuzk::server
