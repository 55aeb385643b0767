#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <limits>

#include "peer.grpc.pb.h"
#include "test_sites.h"

// One site under attack, s0, and its neighbour s1, which is played by whoever calls. Whatever comes is refused with a
// line in the log that says why, and afterwards the true s1 is served as if nothing had happened.
namespace gtvmin {
namespace {

constexpr const char* kDigest = "digest";

class HostileTest : public ::testing::Test {
 protected:
  HostileTest() {
    links_ = std::make_unique<SiteLinks>(link_specs(federation_, site_neighbours(federation_, 0), 2),
                                         SiteLinks::Options{.seconds = test_seconds});
    TransportOptions options;
    options.site = "s0";
    options.federation = federation_.name;
    options.digest = kDigest;
    options.listen = "127.0.0.1:0";
    options.addresses = {""};
    options.credentials = authority_.credentials(0);
    options.silence = 2;
    options.log = [this](const std::string& line) { log_.add(line); };
    auto started = Transport::start(std::move(options), *links_);
    EXPECT_TRUE(started.ok());
    transport_ = *std::move(started);
  }
  ~HostileTest() override { transport_.reset(); }

  [[nodiscard]] std::string address() const { return fmt::format("127.0.0.1:{}", transport_->port()); }

  [[nodiscard]] std::unique_ptr<wire::Peer::Stub> stub(const TransportCredentials& shown) const {
    grpc::SslCredentialsOptions options{authority_.certificate(), shown.key, shown.certificate};
    grpc::ChannelArguments arguments;
    arguments.SetSslTargetNameOverride("s0.trial");
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return wire::Peer::NewStub(grpc::CreateCustomChannel(address(), grpc::SslCredentials(options), arguments));
  }

  static wire::Frame hello(const std::string& site = "s1") {
    wire::Frame frame;
    frame.mutable_hello()->set_protocol(2);
    frame.mutable_hello()->set_federation(kDigest);
    frame.mutable_hello()->set_site(site);
    return frame;
  }
  static wire::Frame data(std::uint64_t number, std::string bytes) {
    wire::Frame frame;
    frame.mutable_data()->set_number(number);
    frame.mutable_data()->set_chunks(1);
    frame.mutable_data()->set_bytes(std::move(bytes));
    return frame;
  }
  static std::string parameters(std::uint64_t iteration, const Matrix& w = Matrix::Ones(2, 1), NodeId node = 1) {
    const std::vector<NodeId> nodes = {node};
    const std::vector<Index> columns = {0};
    return parameters_message(iteration, nodes, w, columns);
  }

  /// Says all that and listens until the other side hangs up; its reason.
  std::string converse(const std::vector<wire::Frame>& frames, const TransportCredentials& shown) {
    const auto peer = stub(shown);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto stream = peer->Converse(&context);
    for (const wire::Frame& frame : frames) {
      if (!stream->Write(frame)) break;
    }
    wire::Frame answer;
    while (stream->Read(&answer)) {
    }
    return stream->Finish().error_message();
  }

  void expect_refused(const std::vector<wire::Frame>& frames, const std::string& reason) {
    EXPECT_NE(converse(frames, true_neighbour_), "");
    EXPECT_TRUE(eventually([&] { return log_.says(reason); })) << reason << "\n" << log_.all();
    expect_still_served();
  }

  /// The true neighbour says what is due, and the site gets it.
  void expect_still_served() {
    const auto peer = stub(true_neighbour_);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    const auto stream = peer->Converse(&context);
    EXPECT_TRUE(stream->Write(hello()));
    wire::Frame answer;
    ASSERT_TRUE(stream->Read(&answer));
    EXPECT_EQ(answer.hello().site(), "s0");
    EXPECT_EQ(answer.hello().next(), next_);
    EXPECT_TRUE(stream->Write(data(next_, parameters(next_ + 1))));
    EXPECT_TRUE(links_->receive(0, {MessageKind::kParameters, next_ + 1}, 20).has_value()) << log_.all();
    ++next_;
    stream->WritesDone();
    while (stream->Read(&answer)) {
    }
    static_cast<void>(stream->Finish());
    EXPECT_TRUE(eventually([&] { return !links_->reports()[0].connected; }));
  }

