#pragma once

/// OpenSSL's objects with owners, and texts in PEM form. Private to this room.

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <string>

#include "gtvmin/base/result.h"
#include "gtvmin/pki/certificate.h"

namespace gtvmin {

template <auto release>
struct Release {
  template <class T>
  void operator()(T* object) const {
    release(object);
  }
};
using BioPtr = std::unique_ptr<BIO, Release<BIO_free_all>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using X509Ptr = std::unique_ptr<X509, Release<X509_free>>;
using RequestPtr = std::unique_ptr<X509_REQ, Release<X509_REQ_free>>;

/// What OpenSSL says about its last failure; forgets it.
[[nodiscard]] std::string openssl_reason();

/// Failures of OpenSSL that no input explains: out of memory, no randomness.
[[nodiscard]] Error openssl_failure(const char* doing);

// Each fails with "name: …" on anything else than exactly one such object in PEM form.
[[nodiscard]] Result<X509Ptr> parse_certificate(const PemFile& file);
[[nodiscard]] Result<RequestPtr> parse_request(const PemFile& file);
[[nodiscard]] Result<KeyPtr> parse_key(const PemFile& file);

[[nodiscard]] Result<std::string> to_pem(X509* certificate);
[[nodiscard]] Result<std::string> to_pem(X509_REQ* request);
[[nodiscard]] Result<std::string> to_pem(EVP_PKEY* key);

/// The CN of a subject; empty if there is not exactly one.
[[nodiscard]] std::string common_name(const X509_NAME* subject);

/// The DNS name of a list of alternative names; empty if that is not the only entry.
[[nodiscard]] std::string only_dns_name(const GENERAL_NAMES* names);

}  // namespace gtvmin
