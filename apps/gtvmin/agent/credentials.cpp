#include "credentials.h"

#include <chrono>

#include "gtvmin/io/output_file.h"
#include "gtvmin/io/text_file.h"
#include "gtvmin/pki/credentials.h"

namespace gtvmin::app {
namespace {

Result<PemFile> read_pem(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return PemFile{path, std::string(file->content())};
}

}  // namespace

Result<std::optional<TransportCredentials>> read_credentials(const CredentialSettings& settings,
                                                             const Federation& federation, std::optional<SiteId> site) {
  if (settings.insecure_loopback) return std::optional<TransportCredentials>();
  const Result<PemFile> authority = read_pem(settings.authority);
  if (!authority) return authority.error();
  const Result<PemFile> certificate = read_pem(settings.certificate);
  if (!certificate) return certificate.error();
  const Result<std::string> key = read_secret_file(settings.key);
  if (!key) return key.error();
  if (!site) {
    const Result<CertificateFacts> facts = read_certificate(*certificate);
    if (!facts) return facts.error();
    site = find_site(federation, facts->site);
    if (!site) return bad_input(settings.certificate + ": is not for a site of the federation");
  }
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  const Status accepted =
      check_credentials({*authority, *certificate, {settings.key, *key}}, federation, *site, now.count());
  if (!accepted) return accepted.error();
  return std::optional(TransportCredentials{authority->text, certificate->text, *key});
}

}  // namespace gtvmin::app
