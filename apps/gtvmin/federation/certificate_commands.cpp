#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>

#include "commands.h"
#include "federation_options.h"
#include "gtvmin/federation/federation.h"
#include "gtvmin/io/output_file.h"
#include "gtvmin/io/text_file.h"
#ifdef GTVMIN_HAS_FEDERATION
#include "gtvmin/pki/digest.h"
#include "gtvmin/pki/issue.h"
#endif

namespace gtvmin::app {
namespace {

#ifdef GTVMIN_HAS_FEDERATION

constexpr UnixSeconds kHour = 3600;
constexpr UnixSeconds kDay = 24 * kHour;

/// From an hour ago, because the clocks of sites differ.
Validity days_from_now(int days) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  return {now.count() - kHour, now.count() + days * kDay};
}

struct FilePair {
  std::string secret;
  std::string open;
};

/// The directory for a key exists, or is made for its owner alone, and neither file is there yet.
Result<FilePair> prepare(const std::string& folder, const std::string& secret, const std::string& open) {
  namespace fs = std::filesystem;
  const fs::path path(folder);
  std::error_code code;
  if (!fs::exists(path, code)) {
    fs::create_directory(path, code);
    if (!code) fs::permissions(path, fs::perms::owner_all, code);
    if (code) return usage_error(fmt::format("{}: cannot be created: {}", folder, code.message()));
  }
  FilePair files{(path / secret).string(), (path / open).string()};
  for (const std::string& file : {files.secret, files.open}) {
    if (fs::exists(fs::symlink_status(file, code))) {
      return usage_error(fmt::format("{}: exists already and is not replaced", file));
    }
    if (Status writable = check_output_file(file, false); !writable) return writable.error();
  }
  return files;
}

Status write_pair(const FilePair& files, const std::string& secret, const std::string& open) {
  if (Status written = write_secret_file(files.secret, secret); !written) return written;
  return write_output_file(files.open, false, open);
}

Result<PemFile> read_public(const std::string& path) {
  const Result<TextFile> file = TextFile::open(path);
  if (!file) return file.error();
  return PemFile{path, std::string(file->content())};
}

int run_authority(const AuthoritySettings& settings) {
  const Result<Federation> federation = read_federation(settings.federation);
  if (!federation) return report(federation.error());
  const Result<FilePair> files = prepare(settings.out, "authority.key", "authority.crt");
  if (!files) return report(files.error());
  const Validity validity = days_from_now(settings.days);
  const Result<KeyPair> made = make_authority(federation->name, validity);
  if (!made) return report(made.error());
  if (const Status written = write_pair(*files, made->key, made->certificate); !written) return report(written.error());
  fmt::print(
      "The authority of federation {} is valid until {}.\n  {}  secret: its holder can issue a certificate for any "
      "site\n  {}  public: every site needs it\n",
      federation->name, date_text(validity.until), files->secret, files->open);
  return kSolved;
}

int run_certificate(const CertificateSettings& settings) {
  const Result<Federation> federation = read_federation(settings.federation);
  if (!federation) return report(federation.error());
  const std::optional<SiteId> site = find_site(*federation, settings.site);
  if (!site) {
    return report(usage_error(fmt::format("--site: '{}' is not a site of {}", settings.site, settings.federation)));
  }
  const Result<FilePair> files = prepare(settings.out, settings.site + ".key", settings.site + ".csr");
  if (!files) return report(files.error());
  const Result<KeyAndRequest> made = make_request(*federation, *site);
  if (!made) return report(made.error());
  if (const Status written = write_pair(*files, made->key, made->request); !written) return report(written.error());
  fmt::print(
      "Key and request of site {}.\n"
      "  {}  secret: stays here\n"
      "  {}  for the federation's authority, which signs it\n"
      "SHA-256 of the request, to compare with what the authority received: {}\n",
      settings.site, files->secret, files->open, sha256_hex(made->request));
  return kSolved;
}

int run_sign(const SignSettings& settings) {
  const Result<Federation> federation = read_federation(settings.federation);
  if (!federation) return report(federation.error());
  if (const Status writable = check_output_file(settings.out, settings.force); !writable) {
    return report(writable.error());
  }
  const std::filesystem::path folder(settings.authority);
  const Result<PemFile> authority = read_public((folder / "authority.crt").string());
  if (!authority) return report(authority.error());
  const std::string key_path = (folder / "authority.key").string();
  const Result<std::string> key = read_secret_file(key_path);
  if (!key) return report(key.error());
  const Result<PemFile> request = read_public(settings.request);
  if (!request) return report(request.error());
  const Validity validity = days_from_now(settings.days);
  const auto granted = sign_request(*federation, {*authority, {key_path, *key}}, *request, validity);
  if (!granted) return report(granted.error());
  if (const Status written = write_output_file(settings.out, settings.force, granted->certificate); !written) {
    return report(written.error());
  }
  fmt::print("{} is the certificate of site {}, valid until {}.\nSHA-256 of its request: {}\n", settings.out,
             granted->site, date_text(validity.until), sha256_hex(request->text));
  return kSolved;
}

#else

template <class Settings>
int run_without(const Settings& /*settings*/) {
  return report(built_without_federations());
}
constexpr auto run_authority = run_without<AuthoritySettings>;
constexpr auto run_certificate = run_without<CertificateSettings>;
constexpr auto run_sign = run_without<SignSettings>;

#endif

}  // namespace

void add_authority_command(CLI::App& federation, Action& action) {
  add_declared_command<AuthoritySettings>(federation, action, "authority",
                                          "Create the authority that signs the sites' certificates",
                                          &declare_authority_options, run_authority);
}

void add_certificate_command(CLI::App& federation, Action& action) {
  add_declared_command<CertificateSettings>(federation, action, "certificate",
                                            "Create the key of a site and its certificate request",
                                            &declare_certificate_options, run_certificate);
}

void add_sign_command(CLI::App& federation, Action& action) {
  add_declared_command<SignSettings>(federation, action, "sign", "Sign the certificate request of a site",
                                     &declare_sign_options, run_sign);
}

}  // namespace gtvmin::app
