#pragma once

#include <string>

#include "gtvmin/base/result.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/pki/certificate.h"

namespace gtvmin {

/// A secret key, EC P-256, and what is public about it, both in PEM form.
struct KeyPair {
  std::string key;
  std::string certificate;
};
struct KeyAndRequest {
  std::string key;
  std::string request;
};

/// The authority of a federation: signs itself, may sign sites and nothing else.
[[nodiscard]] Result<KeyPair> make_authority(const std::string& federation, const Validity& validity);

/// A new key of a site and the request to sign it, CN = site, DNS name = <site>.<federation>.
[[nodiscard]] Result<KeyAndRequest> make_request(const Federation& federation, SiteId site);

/// Who signs: the authority's certificate and secret key.
struct Signer {
  PemFile certificate;
  PemFile key;
};

/// What a request was granted.
struct SignedRequest {
  std::string site;
  std::string certificate;
};

/// Signs a request of a site: CN = site, DNS name <site>.<federation>, for both ends of a TLS connection, a random
/// serial number. Nothing but the public key is taken over from the request. Fails if the request is not signed by its
/// own key, has another kind of key, or is for no site of this federation; if the signer is not this federation's
/// authority, or is not valid as long as the certificate would be.
[[nodiscard]] Result<SignedRequest> sign_request(const Federation& federation, const Signer& signer,
                                                 const PemFile& request, const Validity& validity);

}  // namespace gtvmin
