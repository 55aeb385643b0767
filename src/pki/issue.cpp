#include "gtvmin/pki/issue.h"

#include <fmt/format.h>
#include <openssl/err.h>

#include <array>
#include <initializer_list>

#include "authority_name.h"
#include "gtvmin/io/input_problems.h"
#include "openssl.h"

namespace gtvmin {
namespace {

constexpr const char* kCurve = "P-256";

using BigNumberPtr = std::unique_ptr<BIGNUM, Release<BN_free>>;
using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION_free>>;
using NamesPtr = std::unique_ptr<GENERAL_NAMES, Release<GENERAL_NAMES_free>>;

void free_extensions(STACK_OF(X509_EXTENSION) * extensions) {
  sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
}
using ExtensionsPtr = std::unique_ptr<STACK_OF(X509_EXTENSION), Release<free_extensions>>;

struct Extension {
  int kind;
  std::string value;
};

bool set_common_name(X509_NAME* subject, const std::string& name) {
  return X509_NAME_add_entry_by_NID(subject, NID_commonName, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(name.data()), static_cast<int>(name.size()),
                                    -1, 0) == 1;
}

/// 159 random bits: unique without keeping a list, and positive in 20 bytes, as the standard wants.
bool set_random_serial(X509* certificate) {
  const BigNumberPtr number(BN_new());
  return number && BN_rand(number.get(), 159, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool add_extensions(X509* certificate, X509* issuer, std::initializer_list<Extension> extensions) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  for (const Extension& extension : extensions) {
    const ExtensionPtr made(X509V3_EXT_conf_nid(nullptr, &context, extension.kind, extension.value.c_str()));
    if (!made || X509_add_ext(certificate, made.get(), -1) != 1) return false;
  }
  return true;
}

/// Whose certificate, with which key, how long, and who signs it.
struct Blank {
  const std::string& name;
  EVP_PKEY* key;
  const Validity& validity;
  const X509_NAME* issuer;  ///< null: itself
};

X509Ptr fill_in(const Blank& blank) {
  X509Ptr certificate(X509_new());
  X509* const x509 = certificate.get();
  const bool good =
      x509 != nullptr && X509_set_version(x509, X509_VERSION_3) == 1 && set_random_serial(x509) &&
      ASN1_TIME_set(X509_getm_notBefore(x509), blank.validity.from) != nullptr &&
      ASN1_TIME_set(X509_getm_notAfter(x509), blank.validity.until) != nullptr &&
      set_common_name(X509_get_subject_name(x509), blank.name) &&
      X509_set_issuer_name(x509, blank.issuer != nullptr ? blank.issuer : X509_get_subject_name(x509)) == 1 &&
      X509_set_pubkey(x509, blank.key) == 1;
  return good ? std::move(certificate) : nullptr;
}

bool is_on_our_curve(EVP_PKEY* key) {
  std::array<char, 64> group{};
  std::size_t size = 0;
  return key != nullptr && EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_group_name(key, group.data(), group.size(), &size) == 1 &&
         OBJ_txt2nid(group.data()) == NID_X9_62_prime256v1;
}

/// The DNS name that a request asks for; empty if it does not ask for exactly one.
std::string requested_dns_name(X509_REQ* request) {
  const ExtensionsPtr extensions(X509_REQ_get_extensions(request));
  if (!extensions) return {};
  const NamesPtr names(
      static_cast<GENERAL_NAMES*>(X509V3_get_d2i(extensions.get(), NID_subject_alt_name, nullptr, nullptr)));
  return only_dns_name(names.get());
}

/// The site that a request is for.
Result<SiteId> requested_site(const Federation& federation, const PemFile& file, X509_REQ* request) {
  EVP_PKEY* const key = X509_REQ_get0_pubkey(request);
  if (!is_on_our_curve(key)) {
    ERR_clear_error();
    return bad_input(fmt::format("{}: requests a key that is not EC {}", file.name, kCurve));
  }
  if (X509_REQ_verify(request, key) != 1) {
    ERR_clear_error();
    return bad_input(
        fmt::format("{}: the signature does not match the requested key; the file was altered", file.name));
  }
  const std::string name = common_name(X509_REQ_get_subject_name(request));
  const std::optional<SiteId> site = find_site(federation, name);
  if (!site) {
    return bad_input(
        fmt::format("{}: requests {}, which is not a site of {}", file.name, shown(name), shown(federation.name)));
  }
  const std::string dns_name = requested_dns_name(request);
  if (dns_name != tls_name(federation, *site)) {
    return bad_input(fmt::format("{}: requests the DNS name {}, but the DNS name of site {} in this federation is {}",
                                 file.name, shown(dns_name), shown(name), shown(tls_name(federation, *site))));
  }
  return *site;
}

Status check_signer(const Federation& federation, const Signer& signer, const Validity& validity) {
  const Result<CertificateFacts> facts = read_certificate(signer.certificate);
  if (!facts) return facts.error();
  const std::string& file = signer.certificate.name;
  if (!facts->authority) return bad_input(fmt::format("{}: is the certificate of a site, not of an authority", file));
  if (facts->federation != federation.name) {
    return bad_input(
        fmt::format("{}: is the authority of {}, not of {}", file, shown(facts->federation), shown(federation.name)));
  }
  if (facts->validity.until < validity.until) {
    return bad_input(fmt::format("{}: the authority's certificate ends on {}, before that of the site would", file,
                                 date_text(facts->validity.until)));
  }
  return Unit{};
}

Result<X509Ptr> make_site_certificate(const std::string& site, const std::string& dns_name, EVP_PKEY* key, X509* issuer,
                                      const Validity& validity) {
  X509Ptr certificate = fill_in({site, key, validity, X509_get_subject_name(issuer)});
  if (!certificate || !add_extensions(certificate.get(), issuer,
                                      {{NID_basic_constraints, "critical,CA:FALSE"},
                                       {NID_key_usage, "critical,digitalSignature"},
                                       {NID_ext_key_usage, "serverAuth,clientAuth"},
                                       {NID_subject_key_identifier, "hash"},
                                       {NID_authority_key_identifier, "keyid:always"},
                                       {NID_subject_alt_name, "DNS:" + dns_name}})) {
    return openssl_failure("making a certificate");
  }
  return certificate;
}

}  // namespace

Result<KeyPair> make_authority(const std::string& federation, const Validity& validity) {
  const KeyPtr key(EVP_EC_gen(kCurve));
  if (!key) return openssl_failure("making a key");
  const X509Ptr certificate = fill_in({authority_of_federation(federation), key.get(), validity, nullptr});
  if (!certificate ||
      !add_extensions(certificate.get(), certificate.get(),
                      {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                       {NID_key_usage, "critical,keyCertSign"},
                       {NID_subject_key_identifier, "hash"}}) ||
      X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) {
    return openssl_failure("making a certificate");
  }
  Result<std::string> key_text = to_pem(key.get());
  if (!key_text) return key_text.error();
  Result<std::string> certificate_text = to_pem(certificate.get());
  if (!certificate_text) return certificate_text.error();
  return KeyPair{*std::move(key_text), *std::move(certificate_text)};
}

Result<KeyAndRequest> make_request(const Federation& federation, SiteId site) {
  const KeyPtr key(EVP_EC_gen(kCurve));
  const RequestPtr request(X509_REQ_new());
  const std::string names = "DNS:" + tls_name(federation, site);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str()));
  const ExtensionsPtr extensions(sk_X509_EXTENSION_new_null());
  if (!key || !request || !extension || !extensions) return openssl_failure("making a key");
  ExtensionPtr owned(X509_EXTENSION_dup(extension.get()));
  if (!owned || sk_X509_EXTENSION_push(extensions.get(), owned.get()) == 0) return openssl_failure("making a request");
  static_cast<void>(owned.release());  // the stack owns it now
  if (X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) != 1 ||
      !set_common_name(X509_REQ_get_subject_name(request.get()), federation.sites[site].name) ||
      X509_REQ_set_pubkey(request.get(), key.get()) != 1 ||
      X509_REQ_add_extensions(request.get(), extensions.get()) != 1 ||
      X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0) {
    return openssl_failure("making a request");
  }
  Result<std::string> key_text = to_pem(key.get());
  if (!key_text) return key_text.error();
  Result<std::string> request_text = to_pem(request.get());
  if (!request_text) return request_text.error();
  return KeyAndRequest{*std::move(key_text), *std::move(request_text)};
}

