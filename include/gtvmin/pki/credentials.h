#pragma once

#include "gtvmin/base/result.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/pki/certificate.h"

namespace gtvmin {

/// What a site needs to talk to others: the authority's certificate, its own, and its own secret key.
struct Credentials {
  PemFile authority;
  PemFile certificate;
  PemFile key;
};

/// Whether other sites will accept them at the moment `now`. Fails with every reason found: no certificate, an
/// authority of another federation, signed by another authority, for another site, expired or not valid yet, a key that
/// is not the certificate's.
[[nodiscard]] Status check_credentials(const Credentials& credentials, const Federation& federation, SiteId site,
                                       UnixSeconds now);

}  // namespace gtvmin
