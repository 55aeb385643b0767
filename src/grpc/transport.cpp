#include "gtvmin/grpc/transport.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "credentials.h"
#include "reactors.h"

namespace gtvmin {
namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr double kFirstBackoff = 0.1;
/// Streams of callers who have not said who they are.
constexpr std::size_t kMostStrangers = 32;

std::mutex log_mutex;
std::function<void(const std::string&)> library_log;  // NOLINT(cert-err58-cpp): gRPC has one log for all

/// gRPC knows why a handshake failed and tells nobody but its own log.
void take_library_line(gpr_log_func_args* line) {
  const std::string_view file(line->file);
  const bool handshake = file.ends_with("chttp2_server.cc") || file.ends_with("ssl_transport_security.cc");
  if (line->severity != GPR_LOG_SEVERITY_ERROR && !handshake) return;
  const std::lock_guard lock(log_mutex);
  if (library_log) library_log(fmt::format("gRPC: {}", line->message));
}

void route_library_log(std::function<void(const std::string&)> log) {
  const std::lock_guard lock(log_mutex);
  library_log = std::move(log);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
  gpr_set_log_function(take_library_line);
}

class GrpcTransport final : public Transport, private Switchboard, private wire::Peer::CallbackService {
 public:
  GrpcTransport(TransportOptions options, SiteLinks& links)
      : options_(std::move(options)),
        links_(links),
        incarnation_((std::uint64_t{std::random_device{}()} << 32) + std::random_device{}()),
        random_(static_cast<std::uint32_t>(std::random_device{}())),
        lines_(links.size()) {}

  Status begin() {
    if (!options_.credentials) {
      if (!options_.listen.empty() && !is_loopback(options_.listen)) {
        return usage_error(
            fmt::format("{}: without certificates only loopback addresses are allowed", options_.listen));
      }
      for (const std::string& address : options_.addresses) {
        if (!address.empty() && !is_loopback(address)) {
          return usage_error(fmt::format("{}: without certificates only loopback addresses are allowed", address));
        }
      }
    }
    route_library_log(options_.log);
    if (!options_.listen.empty()) {
      if (Status listening = listen(); !listening) return listening;
    }
    const double now = seconds();
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      // The side with the smaller name dials at once; the other one, if it can be called, only where that does not
      // help.
      lines_[k].dial_at = options_.listen.empty() || options_.site < links_.site(k) ? now : now + 1;
    }
    links_.set_wake([this](std::size_t link) { wake(link); });
    timer_ = std::thread([this] { keep_watch(); });
    return Unit{};
  }

  ~GrpcTransport() override {
    links_.set_wake({});
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    if (timer_.joinable()) timer_.join();
    for (const auto& stream : all_streams()) stream->close();
    if (!wait_for_streams(2)) {
      for (const auto& stream : all_streams()) stream->hang_up("this site ends");
    }
    if (server_) server_->Shutdown(std::chrono::system_clock::now() + std::chrono::seconds(1));
    static_cast<void>(wait_for_streams(5));
    route_library_log({});
  }

  [[nodiscard]] int port() const override { return port_; }

 private:
  /// What this site does about one neighbour.
  struct Line {
    std::shared_ptr<Stream> active;
    std::shared_ptr<Stream> dialling;
    double dial_at = 0;
    double backoff = kFirstBackoff;
    double active_since = 0;
    std::string last_logged;
  };

