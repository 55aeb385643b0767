#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gtvmin/base/result.h"
#include "gtvmin/runtime/site_links.h"

namespace gtvmin {

/// Contents of PEM files.
struct TransportCredentials {
  std::string authority;
  std::string certificate;
  std::string key;
};

/// How far a site is, for those who ask.
struct SiteProgress {
  std::string state;
  std::uint64_t iteration = 0;
  std::optional<double> objective;     ///< of all sites, as soon as it is known
  std::optional<double> relative_gap;  ///< an estimate
  std::optional<double> proved_gap;    ///< relative, as soon as there is a certificate
  double seconds = 0;
};

struct TransportOptions {
  std::string site;
  std::string federation;              ///< a site's certificate is for the name <site>.<federation>
  std::string digest;                  ///< of the federation file: sites that have another one are not talked to
  std::string listen;                  ///< address:port; empty: the site only dials
  std::vector<std::string> addresses;  ///< one per link; empty: the neighbour can only dial
  std::optional<TransportCredentials> credentials;  ///< none: plain text, between loopback addresses only
  double heartbeat = 2;                             ///< seconds: who has nothing else to say says so this often
  double silence = 10;                              ///< seconds without a frame after which a stream is given up
  double longest_backoff = 2;                       ///< seconds between two attempts to dial
  std::function<void(const std::string&)> log;      ///< lines for people; from any thread
  std::function<SiteProgress()> progress;           ///< from any thread
};

/// Carries the messages of a site's links over gRPC: one bidirectional stream per pair of neighbours, dialled by
/// whichever side can, with TLS and certificates on both sides. Whatever happens to connections, and whoever else
/// calls, the links stay whole: what is refused is logged, what is lost is dialled again.
class Transport {
 public:
  /// Starts to listen and to dial. `links` must outlive the transport.
  static Result<std::unique_ptr<Transport>> start(TransportOptions options, SiteLinks& links);

  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  /// Ends all streams after what has been written.
  virtual ~Transport() = default;

  /// The port that the site listens on, 0 if it does not.
  [[nodiscard]] virtual int port() const = 0;
};

struct StatusQuestion {
  std::string address;
  std::string site;
  std::string federation;
  std::optional<TransportCredentials> credentials;
  double seconds = 5;  ///< to wait for the answer
};
/// Asks a site how it is; a JSON object.
[[nodiscard]] Result<std::string> ask_status(const StatusQuestion& question);

/// host:port with a host that stays on this machine: 127.0.0.0/8, [::1] or localhost.
[[nodiscard]] bool is_loopback(const std::string& address);

}  // namespace gtvmin
