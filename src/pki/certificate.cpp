#include "gtvmin/pki/certificate.h"

#include <fmt/format.h>
#include <openssl/asn1.h>
#include <openssl/err.h>

#include "authority_name.h"
#include "openssl.h"

namespace gtvmin {
namespace {

using NamesPtr = std::unique_ptr<GENERAL_NAMES, Release<GENERAL_NAMES_free>>;
using TimePtr = std::unique_ptr<ASN1_TIME, Release<ASN1_TIME_free>>;

std::string dns_name(const X509* certificate) {
  const NamesPtr names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  return only_dns_name(names.get());
}

/// As seconds since 1970; false if the certificate has nonsense there.
bool read_time(const ASN1_TIME* time, UnixSeconds& moment) {
  const TimePtr epoch(ASN1_TIME_set(nullptr, 0));
  int days = 0;
  int seconds = 0;
  if (!epoch || ASN1_TIME_diff(&days, &seconds, epoch.get(), time) != 1) return false;
  moment = UnixSeconds{days} * 86400 + seconds;
  return true;
}

/// The two parts of <site>.<federation>.
bool split_name(const std::string& name, CertificateFacts& facts) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos || dot == 0 || name.find('.', dot + 1) != std::string::npos) return false;
  facts.site = name.substr(0, dot);
  facts.federation = name.substr(dot + 1);
  return !facts.federation.empty();
}

}  // namespace

Result<CertificateFacts> read_certificate(const PemFile& file) {
  const Result<X509Ptr> certificate = parse_certificate(file);
  if (!certificate) return certificate.error();
  X509* const x509 = certificate->get();
  CertificateFacts facts;
  if (!read_time(X509_get0_notBefore(x509), facts.validity.from) ||
      !read_time(X509_get0_notAfter(x509), facts.validity.until)) {
    ERR_clear_error();
    return bad_input(fmt::format("{}: the dates of this certificate cannot be read", file.name));
  }
  const std::string name = common_name(X509_get_subject_name(x509));
  facts.authority = X509_check_ca(x509) == 1;
  if (facts.authority) {
    facts.federation = federation_of_authority(name);
    if (!facts.federation.empty()) return facts;
  } else if (split_name(dns_name(x509), facts) && facts.site == name) {
    return facts;
  }
  return bad_input(
      fmt::format("{}: this certificate is neither for a site nor for an authority of a federation", file.name));
}

Result<bool> is_signed_by(const PemFile& certificate, const PemFile& authority) {
  const Result<X509Ptr> signed_one = parse_certificate(certificate);
  if (!signed_one) return signed_one.error();
  const Result<X509Ptr> signer = parse_certificate(authority);
  if (!signer) return signer.error();
  EVP_PKEY* const key = X509_get0_pubkey(signer->get());
  const bool verified = key != nullptr && X509_verify(signed_one->get(), key) == 1;
  ERR_clear_error();
  return verified;
}

std::string date_text(UnixSeconds moment) {
  const TimePtr time(ASN1_TIME_set(nullptr, moment));
  tm parts{};
  if (!time || ASN1_TIME_to_tm(time.get(), &parts) != 1) return "a time out of range";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min);
}

}  // namespace gtvmin
