// The round trip that bench/federation compares iterations with: two processes, links and transport as agents have
// them, TLS over loopback; one sends parameters of 10 nodes with d = 4, the other answers with as many.
//   round_trip_bench ROUNDS    prints seconds, the median of all rounds
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "gtvmin/grpc/transport.h"
#include "gtvmin/pki/issue.h"
#include "gtvmin/runtime/site_exchange.h"

namespace gtvmin {
namespace {

constexpr NodeId kNodesEach = 10;
constexpr Index kDimension = 4;
constexpr double kPatience = 30;  // seconds
constexpr std::uint64_t kWarmUp = 200;
constexpr UnixSeconds kDay = 86400;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Every node of one site has an edge to one of the other.
Federation two_sites() {
  Federation federation;
  federation.name = "bench";
  federation.sites = {{"caller", "", {}}, {"answerer", "", {}}};
  for (NodeId i = 0; i < 2 * kNodesEach; ++i) {
    const SiteId site = i / kNodesEach;
    federation.sites[site].nodes.push_back(i);
    federation.node_names.push_back(fmt::format("n{}", i));
    federation.owner.push_back(site);
    if (site == 0) federation.edges.push_back({i, i + kNodesEach, 1.0});
  }
  return federation;
}

std::vector<TransportCredentials> make_credentials(const Federation& federation) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch());
  const Validity validity{now.count() - kDay, now.count() + kDay};
  const KeyPair authority = *make_authority(federation.name, validity);
  std::vector<TransportCredentials> credentials;
  for (SiteId site = 0; site < federation.site_count(); ++site) {
    const KeyAndRequest request = *make_request(federation, site);
    const Signer signer{{"authority.crt", authority.certificate}, {"authority.key", authority.key}};
    const SignedRequest granted = *sign_request(federation, signer, {"request", request.request}, validity);
    credentials.push_back({authority.certificate, granted.certificate, request.key});
  }
  return credentials;
}

/// One end of the link between the two sites.
class End {
 public:
  End(const Federation& federation, SiteId site, const TransportCredentials& credentials, const std::string& listen,
      const std::string& other)
      : neighbours_(site_neighbours(federation, site)),
        links_(link_specs(federation, neighbours_, kDimension), {.seconds = seconds_now}),
        columns_(kNodesEach) {
    std::iota(columns_.begin(), columns_.end(), 0);
    TransportOptions options;
    options.site = federation.sites[site].name;
    options.federation = federation.name;
    options.digest = "bench";
    options.listen = listen;
    options.addresses = {other};
    options.credentials = credentials;
    auto started = Transport::start(std::move(options), links_);
    if (!started) std::exit(EXIT_FAILURE);
    transport_ = *std::move(started);
  }

  [[nodiscard]] int port() const { return transport_->port(); }
  void send(std::uint64_t round) { links_.send(0, parameters_message(round, neighbours_[0].ours, w_, columns_)); }
  void receive(std::uint64_t round) {
    if (!links_.receive(0, {MessageKind::kParameters, round}, kPatience)) std::exit(EXIT_FAILURE);
  }

 private:
  const Matrix w_ = Matrix::Ones(kDimension, kNodesEach);
  std::vector<SiteNeighbour> neighbours_;
  SiteLinks links_;
  std::vector<Index> columns_;
  std::unique_ptr<Transport> transport_;
};

int answer(const Federation& federation, const TransportCredentials& credentials, std::uint64_t rounds, int pipe) {
  End end(federation, 1, credentials, "127.0.0.1:0", "");
  const int port = end.port();
  if (::write(pipe, &port, sizeof(port)) != sizeof(port)) return EXIT_FAILURE;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    end.receive(round);
    end.send(round);
  }
  char done = 0;  // the caller has the last answer once it closes its end
  return ::read(pipe, &done, 1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int call(const Federation& federation, const TransportCredentials& credentials, std::uint64_t rounds, int pipe) {
  int port = 0;
  if (::read(pipe, &port, sizeof(port)) != sizeof(port)) return EXIT_FAILURE;
  End end(federation, 0, credentials, "", fmt::format("127.0.0.1:{}", port));
  std::vector<double> times;
  times.reserve(rounds);
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    const double start = seconds_now();
    end.send(round);
    end.receive(round);
    if (round > kWarmUp) times.push_back(seconds_now() - start);
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  fmt::print("{:.6g}\n", times[times.size() / 2]);
  return EXIT_SUCCESS;
}

int run(std::uint64_t rounds) {
  const Federation federation = two_sites();
  const std::vector<TransportCredentials> credentials = make_credentials(federation);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return EXIT_FAILURE;
  const pid_t child = ::fork();  // gRPC has not been touched yet
  if (child < 0) return EXIT_FAILURE;
  if (child == 0) {
    ::close(ends[0]);
    return answer(federation, credentials[1], rounds, ends[1]);
  }
  ::close(ends[1]);
  const int code = call(federation, credentials[0], rounds, ends[0]);
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return code;
}

}  // namespace
}  // namespace gtvmin

int main(int argc, char** argv) {
  const std::uint64_t rounds = argc == 2 ? std::strtoull(argv[1], nullptr, 10) : 0;
  if (rounds <= gtvmin::kWarmUp) return EXIT_FAILURE;
  return gtvmin::run(rounds + gtvmin::kWarmUp);
}
