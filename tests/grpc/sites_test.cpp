#include <gtest/gtest.h>

#include <thread>

#include "gtvmin/solver/solver.h"
#include "test_sites.h"
#include "testing/random_problems.h"

#ifdef __SANITIZE_THREAD__
// These libraries are not instrumented: what they share between their threads looks like races.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libgrpc.so\ncalled_from_lib:libgrpc++.so\ncalled_from_lib:libgpr.so\n"
         "called_from_lib:libprotobuf.so\ncalled_from_lib:libcrypto.so\ncalled_from_lib:libssl.so\n";
}
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }
#endif

namespace gtvmin {
namespace {

constexpr SiteId kSites = 4;
constexpr NodeId kNodesEach = 6;
const RandomProblem kShape{.nodes = kSites * kNodesEach, .extra_edges = 30};
const SolverOptions kOptions{.tolerance = 1e-6, .max_iterations = 400, .accelerators = Accelerators::none()};

std::vector<WeightedEdge> edges_of(const Problem& problem) {
  std::vector<WeightedEdge> edges;
  const EmpiricalGraph& graph = problem.graph();
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    edges.push_back({std::min(graph.head(e), graph.tail(e)), std::max(graph.head(e), graph.tail(e)), graph.weight(e)});
  }
  return edges;
}

/// The run of one site, from connecting to the end; the columns of its nodes go to w.
void run_site(const Federation& federation, SiteId site, const TransportCredentials& credentials,
              const std::vector<std::string>& addresses, Matrix& w, std::mutex& mutex) {
  const Problem problem = random_problem(3, kShape, [&](NodeId i) { return federation.owner[i] == site; });
  Shard shard(problem, federation.sites[site].nodes);
  const std::vector<SiteNeighbour> neighbours = site_neighbours(federation, site);
  SiteLinks links(link_specs(federation, neighbours, problem.dimension()), {.seconds = test_seconds});
  TransportOptions options;
  options.site = federation.sites[site].name;
  options.federation = federation.name;
  options.digest = "digest";
  options.listen = addresses[site];
  options.credentials = credentials;
  for (const SiteNeighbour& neighbour : neighbours) options.addresses.push_back(addresses[neighbour.site]);
  auto transport = Transport::start(std::move(options), links);
  ASSERT_TRUE(transport.ok()) << transport.error().messages.front();
  SiteExchange exchange(shard, neighbours, links, {});
  const auto result = solve(problem, {&shard, 1}, exchange, kOptions);
  ASSERT_TRUE(result.ok());
  links.finish();
  EXPECT_TRUE(links.wait_until_covered(20));
  const std::lock_guard lock(mutex);
  for (Index i = 0; i < shard.owned(); ++i) w.col(shard.nodes[i]) = shard.w.col(i);
}

TEST(Sites, ThatTalkOverTlsGiveTheBitsOfOneProcess) {
  const Problem whole = random_problem(3, kShape);
  const SolveResult alone = solve(whole, kOptions);
  const Federation federation = test_federation(kSites, kNodesEach, edges_of(whole));
  const TestAuthority authority(federation);
  std::vector<std::string> addresses;
  for (SiteId s = 0; s < kSites; ++s) addresses.push_back(free_address());
  addresses.back().clear();  // it only dials
  Matrix w = Matrix::Zero(whole.dimension(), whole.nodes());
  std::mutex mutex;
  std::vector<std::thread> threads;
  for (SiteId s = 0; s < kSites; ++s) {
    threads.emplace_back(
        [&, s, credentials = authority.credentials(s)] { run_site(federation, s, credentials, addresses, w, mutex); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(w, alone.w);
}

}  // namespace
}  // namespace gtvmin
