#include "gtvmin/second_order/block_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

const std::function<bool()> kNever = [] { return false; };
constexpr double kAny = std::numeric_limits<double>::infinity();

struct Edges {
  std::string name;
  NodeId nodes;
  std::vector<NodeId> heads;
  std::vector<NodeId> tails;

  void add(NodeId head, NodeId tail) {
    heads.push_back(head);
    tails.push_back(tail);
  }
};

Edges chain(NodeId nodes) {
  Edges edges{"chain", nodes, {}, {}};
  for (NodeId i = 1; i < nodes; ++i) edges.add(i % 2 == 0 ? i : i - 1, i % 2 == 0 ? i - 1 : i);
  return edges;
}

Edges star(NodeId nodes) {
  Edges edges{"star", nodes, {}, {}};
  for (NodeId i = 1; i < nodes; ++i) edges.add(0, i);
  return edges;
}

Edges grid(NodeId rows, NodeId columns) {
  Edges edges{"grid", rows * columns, {}, {}};
  for (NodeId i = 0; i < edges.nodes; ++i) {
    if ((i + 1) % columns != 0) edges.add(i, i + 1);
    if (i + columns < edges.nodes) edges.add(i + columns, i);
  }
  return edges;
}

Edges complete(NodeId nodes) {
  Edges edges{"complete", nodes, {}, {}};
  for (NodeId i = 0; i < nodes; ++i) {
    for (NodeId j = 0; j < i; ++j) edges.add(i, j);
  }
  return edges;
}

/// Every node i > 0 is connected to one before it.
Edges random_tree(Rng& rng, NodeId nodes) {
  Edges edges{"tree", nodes, {}, {}};
  for (NodeId i = 1; i < nodes; ++i) edges.add(i, static_cast<NodeId>(rng.below(i)));
  return edges;
}

/// Every pair of nodes is connected with probability 1 / sparsity.
Edges random_pairs(Rng& rng, NodeId nodes, int sparsity) {
  Edges edges{"random 1/" + std::to_string(sparsity), nodes, {}, {}};
  for (NodeId i = 0; i < nodes; ++i) {
    for (NodeId j = 0; j < i; ++j) {
      if (rng.below(sparsity) == 0) edges.add(j, i);
    }
  }
  return edges;
}

/// A hub that is connected to every node of a cycle.
Edges wheel(NodeId nodes) {
  Edges edges = star(nodes);
  edges.name = "wheel";
  for (NodeId i = 1; i < nodes; ++i) edges.add(i, i + 1 < nodes ? i + 1 : 1);
  return edges;
}

Edges disconnected(Rng& rng) {
  Edges edges{"disconnected", 60, {}, {}};
  for (const auto& [part, first] : {std::pair(random_pairs(rng, 20, 4), 0), std::pair(chain(15), 25)}) {
    for (std::size_t e = 0; e < part.heads.size(); ++e) edges.add(first + part.heads[e], first + part.tails[e]);
  }
  return edges;
}

std::vector<Edges> graphs() {
  Rng rng(4);
  std::vector<Edges> all{chain(60),
                         star(50),
                         grid(8, 9),
                         complete(20),
                         wheel(500),
                         {"node", 1, {}, {}},
                         {"no edges", 10, {}, {}},
                         {"pair", 2, {1}, {0}}};
  all.push_back(random_tree(rng, 70));
  for (const int sparsity : {2, 6, 20, 40}) all.push_back(random_pairs(rng, 60, sparsity));
  all.push_back(disconnected(rng));
  return all;
}

/// A diagonally dominant matrix.
struct System {
  Matrix diagonal;
  Matrix off_diagonal;

  System(Rng& rng, const Edges& edges, Index d)
      : diagonal(Matrix::Zero(d, d * edges.nodes)),
        off_diagonal(random_matrix(rng, d, d * static_cast<Index>(edges.heads.size()))) {
    for (NodeId i = 0; i < edges.nodes; ++i) {
      const Matrix a = random_matrix(rng, d, d);
      block(i) = a * a.transpose() + Matrix::Identity(d, d);
    }
    for (std::size_t e = 0; e < edges.heads.size(); ++e) {
      const double norm = off_diagonal.middleCols(static_cast<Index>(e) * d, d).norm();
      block(edges.heads[e]).diagonal().array() += norm;
      block(edges.tails[e]).diagonal().array() += norm;
    }
  }
  Eigen::Block<Matrix, Eigen::Dynamic, Eigen::Dynamic, true> block(NodeId i) {
    return diagonal.middleCols(i * diagonal.rows(), diagonal.rows());
  }

