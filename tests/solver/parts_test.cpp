#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <utility>

#include "gtvmin/base/rng.h"
#include "gtvmin/solver/solver.h"
#include "gtvmin/solver/solver_state.h"
#include "testing/random_problems.h"

// Processes that each hold a part of the problem, played by threads that share nothing but what an exchange carries.
namespace gtvmin {
namespace {

/// What the parts share: everyone's parameters and sums, handed over between barriers.
struct Meeting {
  Meeting(int parts, Index d, NodeId nodes) : everyone(parts), w(d, nodes), sums(parts) {}
  std::barrier<> everyone;
  Matrix w;
  std::vector<SteeringSums> sums;
};

class MeetingExchange final : public Exchange {
 public:
  MeetingExchange(Meeting& meeting, int part) : meeting_(meeting), part_(part) {}

  [[nodiscard]] Status swap(std::span<Shard> shards) override {
    for (const Shard& shard : shards) {
      for (Index i = 0; i < shard.owned(); ++i) meeting_.w.col(shard.nodes[i]) = shard.w_next.col(i);
    }
    meeting_.everyone.arrive_and_wait();
    for (Shard& shard : shards) {
      for (Index i = shard.owned(); i < shard.local_nodes(); ++i) shard.w_next.col(i) = meeting_.w.col(shard.nodes[i]);
    }
    meeting_.everyone.arrive_and_wait();
    return Unit{};
  }
  [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override {
    EXPECT_EQ(parts.front()[SteeringSums::kAbsent], 0) << "exchanges count absences themselves";
    // As bytes, the way they travel.
    meeting_.sums[part_] = *unpack(pack(parts.front()));
    meeting_.everyone.arrive_and_wait();
    SteeringSums total;
    for (const auto& part : meeting_.sums) total.add(part);
    meeting_.everyone.arrive_and_wait();
    return total;
  }

 private:
  Meeting& meeting_;
  int part_;
};

using Owners = std::vector<int>;  // of every node, the part that holds it

std::vector<NodeId> nodes_of(const Owners& owners, int part) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i] == part) nodes.push_back(static_cast<NodeId>(i));
  }
  return nodes;
}

/// Every part makes its own problem, in which the nodes of others have no data. Gives the result of part 0, with the w
/// and u of all parts.
SolveResult solve_in_parts(const RandomProblem& shape, std::uint64_t seed, const Owners& owners, int parts,
                           const SolverOptions& options) {
  const Problem whole = random_problem(seed, shape);
  Meeting meeting(parts, whole.dimension(), whole.nodes());
  SolveResult outcome;
  Matrix w = Matrix::Zero(whole.dimension(), whole.nodes());
  Matrix u = Matrix::Zero(whole.dimension(), whole.edges());
  std::vector<std::thread> threads;
  for (int part = 0; part < parts; ++part) {
    threads.emplace_back([&, part] {
      const Problem problem = random_problem(seed, shape, [&](NodeId i) { return owners[i] == part; });
      std::vector<Shard> shards;
      shards.emplace_back(problem, nodes_of(owners, part));
      MeetingExchange exchange(meeting, part);
      auto result = solve(problem, shards, exchange, options);
      for (int turn = 0; turn < parts; ++turn) {
        if (turn == part) get_state(shards.front(), w, u);
        meeting.everyone.arrive_and_wait();
      }
      if (part == 0) outcome = *std::move(result);
    });
  }
  for (auto& thread : threads) thread.join();
  outcome.w = std::move(w);
  outcome.u = std::move(u);
  return outcome;
}

Owners random_owners(NodeId nodes, int parts) {
  Rng rng(7);
  Owners owners(nodes);
  for (int& owner : owners) owner = static_cast<int>(rng.below(parts));
  return owners;
}

