#include "gtvmin/runtime/checkpoint.h"

#include <gtest/gtest.h>

#include "gtvmin/runtime/cluster_solve.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

Checkpoint made_up_checkpoint() {
  Rng rng(1);
  Checkpoint checkpoint;
  checkpoint.problem = "abc";
  checkpoint.state.progress.iteration = 40;
  checkpoint.state.progress.objective = 0.1;
  checkpoint.state.weight = PrimalWeight({.omega = 3, .window_end = 41, .changes = 1});
  checkpoint.state.inner_scale = 1e-5;
  checkpoint.state.trace.resize(3);
  checkpoint.state.trace[2].relative = 1e-3;
  checkpoint.w = random_matrix(rng, 2, 5);
  checkpoint.u = random_matrix(rng, 2, 7);
  checkpoint.w_window = random_matrix(rng, 2, 5);
  checkpoint.u_window = random_matrix(rng, 2, 7);
  return checkpoint;
}

TEST(Checkpoint, IsTheSameAfterTheJourneyThroughBytes) {
  const Checkpoint checkpoint = made_up_checkpoint();
  const std::string bytes = pack(checkpoint);
  const Result<Checkpoint> back = unpack_checkpoint(bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->w, checkpoint.w);
  EXPECT_EQ(back->u, checkpoint.u);
  EXPECT_EQ(pack(*back), bytes);
}

TEST(Checkpoint, NoticesEveryKindOfDamage) {
  const std::string bytes = pack(made_up_checkpoint());
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(unpack_checkpoint(std::string_view(bytes).substr(0, length)).ok()) << length;
  }
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x41);
    EXPECT_FALSE(unpack_checkpoint(damaged).ok()) << at;
  }
  EXPECT_FALSE(unpack_checkpoint(bytes + "x").ok());
}

TEST(SolveOn, GoesOnFromEveryStoredStateToTheSameBits) {
  const Problem problem = random_problem(9, {.nodes = 30, .extra_edges = 30});
  const SolverOptions options{.tolerance = 1e-7, .accelerators = Accelerators::none()};
  const Owners owners(problem.nodes(), 0);
  SoloCluster cluster;
  std::vector<std::string> stored;
  const Checkpointing saving{.problem = "this one", .every = 15, .store = [&](const std::string& bytes) -> Status {
                               stored.push_back(bytes);
                               return Unit{};
                             }};
  const Result<SolveResult> undisturbed = solve_on(cluster, problem, owners, options, saving);
  ASSERT_TRUE(undisturbed.ok());
  const SolveResult alone = solve(problem, options);
  EXPECT_EQ(undisturbed->w, alone.w);
  EXPECT_EQ(undisturbed->certificate.node_terms, alone.certificate.node_terms);
  EXPECT_EQ(undisturbed->certificate.edge_terms, alone.certificate.edge_terms);
  EXPECT_EQ(undisturbed->clusters.group_of, alone.clusters.group_of);
  ASSERT_GT(stored.size(), 2U);
  for (const std::string& bytes : stored) {
    const Result<SolveResult> resumed =
        solve_on(cluster, problem, owners, options, {.problem = "this one", .stored = bytes});
    ASSERT_TRUE(resumed.ok());
    EXPECT_EQ(resumed->w, alone.w);
    EXPECT_EQ(resumed->u, alone.u);
    EXPECT_EQ(resumed->trace.size(), alone.trace.size());
  }
  EXPECT_FALSE(solve_on(cluster, problem, owners, options, {.problem = "another", .stored = stored[0]}).ok());
  const Checkpointing full{.problem = "this one", .every = 15, .store = [](const std::string&) -> Status {
                             return runtime_failure("the disk is full");
                           }};
  const Result<SolveResult> stopped = solve_on(cluster, problem, owners, options, full);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().messages.front(), "the disk is full");
}

}  // namespace
}  // namespace gtvmin
