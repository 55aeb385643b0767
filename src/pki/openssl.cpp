#include "openssl.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <array>

namespace gtvmin {
namespace {

/// Nobody types a passphrase here: a key that needs one is refused.
int no_passphrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*unused*/) { return -1; }

BioPtr reading(const std::string& text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

/// PEM files may begin with text that is not part of it; what begins again after the object is another object.
bool holds_more(BIO* bio, const char* mark) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return std::string_view(bytes, static_cast<std::size_t>(size)).find(mark) != std::string_view::npos;
}

template <class Pointer, class Read>
Result<Pointer> parse(const PemFile& file, const char* what, Read read) {
  constexpr std::size_t kMostBytes = 1 << 20;
  if (file.text.size() > kMostBytes) return bad_input(fmt::format("{}: is too large to be {}", file.name, what));
  const BioPtr bio = reading(file.text);
  if (!bio) return openssl_failure("reading a file");
  Pointer object(read(bio.get(), nullptr, no_passphrase, nullptr));
  if (!object) {
    ERR_clear_error();
    return bad_input(fmt::format("{}: is not {} in PEM form", file.name, what));
  }
  if (holds_more(bio.get(), "-----BEGIN")) return bad_input(fmt::format("{}: holds more than {}", file.name, what));
  return object;
}

template <class Write>
Result<std::string> written(Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  if (!bio || write(bio.get()) != 1) return openssl_failure("writing a file");
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &bytes);
  return std::string(bytes, static_cast<std::size_t>(size));
}

std::string to_utf8(const ASN1_STRING* text) {
  unsigned char* bytes = nullptr;
  const int size = ASN1_STRING_to_UTF8(&bytes, text);
  if (size < 0) {
    ERR_clear_error();
    return {};
  }
  std::string result(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes);
  return result;
}

}  // namespace

std::string openssl_reason() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

Error openssl_failure(const char* doing) {
  return runtime_failure(fmt::format("OpenSSL failed at {}: {}", doing, openssl_reason()));
}

Result<X509Ptr> parse_certificate(const PemFile& file) {
  return parse<X509Ptr>(file, "a certificate", PEM_read_bio_X509);
}
Result<RequestPtr> parse_request(const PemFile& file) {
  return parse<RequestPtr>(file, "a signing request", PEM_read_bio_X509_REQ);
}
Result<KeyPtr> parse_key(const PemFile& file) { return parse<KeyPtr>(file, "a secret key", PEM_read_bio_PrivateKey); }

Result<std::string> to_pem(X509* certificate) {
  return written([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}
Result<std::string> to_pem(X509_REQ* request) {
  return written([&](BIO* bio) { return PEM_write_bio_X509_REQ(bio, request); });
}
Result<std::string> to_pem(EVP_PKEY* key) {
  return written([&](BIO* bio) { return PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr); });
}

std::string common_name(const X509_NAME* subject) {
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0) return {};
  return to_utf8(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at)));
}

std::string only_dns_name(const GENERAL_NAMES* names) {
  if (names == nullptr || sk_GENERAL_NAME_num(names) != 1) return {};
  const GENERAL_NAME* name = sk_GENERAL_NAME_value(names, 0);
  return name->type == GEN_DNS ? to_utf8(name->d.dNSName) : std::string{};
}

}  // namespace gtvmin
