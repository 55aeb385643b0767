#include "gtvmin/grpc/transport.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <chrono>
#include <utility>

#include "credentials.h"
#include "library_log.h"
#include "reactors.h"
#include "switchboard.h"

namespace gtvmin {
namespace {

/// gRPC looks at the size of a frame once it has all of it. What frames may take before then is bounded by these;
/// streams are ended when it is more. Dialled streams have a room of their own, so that no caller can take it.
constexpr std::size_t kRoomOfCallers = std::size_t{64} << 20;
constexpr std::size_t kRoomPerLink = std::size_t{4} << 20;
constexpr std::size_t kRoomOfDialled = std::size_t{16} << 20;

constexpr double kRenewalPause = 2;  // seconds between two attempts to listen

std::string with_port(const std::string& address, int port) {
  return fmt::format("{}:{}", address.substr(0, address.rfind(':')), port);
}

/// Without certificates nothing may leave the machine.
Status check_loopback(const TransportOptions& options) {
  std::vector<std::string> addresses = options.addresses;
  addresses.push_back(options.listen);
  for (const std::string& address : addresses) {
    if (options.credentials || address.empty() || is_loopback(address)) continue;
    return usage_error(fmt::format("{}: without certificates only loopback addresses are allowed", address));
  }
  return Unit{};
}

class GrpcTransport final : public Transport, private wire::Peer::CallbackService {
 public:
  GrpcTransport(TransportOptions options, SiteLinks& links)
      : options_(std::move(options)), board_(board_options(), links) {}

  Status begin() {
    route_library_log(options_.log, [&links = board_.links()] { return links.seconds(); });
    if (!options_.listen.empty()) {
      if (Status listening = listen(); !listening) return listening;
    }
    board_.begin();
    return Unit{};
  }

  ~GrpcTransport() override {
    if (!board_.end(2)) static_cast<void>(board_.hang_up_all(1));
    if (server_) server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
    static_cast<void>(board_.hang_up_all(5));
    route_library_log({}, {});
  }

  [[nodiscard]] int port() const override { return port_; }

 private:
  Switchboard::Options board_options() {
    Switchboard::Options board;
    board.site = options_.site;
    board.digest = options_.digest;
    board.can_be_called = !options_.listen.empty();
    for (const std::string& address : options_.addresses) board.can_be_dialled.push_back(!address.empty());
    board.heartbeat = options_.heartbeat;
    board.silence = options_.silence;
    board.longest_backoff = options_.longest_backoff;
    board.log = options_.log;
    board.dial = [this](std::size_t link) { return dial(link); };
    board.look_after = [this] { renew_listener(); };
    return board;
  }

  Status listen() {
    int port = 0;
    grpc::ServerBuilder builder;
    grpc::ResourceQuota quota("callers");
    quota.Resize(kRoomOfCallers + kRoomPerLink * options_.addresses.size()).SetMaxThreads(16);
    builder.SetResourceQuota(quota);
    builder.SetMaxReceiveMessageSize(kLargestFrame);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10'000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 30'000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 8);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
    builder.AddListeningPort(port_ == 0 ? options_.listen : with_port(options_.listen, port_),
                             server_credentials(options_.credentials), &port);
    builder.RegisterService(static_cast<wire::Peer::CallbackService*>(this));
    failed_accepts_ = failed_accepts();
    server_ = builder.BuildAndStart();
    if (server_ && port != 0) {
      if (port_ == 0) port_ = port;
      return Unit{};
    }
    server_.reset();
    return runtime_failure(
        fmt::format("cannot listen on {}: is the address this machine's, and free?", options_.listen));
  }

  /// gRPC listens no more once it was out of descriptors. The streams that go down with the old listener are dialled
  /// again.
  void renew_listener() {
    if (options_.listen.empty() || board_.seconds() < renew_at_) return;
    if (server_ && failed_accepts_ == failed_accepts()) return;
    renew_at_ = board_.seconds() + kRenewalPause;
    if (server_) server_->Shutdown(std::chrono::system_clock::now());
    server_.reset();
    const Status listening = listen();
    if (options_.log) options_.log(listening ? "listening again" : listening.error().messages.front());
  }

  std::shared_ptr<Stream> dial(std::size_t link) {
    const std::string& address = options_.addresses[link];
    grpc::ChannelArguments arguments =
        channel_arguments(certificate_name(board_.links().site(link), options_.federation));
    grpc::ResourceQuota quota("dialled");
    quota.Resize(kRoomOfDialled);
    arguments.SetResourceQuota(quota);
    const auto channel = grpc::CreateCustomChannel(address, channel_credentials(options_.credentials), arguments);
    return DialledStream::dial(board_, link, channel, address);
  }

  grpc::ServerBidiReactor<wire::Frame, wire::Frame>* Converse(grpc::CallbackServerContext* context) override {
    std::shared_ptr<Stream> stream;
    auto* const reactor =
        AcceptedStream::accept(board_, *context, options_.credentials.has_value(), options_.federation, stream);
    board_.add_stranger(stream);
    return reactor;
  }

  grpc::ServerUnaryReactor* Report(grpc::CallbackServerContext* context, const wire::ReportRequest* /*request*/,
                                   wire::SiteReport* reply) override {
    const SiteProgress progress = options_.progress ? options_.progress() : SiteProgress{};
    reply->set_site(options_.site);
    reply->set_federation(options_.federation);
    reply->set_state(progress.state);
    reply->set_iteration(progress.iteration);
    if (progress.objective) reply->set_objective(*progress.objective);
    if (progress.relative_gap) reply->set_relative_gap(*progress.relative_gap);
    if (progress.proved_gap) reply->set_proved_gap(*progress.proved_gap);
    reply->set_seconds(progress.seconds);
    const double now = board_.seconds();
    for (const LinkReport& report : board_.links().reports()) {
      wire::NeighbourReport& link = *reply->add_neighbours();
      link.set_site(report.site);
      link.set_connected(report.connected);
      link.set_finished(report.finished);
      link.set_seconds(now - report.changed_at);
      link.set_waiting(report.waiting_since > 0);
      link.set_waiting_seconds(report.waiting_since > 0 ? now - report.waiting_since : 0);
      link.set_last_problem(report.last_problem);
      link.set_bytes_sent(report.bytes_sent);
      link.set_bytes_received(report.bytes_received);
      link.set_kept_messages(report.kept_messages);
      link.set_abandoned(report.abandoned);
      link.set_repeats(report.repeats);
    }
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  TransportOptions options_;
  Switchboard board_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::uint64_t failed_accepts_ = 0;  // of this process before the server was built
  double renew_at_ = 0;
};

}  // namespace

Result<std::unique_ptr<Transport>> Transport::start(TransportOptions options, SiteLinks& links) {
  if (const Status local = check_loopback(options); !local) return local.error();
  auto transport = std::make_unique<GrpcTransport>(std::move(options), links);
  if (const Status begun = transport->begin(); !begun) return begun.error();
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace gtvmin
