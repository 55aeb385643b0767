#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <atomic>

#include "test_sites.h"

namespace gtvmin {
namespace {

/// Carries one connection after the other to a port, both ways together so many bytes a second.
class SlowLine {
 public:
  SlowLine(int to, double rate) : to_(to), rate_(rate), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place = loopback(0);
    socklen_t size = sizeof(place);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&place), size), 0);
    EXPECT_EQ(::listen(listener_, 4), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&place), &size), 0);
    port_ = ntohs(place.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  SlowLine(const SlowLine&) = delete;
  SlowLine& operator=(const SlowLine&) = delete;
  ~SlowLine() {
    over_ = true;
    thread_.join();
    ::close(listener_);
  }
  [[nodiscard]] std::string address() const { return fmt::format("127.0.0.1:{}", port_); }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return place;
  }

  void run() {
    while (!over_) {
      pollfd waiting{.fd = listener_, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 20) <= 0) continue;
      const int caller = ::accept(listener_, nullptr, nullptr);
      const int called = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_in place = loopback(to_);
      if (::connect(called, reinterpret_cast<const sockaddr*>(&place), sizeof(place)) == 0) carry(caller, called);
      ::close(caller);
      ::close(called);
    }
  }

  void carry(int caller, int called) {
    std::array<pollfd, 2> ends{pollfd{caller, POLLIN, 0}, pollfd{called, POLLIN, 0}};
    std::array<char, 2048> bytes{};
    while (!over_) {
      ::poll(ends.data(), ends.size(), 20);
      for (std::size_t k = 0; k < ends.size(); ++k) {
        if (ends[k].revents == 0) continue;
        const ssize_t size = ::recv(ends[k].fd, bytes.data(), bytes.size(), 0);
        if (size <= 0) return;
        std::this_thread::sleep_for(std::chrono::duration<double>(static_cast<double>(size) / rate_));
        if (::send(ends[1 - k].fd, bytes.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) != size) return;
      }
    }
  }

  int to_;
  double rate_;
  int listener_;
  int port_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

TEST(SlowLine, BringsAMessageThatTakesLongerThanSilenceIsBorne) {
  constexpr Index kDimension = 25'000;  // 200 kB
  const Federation federation = test_federation(2, 1, {{0, 1, 1.0}});
  const TestAuthority authority(federation);
  const auto options = [&](SiteId site) {
    TransportOptions made;
    made.site = federation.sites[site].name;
    made.federation = federation.name;
    made.digest = "digest";
    made.addresses = {""};
    made.credentials = authority.credentials(site);
    made.heartbeat = 0.3;
    made.silence = 1.5;
    return made;
  };
  SiteLinks near(link_specs(federation, site_neighbours(federation, 0), kDimension), {.seconds = test_seconds});
  SiteLinks far(link_specs(federation, site_neighbours(federation, 1), kDimension), {.seconds = test_seconds});
  TransportOptions called = options(0);
  called.listen = "127.0.0.1:0";
  const auto listening = Transport::start(std::move(called), near);
  ASSERT_TRUE(listening.ok());
  const SlowLine line((*listening)->port(), 60e3);
  TransportOptions dialling = options(1);
  dialling.addresses = {line.address()};
  const auto dialled = Transport::start(std::move(dialling), far);
  ASSERT_TRUE(dialled.ok());

  const std::vector<NodeId> nodes = {1};
  const std::vector<Index> columns = {0};
  const std::string message = parameters_message(1, nodes, Matrix::Random(kDimension, 1), columns);
  far.send(0, message);
  EXPECT_EQ(near.receive(0, {MessageKind::kParameters, 1}, 60), message);
  EXPECT_EQ(near.reports()[0].connections, 1);
}

}  // namespace
}  // namespace gtvmin