  [[nodiscard]] Matrix dense(const Edges& edges) const {
    const Index d = diagonal.rows();
    Matrix matrix = Matrix::Zero(diagonal.cols(), diagonal.cols());
    for (NodeId i = 0; i < edges.nodes; ++i) matrix.block(i * d, i * d, d, d) = diagonal.middleCols(i * d, d);
    for (std::size_t e = 0; e < edges.heads.size(); ++e) {
      const auto b = off_diagonal.middleCols(static_cast<Index>(e) * d, d);
      matrix.block(edges.heads[e] * d, edges.tails[e] * d, d, d) = b;
      matrix.block(edges.tails[e] * d, edges.heads[e] * d, d, d) = b.transpose();
    }
    return matrix;
  }
};

EliminationPlan plan_of(const Edges& edges, Index d) {
  return std::get<EliminationPlan>(
      EliminationPlan::make(edges.nodes, edges.heads, edges.tails, d, {kAny, kAny}, kNever));
}

bool factorise(BlockCholesky& factor, const System& system, double relative = 0) {
  return factor.factorise(system.diagonal.data(), system.off_diagonal.data(), relative, kNever);
}

TEST(BlockCholesky, SolvesWhatADenseFactorisationSolves) {
  ThreadTeam team(2);
  for (const Edges& edges : graphs()) {
    for (const Index d : {1, 2, 3, 5, 8}) {
      if (edges.nodes * d > 1000) continue;
      Rng rng(7);
      const EliminationPlan plan = plan_of(edges, d);
      BlockCholesky factor(plan, team);
      for (const double relative : {0.0, 0.5}) {  // all memory is used again
        System system(rng, edges, d);
        Matrix dense = system.dense(edges);
        dense.diagonal() *= 1 + relative;
        const Matrix b = random_matrix(rng, d, edges.nodes);
        ASSERT_TRUE(factorise(factor, system, relative)) << edges.name;
        Matrix x = b;
        factor.solve(x);
        const Vector expected = dense.ldlt().solve(Vector(b.reshaped()));
        EXPECT_LE((x.reshaped() - expected).norm(), 1e-11 * expected.norm()) << edges.name << ", d = " << d;
      }
    }
  }
}

TEST(BlockCholesky, OrdersEveryNodeOnceAndKeepsTreesFreeOfFill) {
  for (const Edges& edges : graphs()) {
    const EliminationPlan plan = plan_of(edges, 30);
    std::vector<NodeId> order(plan.order().begin(), plan.order().end());
    std::sort(order.begin(), order.end());
    std::vector<NodeId> expected(edges.nodes);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
    if (static_cast<NodeId>(edges.heads.size()) != edges.nodes - 1 || edges.name.starts_with("random")) continue;
    // Of blocks of this size only the last two are merged.
    EXPECT_EQ(plan.numbers(), 900.0 * (2 * edges.nodes - 1 + (edges.nodes > 1 ? 1 : 0))) << edges.name;
  }
}

TEST(BlockCholesky, HasTheSameBitsForEveryNumberOfThreads) {
  Rng rng(9);
  for (const Edges& edges :
       {grid(40, 40), random_tree(rng, 3000), chain(3000), random_pairs(rng, 150, 30), complete(60), star(3000)}) {
    const Index d = edges.name == "complete" ? 12 : 4;
    const EliminationPlan plan = plan_of(edges, d);
    EXPECT_EQ(plan.tasks().size() > 1, edges.name != "complete" && edges.name != "star") << edges.name;
    const System system(rng, edges, d);
    const Matrix b = random_matrix(rng, d, edges.nodes);
    Matrix first;
    for (const int threads : {1, 2, 3}) {
      ThreadTeam team(threads);
      BlockCholesky factor(plan, team);
      for (int round = 0; round < 3; ++round) {
        ASSERT_TRUE(factorise(factor, system));
        Matrix x = b;
        factor.solve(x);
        if (first.size() == 0) first = x;
        EXPECT_EQ(std::memcmp(first.data(), x.data(), sizeof(double) * static_cast<std::size_t>(x.size())), 0)
            << edges.name << ", threads = " << threads;
      }
    }
    Matrix residual = -b;
    for (NodeId i = 0; i < edges.nodes; ++i) residual.col(i) += system.diagonal.middleCols(i * d, d) * first.col(i);
    for (std::size_t e = 0; e < edges.heads.size(); ++e) {
      const auto block = system.off_diagonal.middleCols(static_cast<Index>(e) * d, d);
      residual.col(edges.heads[e]) += block * first.col(edges.tails[e]);
      residual.col(edges.tails[e]) += block.transpose() * first.col(edges.heads[e]);
    }
    EXPECT_LE(residual.norm(), 1e-12 * b.norm()) << edges.name;
  }
}

TEST(BlockCholesky, RefusesMatricesThatAreNotPositiveDefinite) {
  ThreadTeam team(2);
  Rng rng(11);
  const Edges edges = grid(30, 30);
  constexpr Index kD = 3;
  const EliminationPlan plan = plan_of(edges, kD);
  BlockCholesky factor(plan, team);
  for (const double bad : {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), kAny}) {
    for (const NodeId node : {0, 450, 899}) {
      System system(rng, edges, kD);
      ASSERT_TRUE(factorise(factor, system));
      system.block(node)(1, 1) = bad;
      EXPECT_FALSE(factorise(factor, system)) << bad;
      EXPECT_FALSE(factor.stopped());
    }
  }
}