  const Federation federation_ = test_federation(3, 1, {{0, 1, 1.0}, {1, 2, 1.0}});
  const TestAuthority authority_{federation_};
  const TransportCredentials true_neighbour_ = authority_.credentials(1);
  TestLog log_;
  std::unique_ptr<SiteLinks> links_;
  std::unique_ptr<Transport> transport_;
  std::uint64_t next_ = 0;
};

TEST_F(HostileTest, MessagesThatAreNotWhatIsDueAreRefused) {
  expect_still_served();
  expect_refused({hello(), data(1, parameters(1))}, "received iteration 1, expected 2");
  expect_refused({hello(), data(2, parameters(1'000'000))}, "received iteration 1000000, expected 3");
  expect_refused({hello(), data(1'000'000, parameters(4))}, "received message 1000000, expected 3");
  expect_refused({hello(), data(4, parameters(5, Matrix::Ones(3, 1)))}, "dimension 3 instead of 2");
  expect_refused({hello(), data(5, parameters(6, Matrix::Ones(2, 1), 2))}, "node 2");
  Matrix not_finite = Matrix::Ones(2, 1);
  not_finite(0, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_refused({hello(), data(6, parameters(7, not_finite))}, "not finite");
  expect_refused({hello(), data(7, "garbage")}, "truncated");
  expect_refused({hello(), data(8, std::string(30'000, 'x'))}, "exceeds the limit");
  wire::Frame chunk = data(9, "x");
  chunk.mutable_data()->set_chunk(3);
  chunk.mutable_data()->set_chunks(1000);
  expect_refused({hello(), chunk}, "chunk 3");
}

TEST_F(HostileTest, ReplayedMessagesAreIgnored) {
  expect_still_served();
  expect_still_served();
  const auto peer = stub(true_neighbour_);
  grpc::ClientContext context;
  const auto stream = peer->Converse(&context);
  ASSERT_TRUE(stream->Write(hello()));
  for (std::uint64_t k = 0; k < 3; ++k) ASSERT_TRUE(stream->Write(data(k, parameters(k + 1))));
  EXPECT_TRUE(links_->receive(0, {MessageKind::kParameters, 3}, 20).has_value());
  EXPECT_EQ(links_->reports()[0].repeats, 2);
  EXPECT_TRUE(log_.says("s1: duplicate message 0 is ignored"));
  context.TryCancel();
}

TEST_F(HostileTest, WhoIsNotTheNeighbourItClaimsToBeIsRefused) {
  const auto refused = [&](const TransportCredentials& shown, const wire::Frame& first, const std::string& reason) {
    EXPECT_THAT(converse({first}, shown), ::testing::HasSubstr(reason));
    EXPECT_TRUE(eventually([&] { return log_.says(reason); })) << reason << "\n" << log_.all();
  };
  refused(authority_.credentials(2), hello("s1"), "it says that it is 's1', but its certificate is for 's2.trial'");
  refused(authority_.credentials(2), hello("s2"), "'s2' is not a neighbour of this site");
  wire::Frame other = hello();
  other.mutable_hello()->set_federation("another");
  refused(true_neighbour_, other, "another federation file");
  wire::Frame old = hello();
  old.mutable_hello()->set_protocol(9);
  refused(true_neighbour_, old, "it uses protocol version 9, not 2");
  refused(true_neighbour_, data(0, parameters(1)), "the first frame is not a hello");
  for (int k = 0; k < 5; ++k) EXPECT_NE(converse({data(0, parameters(1))}, true_neighbour_), "");
  EXPECT_EQ(log_.count("the first frame is not a hello"), 1) << "said often, told once\n" << log_.all();
  expect_still_served();
}

TEST_F(HostileTest, CertificatesOfOthersAndExpiredOnesAreRefusedByTls) {
  const TestAuthority impostor(federation_);
  EXPECT_NE(converse({hello()}, impostor.credentials(1)), "");
  const std::string refused = "a caller was refused in the handshake: its certificate is not valid here: ";
  EXPECT_TRUE(eventually([&] {
    return log_.says(refused + "self-signed certificate in certificate chain") ||
           log_.says(refused + "unable to get local issuer certificate") ||
           log_.says(refused + "certificate signature failure");
  })) << log_.all();
  EXPECT_NE(converse({hello()}, authority_.credentials(1, -5, -1)), "");
  EXPECT_TRUE(eventually([&] { return log_.says(refused + "certificate has expired"); })) << log_.all();
  EXPECT_EQ(links_->reports()[0].connections, 0);
  expect_still_served();
}

TEST_F(HostileTest, NamesThatAreNoTextAreRefusedAndFillNoLog) {
  testing::internal::CaptureStderr();
  for (int k = 0; k < 5; ++k) (void)converse({hello("\xff\xfe")}, true_neighbour_);  // ends without words
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(log_.count("'gtvmin.wire.Hello.site' contains invalid UTF-8 data when parsing"), 1) << log_.all();
  expect_still_served();
}

TEST_F(HostileTest, ASiteThatHasSaidItsNameIsCalledByIt) {
  EXPECT_THAT(converse({hello(), data(5, parameters(6))}, true_neighbour_), ::testing::HasSubstr("expected"));
  EXPECT_TRUE(eventually([&] { return log_.says("s1, caller ipv4:127.0.0.1:"); })) << log_.all();
}

TEST(Loopback, IsWhatCannotLeaveTheMachine) {
  for (const char* address : {"127.0.0.1:1", "127.9.8.7:1", "[::1]:1", "localhost:1"}) {
    EXPECT_TRUE(is_loopback(address)) << address;
  }
  for (const char* address : {"127.evil.example:1", "127.0.0.1.evil.example:1", "127.0.0:1", "10.0.0.1:1", "[::]:1",
                              "localhost.example:1", "128.0.0.1:1"}) {
    EXPECT_FALSE(is_loopback(address)) << address;
  }
}

TEST_F(HostileTest, HugeFramesAreRefused) {
  EXPECT_THAT(converse({hello(), data(0, std::string(std::size_t{24} << 20, 'x'))}, true_neighbour_),
              ::testing::HasSubstr("larger than max"));
  EXPECT_TRUE(eventually([&] { return log_.says("a frame of more than"); })) << log_.all();
  EXPECT_TRUE(eventually([&] { return !links_->reports()[0].connected; }));
  expect_still_served();
}

TEST_F(HostileTest, AThousandIdleConnectionsAndGarbageDoNoHarm) {
  std::vector<int> sockets;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(transport_->port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  for (int k = 0; k < 1000; ++k) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_GE(fd, 0);
    if (::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0 && k % 2 == 0) {
      const std::string garbage(100, static_cast<char>(k));
      static_cast<void>(!::write(fd, garbage.data(), garbage.size()));
    }
    sockets.push_back(fd);
  }
  expect_still_served();
  EXPECT_TRUE(eventually([&] { return log_.says("andshak"); })) << log_.all();
  for (const int fd : sockets) ::close(fd);
  expect_still_served();
}

TEST_F(HostileTest, WhoSaysNothingIsHungUpOn) {
  EXPECT_THAT(converse({}, true_neighbour_), ::testing::HasSubstr("nothing received for 2 s"));
  EXPECT_TRUE(eventually([&] { return log_.says("nothing received for 2 s"); })) << log_.all();
  expect_still_served();
}

}  // namespace
}  // namespace gtvmin