void expect_same_run(const SolveResult& a, const SolveResult& b) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.w, b.w);
  EXPECT_EQ(a.u, b.u);
  EXPECT_EQ(a.objective, b.objective);
  EXPECT_EQ(a.certificate.kind, b.certificate.kind);
  EXPECT_EQ(a.certificate.value, b.certificate.value);
  ASSERT_EQ(a.trace.size(), b.trace.size());
  for (std::size_t k = 0; k < a.trace.size(); ++k) {
    EXPECT_EQ(a.trace[k].objective, b.trace[k].objective);
    EXPECT_EQ(a.trace[k].relative, b.trace[k].relative);
    EXPECT_EQ(a.trace[k].primal_weight, b.trace[k].primal_weight);
  }
}

TEST(Parts, ThatKnowOnlyTheirOwnDataGiveTheBitsOfOneProcess) {
  for (const std::string model : {"linear", "logistic", "point"}) {
    for (const std::string penalty : {"l2", "l1", "linf", "squared_l2", "quadratic", "singular"}) {
      SCOPED_TRACE(model + " " + penalty);
      const RandomProblem shape{.model = model, .penalty = penalty, .nodes = 30, .extra_edges = 30};
      const SolverOptions options{.tolerance = 1e-6, .max_iterations = 3000, .accelerators = Accelerators::none()};
      const SolveResult alone = solve(random_problem(3, shape), options);
      for (const int parts : {2, 5}) {
        SCOPED_TRACE(parts);
        expect_same_run(solve_in_parts(shape, 3, random_owners(30, parts), parts, options), alone);
      }
    }
  }
}

TEST(Parts, CertifyWithoutSeeingTheWhole) {
  const RandomProblem shape{.nodes = 30, .extra_edges = 30, .without_data_every = 0};
  const SolveResult best = solve(random_problem(4, shape), {.tolerance = 1e-11});
  const SolveResult found =
      solve_in_parts(shape, 4, random_owners(30, 3), 3, {.tolerance = 1e-6, .accelerators = Accelerators::none()});
  EXPECT_EQ(found.status, SolveStatus::kSolved);
  EXPECT_LE(found.certificate.relative, 1e-6);
  EXPECT_LE(found.objective - best.objective, found.certificate.value);
}

TEST(SavedState, GoesOnAsIfNothingHadHappened) {
  for (const std::string model : {"linear", "logistic"}) {
    const Problem problem = random_problem(5, {.model = model, .nodes = 40, .extra_edges = 40});
    const SolverOptions options{.tolerance = 1e-7, .accelerators = Accelerators::none()};
    for (const std::int64_t stop : {1, 20, 47}) {
      SCOPED_TRACE(::testing::Message() << model << ", saved after iteration " << stop);
      SolverState saved;
      Matrix w(problem.dimension(), problem.nodes());
      Matrix u(problem.dimension(), problem.edges());
      Matrix w_window;
      Matrix u_window;
      SolveContext context;
      context.save = [&](const SolverState& state, std::span<const Shard> shards) -> Status {
        if (state.progress.iteration != stop) return Unit{};
        saved = state;
        for (const Shard& shard : shards) get_state(shard, w, u);
        w_window = shards.front().w_window;
        u_window = shards.front().u_window;
        return Unit{};
      };
      SelfExchange exchange;
      std::vector<Shard> undisturbed;
      undisturbed.push_back(Shard::whole(problem));
      const SolveResult expected = *solve(problem, undisturbed, exchange, options, context);
      ASSERT_GT(expected.iterations, stop);

      std::vector<Shard> shards;
      shards.push_back(Shard::whole(problem));
      set_state(shards.front(), w, u);
      shards.front().w_window = w_window;
      shards.front().u_window = u_window;
      expect_same_run(*solve(problem, shards, exchange, options, {.seconds = {}, .observe = {}, .resume = &saved}),
                      expected);
    }
  }
}

TEST(Exchange, EndsTheRunWhenItFails) {
  class Broken final : public Exchange {
   public:
    [[nodiscard]] Status swap(std::span<Shard> /*shards*/) override { return runtime_failure("the cable is cut"); }
    [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override { return parts.front(); }
  };
  const Problem problem = random_problem(6, {});
  std::vector<Shard> shards;
  shards.push_back(Shard::whole(problem));
  Broken exchange;
  const auto result = solve(problem, shards, exchange, {.accelerators = Accelerators::none()});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().messages.front(), "the cable is cut");
}

