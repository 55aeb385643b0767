#include "gtvmin/second_order/block_system.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "testing/random_problems.h"

namespace gtvmin {
namespace {

/// Blocks of given rank per node and per edge, and the operator they make.
struct System {
  const EmpiricalGraph& graph;
  Index d;
  Matrix node_blocks;
  std::vector<Matrix> edge_blocks;

  System(Rng& rng, const EmpiricalGraph& over, Index dimension, Index node_rank, Index edge_rank)
      : graph(over), d(dimension), node_blocks(dimension, dimension * over.nodes()) {
    for (NodeId i = 0; i < graph.nodes(); ++i) node_blocks.middleCols(i * d, d) = semidefinite(rng, node_rank);
    for (EdgeId e = 0; e < graph.edges(); ++e) edge_blocks.push_back(semidefinite(rng, edge_rank));
  }
  [[nodiscard]] Matrix semidefinite(Rng& rng, Index rank) const {
    const Matrix root = random_matrix(rng, d, rank);
    return root * root.transpose();
  }
  void set(BlockSystem& system) const {
    system.set(node_blocks, [this](EdgeId e, const double* dx, double* out) {
      Eigen::Map<Vector>(out, d) = edge_blocks[e] * Eigen::Map<const Vector>(dx, d);
    });
  }
  [[nodiscard]] Matrix apply(const Matrix& p) const {
    Matrix flow = apply_incidence(graph, p);
    for (EdgeId e = 0; e < graph.edges(); ++e) flow.col(e) = edge_blocks[e] * flow.col(e).eval();
    Matrix out = apply_incidence_transpose(graph, flow);
    for (NodeId i = 0; i < graph.nodes(); ++i) out.col(i) += node_blocks.middleCols(i * d, d) * p.col(i);
    return out;
  }
  [[nodiscard]] Matrix dense() const {
    const Index size = d * graph.nodes();
    Matrix matrix(size, size);
    for (Index k = 0; k < size; ++k) {
      Matrix unit = Matrix::Zero(d, graph.nodes());
      unit(k % d, k / d) = 1;
      matrix.col(k) = apply(unit).reshaped();
    }
    return matrix;
  }
};

TEST(BlockSystem, AgreesWithADenseSolve) {
  Rng rng(21);
  for (const Index d : {1, 2, 5}) {
    const auto graph = random_graph(rng, 15, 20);
    const System system(rng, graph, d, d, 1);
    BlockSystem solver(graph, d);
    ASSERT_TRUE(solver.is_direct());
    system.set(solver);
    const Matrix b = random_matrix(rng, d, graph.nodes());
    const Matrix p = solver.solve(b, 1e-15);
    const Vector reference = system.dense().fullPivLu().solve(Vector(b.reshaped()));
    EXPECT_LE((Vector(p.reshaped()) - reference).norm(), 1e-8 * reference.norm());
    EXPECT_LE((system.apply(p) - b).norm(), 1e-12 * b.norm());
  }
}

TEST(BlockSystem, SolvesSingularConsistentSystems) {
  Rng rng(22);
  for (const Index d : {1, 3}) {
    const auto graph = random_graph(rng, 20, 15);
    for (const Index edge_rank : {d, Index{1}}) {
      const System system(rng, graph, d, 0, edge_rank);  // no node holds anything in place
      BlockSystem solver(graph, d);
      system.set(solver);
      const Matrix b = system.apply(random_matrix(rng, d, graph.nodes()));
      EXPECT_LE((system.apply(solver.solve(b, 1e-15)) - b).norm(), 1e-10 * b.norm());
    }
  }
}

TEST(BlockSystem, SolvesAgainAfterTheBlocksChange) {
  Rng rng(23);
  const auto graph = random_graph(rng, 10, 10);
  BlockSystem solver(graph, 2);
  const Matrix b = random_matrix(rng, 2, 10);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const System system(rng, graph, 2, 2, 2);
    system.set(solver);
    EXPECT_LE((system.apply(solver.solve(b, 1e-15)) - b).norm(), 1e-12 * b.norm());
  }
}

TEST(BlockSystem, IteratesWhereAFactorisationWouldFillIn) {
  Rng rng(24);
  constexpr NodeId kNodes = 5101;
  std::vector<WeightedEdge> edges;
  for (NodeId i = 0; i < kNodes; ++i) {
    for (const NodeId step : {1, 2, 17, 99, 431, 703, 1201, 1999, 2447}) edges.push_back({i, (i + step) % kNodes, 1});
  }
  const auto graph = *EmpiricalGraph::make(kNodes, std::move(edges));
  BlockSystem solver(graph, 2);
  ASSERT_FALSE(solver.is_direct());
  EXPECT_GT(solver.work(), 0);
  const System regular(rng, graph, 2, 2, 2);
  regular.set(solver);
  const Matrix b = random_matrix(rng, 2, kNodes);
  EXPECT_LE((regular.apply(solver.solve(b, 1e-12)) - b).norm(), 1e-11 * b.norm());

  const System singular(rng, graph, 2, 0, 2);
  singular.set(solver);
  const Matrix consistent = singular.apply(b);
  EXPECT_LE((singular.apply(solver.solve(consistent, 1e-10)) - consistent).norm(), 1e-9 * consistent.norm());
}

TEST(BlockSystem, FactorisesWhatIsDearOnlyWhereGradientsDoNotGetThere) {
  Rng rng(26);
  constexpr NodeId kNodes = 503;
  constexpr Index kDimension = 4;
  std::vector<WeightedEdge> edges;
  for (NodeId i = 0; i < kNodes; ++i) {
    for (const NodeId step : {1, 17, 99, 211}) edges.push_back({i, (i + step) % kNodes, 1});
  }
  const auto graph = *EmpiricalGraph::make(kNodes, std::move(edges));
  BlockSystem solver(graph, kDimension);
  ASSERT_TRUE(solver.is_direct());
  const Matrix b = random_matrix(rng, kDimension, kNodes);
  System system(rng, graph, kDimension, kDimension, kDimension);
  for (const double stiffness : {1.0, 1e8, 1.0}) {  // with the second one, gradients would take thousands of steps
    for (EdgeId e = 0; e < graph.edges(); e += 2) system.edge_blocks[e] *= stiffness;
    system.set(solver);
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Matrix p = solver.solve(b, 1e-15);
      EXPECT_LE((system.apply(p) - b).norm(), 1e-8 * b.norm());
      EXPECT_EQ(solver.is_factorised(), stiffness > 1);
    }
    for (EdgeId e = 0; e < graph.edges(); e += 2) system.edge_blocks[e] /= stiffness;
  }
}

TEST(BlockSystem, HasTheAnswerZeroForZero) {
  Rng rng(25);
  const auto graph = random_graph(rng, 4, 2);
  const System system(rng, graph, 2, 0, 1);
  BlockSystem solver(graph, 2);
  system.set(solver);
  EXPECT_TRUE(solver.solve(Matrix::Zero(2, 4), 1e-12).isZero(0));
}

}  // namespace
}  // namespace gtvmin
