#include "gtvmin/pki/credentials.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include "gtvmin/io/input_problems.h"
#include "openssl.h"

namespace gtvmin {
namespace {

using StorePtr = std::unique_ptr<X509_STORE, Release<X509_STORE_free>>;
using StoreContextPtr = std::unique_ptr<X509_STORE_CTX, Release<X509_STORE_CTX_free>>;

class Checker {
 public:
  Checker(const Credentials& credentials, UnixSeconds now) : credentials_(credentials), now_(now) {}

  void authority(const std::string& federation) {
    const auto facts = keep_error(read_certificate(credentials_.authority));
    if (!facts) return;
    const std::string& file = credentials_.authority.name;
    if (!facts->authority) {
      add(file, "is the certificate of a site, not of an authority");
    } else if (facts->federation != federation) {
      add(file,
          fmt::format("is the authority of federation {}, not of {}", shown(facts->federation), shown(federation)));
    }
    dates(file, facts->validity);
  }

  void certificate(const std::string& federation, const std::string& site) {
    const auto facts = keep_error(read_certificate(credentials_.certificate));
    if (!facts) return;
    const std::string& file = credentials_.certificate.name;
    if (facts->authority) {
      add(file, "is the certificate of an authority, not of a site");
    } else if (facts->federation != federation) {
      add(file, fmt::format("is for a site of federation {}, not of {}", shown(facts->federation), shown(federation)));
    } else if (facts->site != site) {
      add(file, fmt::format("is for site {}, not for {}", shown(facts->site), shown(site)));
    }
    dates(file, facts->validity);
  }

  void signature() {
    const Result<bool> by_authority = is_signed_by(credentials_.certificate, credentials_.authority);
    if (!by_authority || *by_authority) return;  // what cannot be read has been told already
    add(credentials_.certificate.name,
        fmt::format("was not signed by {}; it is of another authority", credentials_.authority.name));
  }

  void key() {
    const auto key = keep_error(parse_key(credentials_.key));
    const Result<X509Ptr> certificate = parse_certificate(credentials_.certificate);
    if (!key || !certificate) return;
    if (X509_check_private_key(certificate->get(), key->get()) != 1) {
      add(credentials_.key.name, fmt::format("is not the key of {}", credentials_.certificate.name));
    }
    ERR_clear_error();
  }

  /// As a peer will look at it, at both ends of a connection; for what the other checks do not know.
  void chain() {
    if (!error_.messages.empty()) return;
    const Result<X509Ptr> authority = parse_certificate(credentials_.authority);
    const Result<X509Ptr> certificate = parse_certificate(credentials_.certificate);
    for (const int purpose : {X509_PURPOSE_SSL_SERVER, X509_PURPOSE_SSL_CLIENT}) {
      const StorePtr store(X509_STORE_new());
      const StoreContextPtr context(X509_STORE_CTX_new());
      if (!store || !context || X509_STORE_add_cert(store.get(), authority->get()) != 1 ||
          X509_STORE_CTX_init(context.get(), store.get(), certificate->get(), nullptr) != 1) {
        error_ = openssl_failure("checking a certificate");
        return;
      }
      X509_STORE_CTX_set_time(context.get(), 0, now_);
      X509_STORE_CTX_set_purpose(context.get(), purpose);
      if (X509_verify_cert(context.get()) != 1) {
        add(credentials_.certificate.name, X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get())));
        ERR_clear_error();
        return;
      }
    }
  }

  [[nodiscard]] Status outcome() && { return error_.messages.empty() ? Status(Unit{}) : Status(std::move(error_)); }

 private:
  template <class T>
  Result<T> keep_error(Result<T> result) {
    if (!result) error_.messages.push_back(result.error().messages.front());
    return result;
  }

  void add(const std::string& file, std::string_view what) {
    error_.messages.push_back(fmt::format("{}: {}", file, what));
  }

  void dates(const std::string& file, const Validity& validity) {
    if (now_ > validity.until) add(file, fmt::format("has expired on {}", date_text(validity.until)));
    if (now_ < validity.from) {
      add(file, fmt::format("is valid from {} on, and it is {} here", date_text(validity.from), date_text(now_)));
    }
  }

  const Credentials& credentials_;
  UnixSeconds now_;
  Error error_{Error::Kind::kBadInput, {}};
};

}  // namespace

Status check_credentials(const Credentials& credentials, const Federation& federation, SiteId site, UnixSeconds now) {
  Checker checker(credentials, now);
  checker.authority(federation.name);
  checker.certificate(federation.name, federation.sites[site].name);
  checker.signature();
  checker.key();
  checker.chain();
  return std::move(checker).outcome();
}

}  // namespace gtvmin