TEST(Exchange, GetsOnWithWhatWasSentWhileTheOtherNodesAreUpdated) {
  /// Two shards in one process; notes how often it may get on between send and swap.
  class Watched final : public Exchange {
   public:
    void send(std::span<const Shard> /*shards*/) override { under_way_ = true; }
    void progress() override { calls_ += under_way_ ? 1 : 0; }
    [[nodiscard]] Status swap(std::span<Shard> shards) override {
      least_ = std::min(least_, std::exchange(calls_, 0));
      under_way_ = false;
      for (std::size_t k = 0; k < shards.size(); ++k) {
        const Shard& other = shards[1 - k];
        const auto from = std::find(other.nodes.begin(), other.nodes.end(), shards[k].nodes.back());
        shards[k].w_next.rightCols(1) = other.w_next.col(from - other.nodes.begin());
      }
      return Unit{};
    }
    [[nodiscard]] Result<SteeringSums> sum(std::span<const SteeringSums> parts) override {
      SteeringSums total;
      for (const SteeringSums& part : parts) total.add(part);
      return total;
    }
    [[nodiscard]] int least() const { return least_; }

   private:
    bool under_way_ = false;
    int calls_ = 0;
    int least_ = std::numeric_limits<int>::max();
  };
  // A chain that is long enough for several slices, cut in the middle: one ghost on each side.
  constexpr NodeId kNodes = 20'000;
  std::vector<WeightedEdge> edges;
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < kNodes; ++i) {
    losses.push_back(QuadraticLoss::points(Matrix::Constant(3, 1, i % 7), 1, 0));
    if (i > 0) edges.push_back({i - 1, i, 1});
  }
  const Problem problem =
      *Problem::make(*EmpiricalGraph::make(kNodes, std::move(edges)), std::move(losses), *make_penalty("l2"), 0.5);
  const SolverOptions options{.tolerance = 0, .max_iterations = 30, .accelerators = Accelerators::none(), .threads = 1};
  std::vector<NodeId> nodes(kNodes);
  std::iota(nodes.begin(), nodes.end(), 0);
  std::vector<Shard> shards;
  shards.emplace_back(problem, std::vector<NodeId>(nodes.begin(), nodes.begin() + kNodes / 2));
  shards.emplace_back(problem, std::vector<NodeId>(nodes.begin() + kNodes / 2, nodes.end()));
  Watched exchange;
  const auto result = solve(problem, shards, exchange, options);
  ASSERT_TRUE(result.ok());
  EXPECT_GE(exchange.least(), 10);
  EXPECT_EQ(result->w, solve(problem, options).w);
}

TEST(SteeringSums, SurviveTheJourneyAsBytes) {
  SteeringSums sums;
  Rng rng(8);
  for (auto& sum : sums.sums) {
    for (int k = 0; k < 20; ++k) sum.add(std::ldexp(rng.normal(), static_cast<int>(rng.below(600)) - 300));
  }
  sums.sums[3].add(-1e300);
  sums.sums[4].add(std::numeric_limits<double>::quiet_NaN());
  sums.maxima = {1.5, 0, 1e-300, 12};
  const auto bytes = pack(sums);
  const SteeringSums back = *unpack(bytes);
  for (int k = 0; k < SteeringSums::kQuantities; ++k) EXPECT_EQ(back.sums[k].limbs(), sums.sums[k].limbs());
  EXPECT_EQ(back.maxima, sums.maxima);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_FALSE(unpack(std::string_view(bytes).substr(0, length)).ok());
  }
  auto damaged = bytes;
  damaged[22] = 0x7f;  // a limb beyond its range
  EXPECT_FALSE(unpack(damaged).ok());
}

}  // namespace
}  // namespace gtvmin