Result<SignedRequest> sign_request(const Federation& federation, const Signer& signer, const PemFile& request_file,
                                   const Validity& validity) {
  if (const Status checked = check_signer(federation, signer, validity); !checked) return checked.error();
  const Result<X509Ptr> issuer = parse_certificate(signer.certificate);
  if (!issuer) return issuer.error();
  const Result<KeyPtr> key = parse_key(signer.key);
  if (!key) return key.error();
  if (X509_check_private_key(issuer->get(), key->get()) != 1) {
    ERR_clear_error();
    return bad_input(fmt::format("{}: is not the key of {}", signer.key.name, signer.certificate.name));
  }
  const Result<RequestPtr> request = parse_request(request_file);
  if (!request) return request.error();
  const Result<SiteId> site = requested_site(federation, request_file, request->get());
  if (!site) return site.error();

  const std::string& name = federation.sites[*site].name;
  const Result<X509Ptr> certificate = make_site_certificate(
      name, tls_name(federation, *site), X509_REQ_get0_pubkey(request->get()), issuer->get(), validity);
  if (!certificate) return certificate.error();
  if (X509_sign(certificate->get(), key->get(), EVP_sha256()) == 0) return openssl_failure("signing a certificate");
  Result<std::string> text = to_pem(certificate->get());
  if (!text) return text.error();
  return SignedRequest{name, *std::move(text)};
}

}  // namespace gtvmin
