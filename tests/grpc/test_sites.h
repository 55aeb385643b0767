#pragma once

// Sites that live in one process and talk over loopback, with certificates of their own.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gtvmin/federation/federation.h"
#include "gtvmin/grpc/transport.h"
#include "gtvmin/pki/issue.h"
#include "gtvmin/runtime/site_exchange.h"

namespace gtvmin {

inline double test_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Asks again and again, for at most 20 s.
template <class Condition>
bool eventually(const Condition& condition) {
  const double end = test_seconds() + 20;
  while (test_seconds() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return condition();
}

/// A port of loopback that nobody uses now.
inline std::string free_address() {
  const int probe = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(place);
  const bool bound = ::bind(probe, reinterpret_cast<const sockaddr*>(&place), size) == 0 &&
                     ::getsockname(probe, reinterpret_cast<sockaddr*>(&place), &size) == 0;
  ::close(probe);
  return fmt::format("127.0.0.1:{}", bound ? ntohs(place.sin_port) : 0);
}

class TestLog {
 public:
  void add(const std::string& line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  [[nodiscard]] bool says(std::string_view text) const {
    const std::lock_guard lock(mutex_);
    return std::any_of(lines_.begin(), lines_.end(),
                       [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }
  [[nodiscard]] std::int64_t count(std::string_view text) const {
    const std::lock_guard lock(mutex_);
    return std::count_if(lines_.begin(), lines_.end(),
                         [&](const std::string& line) { return line.find(text) != std::string::npos; });
  }
  [[nodiscard]] std::string all() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// The authority of a federation, and what it hands out.
class TestAuthority {
 public:
  explicit TestAuthority(const Federation& federation) : federation_(federation) {
    made_ = *make_authority(federation.name, {now() - 10 * kDay, now() + 100 * kDay});
  }
  [[nodiscard]] TransportCredentials credentials(SiteId site, UnixSeconds from_days = -1,
                                                 UnixSeconds until_days = 10) const {
    const KeyAndRequest request = *make_request(federation_, site);
    const SignedRequest granted =
        *sign_request(federation_, {{"ca.crt", made_.certificate}, {"ca.key", made_.key}}, {"r.csr", request.request},
                      {now() + from_days * kDay, now() + until_days * kDay});
    return {made_.certificate, granted.certificate, request.key};
  }
  [[nodiscard]] const std::string& certificate() const { return made_.certificate; }

 private:
  static constexpr UnixSeconds kDay = 86400;
  static UnixSeconds now() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  const Federation& federation_;
  KeyPair made_;
};

/// Sites named s0, s1, …, site k with `nodes_each` nodes; edges as given. Addresses are not in it: ports are not known.
inline Federation test_federation(SiteId sites, NodeId nodes_each, std::vector<WeightedEdge> edges) {
  Federation federation;
  federation.name = "trial";
  for (SiteId s = 0; s < sites; ++s) {
    Site site{.name = fmt::format("s{}", s), .address = "", .nodes = {}};
    for (NodeId i = 0; i < nodes_each; ++i) {
      site.nodes.push_back(s * nodes_each + i);
      federation.node_names.push_back(fmt::format("n{}", s * nodes_each + i));
      federation.owner.push_back(s);
    }
    federation.sites.push_back(std::move(site));
  }
  federation.edges = std::move(edges);
  return federation;
}

}  // namespace gtvmin
