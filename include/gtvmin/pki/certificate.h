#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gtvmin/base/result.h"

namespace gtvmin {

/// Seconds since 1970-01-01 00:00 UTC.
using UnixSeconds = std::int64_t;

struct Validity {
  UnixSeconds from = 0;
  UnixSeconds until = 0;
};

/// A text in PEM form and the name by which messages call it.
struct PemFile {
  std::string name;
  std::string text;
};

/// Whose certificate it is.
struct CertificateFacts {
  bool authority = false;  ///< of a federation, not of a site
  std::string federation;
  std::string site;  ///< empty for an authority
  Validity validity;
};

/// Fails with "name: what is wrong" if the text is no certificate, or none that make_authority or sign_request made.
[[nodiscard]] Result<CertificateFacts> read_certificate(const PemFile& certificate);

/// Whether the key of `authority` signed `certificate`. Dates and names are not looked at.
[[nodiscard]] Result<bool> is_signed_by(const PemFile& certificate, const PemFile& authority);

/// "2031-05-02 14:00 UTC".
[[nodiscard]] std::string date_text(UnixSeconds moment);

}  // namespace gtvmin