TEST(BlockCholesky, StopsWhenItIsTold) {
  ThreadTeam team(1);
  Rng rng(12);
  const Edges edges = grid(50, 50);
  const EliminationPlan plan = plan_of(edges, 4);
  BlockCholesky factor(plan, team);
  const System system(rng, edges, 4);
  int asked = 0;
  ASSERT_TRUE(factor.factorise(system.diagonal.data(), system.off_diagonal.data(), 0, [&] { return ++asked < 0; }));
  EXPECT_GE(asked, 5);
  for (const int most : {1, asked / 2}) {
    int calls = 0;
    const auto stop = [&] { return ++calls >= most; };
    EXPECT_FALSE(factor.factorise(system.diagonal.data(), system.off_diagonal.data(), 0, stop));
    EXPECT_TRUE(factor.stopped());
  }
  EXPECT_TRUE(factorise(factor, system));
  EXPECT_FALSE(factor.stopped());
}

TEST(EliminationPlan, CountsTheFlopsOfADenseMatrix) {
  // 1 root, n − 1 divisions and n (n − 1) multiplications and subtractions for a column of n entries: n² in all.
  for (const Index d : {1, 4}) {
    const Edges edges = complete(25);
    const EliminationPlan plan = plan_of(edges, d);
    double flops = 0;
    for (Index n = 1; n <= 25 * d; ++n) flops += static_cast<double>(n * n);
    EXPECT_EQ(plan.flops(), flops);
    EXPECT_EQ(plan.numbers(), static_cast<double>(25 * d * 25 * d));
  }
}

TEST(EliminationPlan, GivesUpBeyondItsLimits) {
  using Failure = EliminationPlan::Failure;
  Rng rng(13);
  for (const Edges& edges : {grid(40, 40), random_pairs(rng, 400, 40), chain(1000), complete(100)}) {
    const EliminationPlan plan = plan_of(edges, 2);
    for (const double share : {0.1, 0.5, 0.99, 1.0}) {
      const auto limited_flops =
          EliminationPlan::make(edges.nodes, edges.heads, edges.tails, 2, {share * plan.flops(), kAny}, kNever);
      const auto limited_numbers =
          EliminationPlan::make(edges.nodes, edges.heads, edges.tails, 2, {kAny, share * plan.numbers()}, kNever);
      for (const auto& limited : {limited_flops, limited_numbers}) {
        const auto* const failure = std::get_if<Failure>(&limited);
        ASSERT_EQ(failure != nullptr, share < 1) << edges.name;
        EXPECT_TRUE(failure == nullptr || *failure == Failure::kTooExpensive);
      }
    }
  }
}

TEST(EliminationPlan, ForecastsThatARandomGraphFillsIn) {
  Rng rng(14);
  constexpr NodeId kNodes = 50'000;
  Edges edges{"random", kNodes, {}, {}};
  for (NodeId i = 0; i < kNodes; ++i) {
    edges.add(i, (i + 1) % kNodes);
    edges.add(i, (i + 7 + static_cast<NodeId>(rng.below(kNodes / 2 - 10))) % kNodes);
  }
  int asked = 0;
  const auto stop = [&] { return ++asked < 0; };
  const auto plan = EliminationPlan::make(kNodes, edges.heads, edges.tails, 1, {1e9, kAny}, stop);
  ASSERT_TRUE(std::holds_alternative<EliminationPlan::Failure>(plan));
  EXPECT_LE(asked, 40);
}

TEST(EliminationPlan, StopsWhenItIsTold) {
  const Edges edges = grid(100, 100);
  for (const int most : {1, 2, 3}) {
    int asked = 0;
    const auto plan =
        EliminationPlan::make(edges.nodes, edges.heads, edges.tails, 1, {kAny, kAny}, [&] { return ++asked >= most; });
    ASSERT_TRUE(std::holds_alternative<EliminationPlan::Failure>(plan));
    EXPECT_EQ(std::get<EliminationPlan::Failure>(plan), EliminationPlan::Failure::kStopped);
  }
}

TEST(EliminationPlan, TakesLinearTimeForTreesAndStars) {
  Rng rng(15);
  for (const Edges& edges : {star(200'000), chain(200'000), random_tree(rng, 200'000), wheel(200'000)}) {
    int asked = 0;
    const auto plan =
        EliminationPlan::make(edges.nodes, edges.heads, edges.tails, 1, {1e9, 1e9}, [&] { return ++asked < 0; });
    ASSERT_TRUE(std::holds_alternative<EliminationPlan>(plan)) << edges.name;
    EXPECT_LE(asked, 60) << edges.name;
    EXPECT_LE(std::get<EliminationPlan>(plan).shared_arena(), 10'000) << edges.name;
  }
}

}  // namespace
}  // namespace gtvmin