  Status listen() {
    grpc::ServerBuilder builder;
    grpc::ResourceQuota quota("gtvmin agent");
    quota.Resize(std::size_t{256} << 20).SetMaxThreads(16);
    builder.SetResourceQuota(quota);
    builder.SetMaxReceiveMessageSize(kLargestFrame);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, 10'000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 30'000);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, 8);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
    builder.AddListeningPort(options_.listen, server_credentials(options_.credentials), &port_);
    builder.RegisterService(static_cast<wire::Peer::CallbackService*>(this));
    server_ = builder.BuildAndStart();
    if (!server_ || port_ == 0) {
      return runtime_failure(
          fmt::format("cannot listen on {}: is the address this machine's, and free?", options_.listen));
    }
    return Unit{};
  }

  // The service.

  grpc::ServerBidiReactor<wire::Frame, wire::Frame>* Converse(grpc::CallbackServerContext* context) override {
    std::shared_ptr<Stream> stream;
    auto* const reactor =
        AcceptedStream::accept(*this, *context, options_.credentials.has_value(), options_.federation, stream);
    bool too_many = false;
    {
      const std::lock_guard lock(mutex_);
      too_many = stopping_ || strangers_.size() >= kMostStrangers;
      strangers_.push_back(stream);
    }
    if (too_many) stream->hang_up(fmt::format("more than {} callers have not said who they are", kMostStrangers));
    return reactor;
  }

  grpc::ServerUnaryReactor* Report(grpc::CallbackServerContext* context, const wire::ReportRequest* /*request*/,
                                   wire::SiteReport* reply) override {
    const SiteProgress progress = options_.progress ? options_.progress() : SiteProgress{};
    reply->set_site(options_.site);
    reply->set_federation(options_.federation);
    reply->set_state(progress.state);
    reply->set_iteration(progress.iteration);
    reply->set_objective(progress.objective);
    reply->set_relative_gap(progress.relative_gap);
    reply->set_seconds(progress.seconds);
    const double now = seconds();
    for (const LinkReport& report : links_.reports()) {
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
    }
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  // The switchboard.

  [[nodiscard]] SiteLinks& links() override { return links_; }
  [[nodiscard]] const std::string& site() const override { return options_.site; }
  [[nodiscard]] const std::string& digest() const override { return options_.digest; }
  [[nodiscard]] std::uint64_t incarnation() const override { return incarnation_; }
  [[nodiscard]] double seconds() const override { return links_.seconds(); }

  /// Streams of a pair that both have dialled compete; both sides keep the one that the smaller name has dialled, and
  /// of two with the same origin the newer one.
  [[nodiscard]] bool is_preferred(const Stream& stream, std::size_t link) const {
    return stream.dialled_here() == (options_.site < links_.site(link));
  }

  Status adopt(const std::shared_ptr<Stream>& stream, std::size_t link, std::uint64_t incarnation) override {
    std::shared_ptr<Stream> replaced;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return runtime_failure("this site ends");
      Line& line = lines_[link];
      if (line.active && is_preferred(*line.active, link) && !is_preferred(*stream, link)) {
        return runtime_failure("there is a stream already that was dialled from the other side");
      }
      replaced = std::exchange(line.active, stream);
      line.active_since = seconds();
      std::erase(strangers_, stream);
      if (line.dialling == stream) line.dialling.reset();
      line.last_logged.clear();
    }
    links_.opened(link, incarnation);
    log(fmt::format("{}: connected ({})", links_.site(link), stream->dialled_here() ? "dialled here" : "called"));
    if (replaced) {
      replaced->hang_up("another stream has taken its place");
      const std::lock_guard lock(mutex_);
      buried_.push_back(std::move(replaced));
    }
    return Unit{};
  }

  void gone(std::shared_ptr<Stream> stream, const std::string& reason) override {
    bool was_active = false;
    bool is_new = true;
    const std::optional<std::size_t> link = stream->link();
    {
      const std::lock_guard lock(mutex_);
      std::erase(strangers_, stream);
      if (link) {
        Line& line = lines_[*link];
        was_active = line.active == stream;
        const bool was_dialling = line.dialling == stream;
        if (was_active) {
          line.active.reset();
          if (seconds() - line.active_since > 1) line.backoff = kFirstBackoff;
        }
        if (was_dialling) line.dialling.reset();
        if (was_active || was_dialling) schedule_dial(line);
        is_new = reason != std::exchange(line.last_logged, reason);
      }
    }
    if (was_active) {
      links_.closed(*link, reason);
    } else if (link) {
      links_.problem(*link, reason);
    }
    // A neighbour that is away for long is away for one reason; that it still is says the exchange.
    const bool expected = reason.empty() || (link && links_.over(*link));
    if (is_new && !expected) log(fmt::format("{}: {}", stream->peer(), reason));
    const std::lock_guard lock(mutex_);
    buried_.push_back(std::move(stream));
    changed_.notify_all();
  }

  void count_streams(int change) override {
    const std::lock_guard lock(mutex_);
    streams_ += change;
    changed_.notify_all();
  }

  /// With the lock held. Backoff with jitter, so that sites that lost each other do not dial in step.
  void schedule_dial(Line& line) {
    line.dial_at = seconds() + line.backoff * std::uniform_real_distribution<double>(0.5, 1.5)(random_);
    line.backoff = std::min(2 * line.backoff, options_.longest_backoff);
  }

  void wake(std::size_t link) {
    std::shared_ptr<Stream> stream;
    {
      const std::lock_guard lock(mutex_);
      stream = lines_[link].active;
    }
    if (stream) stream->pump();
  }

  void keep_watch() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      changed_.wait_for(lock, kTick, [&] { return stopping_; });
      if (stopping_) return;
      std::vector<std::size_t> due;
      for (std::size_t k = 0; k < lines_.size(); ++k) {
        const Line& line = lines_[k];
        const bool wanted = !line.active && !line.dialling && !options_.addresses[k].empty();
        if (wanted && seconds() >= line.dial_at) due.push_back(k);
      }
      lock.unlock();
      for (const std::size_t link : due) dial(link);
      for (const auto& stream : all_streams()) stream->watch(options_.heartbeat, options_.silence);
      bury();
      lock.lock();
    }
  }

  void dial(std::size_t link) {
    if (links_.over(link)) return;
    const std::string& address = options_.addresses[link];
    const auto channel =
        grpc::CreateCustomChannel(address, channel_credentials(options_.credentials),
                                  channel_arguments(certificate_name(links_.site(link), options_.federation)));
    const std::shared_ptr<Stream> stream = DialledStream::dial(*this, link, channel, address);
    const std::lock_guard lock(mutex_);
    Line& line = lines_[link];
    if (stream->is_over()) {
      schedule_dial(line);
    } else if (line.active != stream) {
      line.dialling = stream;
    }
  }

  [[nodiscard]] std::vector<std::shared_ptr<Stream>> all_streams() {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Stream>> streams = strangers_;
    for (const Line& line : lines_) {
      if (line.active) streams.push_back(line.active);
      if (line.dialling) streams.push_back(line.dialling);
    }
    return streams;
  }

  /// Destroys the streams that gRPC has forgotten.
  void bury() {
    std::vector<std::shared_ptr<Stream>> buried;
    const std::lock_guard lock(mutex_);
    buried.swap(buried_);
  }

  [[nodiscard]] bool wait_for_streams(double most) {
    const double end = seconds() + most;
    for (;;) {
      bury();
      std::unique_lock lock(mutex_);
      if (streams_ == 0) return true;
      if (seconds() > end) return false;
      changed_.wait_for(lock, kTick, [&] { return streams_ == 0 || !buried_.empty(); });
    }
  }

  void log(const std::string& line) const {
    if (options_.log) options_.log(line);
  }

  TransportOptions options_;
  SiteLinks& links_;
  std::uint64_t incarnation_;
  std::unique_ptr<grpc::Server> server_;
  int port_ = 0;
  std::thread timer_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::minstd_rand random_;
  std::vector<Line> lines_;
  std::vector<std::shared_ptr<Stream>> strangers_;
  std::vector<std::shared_ptr<Stream>> buried_;
  int streams_ = 0;
  bool stopping_ = false;
};

}  // namespace

Result<std::unique_ptr<Transport>> Transport::start(TransportOptions options, SiteLinks& links) {
  auto transport = std::make_unique<GrpcTransport>(std::move(options), links);
  if (const Status begun = transport->begin(); !begun) return begun.error();
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace gtvmin
