// The paper's Algorithm 1, written down with dense matrices and without any of the library's kernels.

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

constexpr Index kD = 3;
constexpr NodeId kTextbookNodes = 9;
constexpr double kLambda = 0.2;

struct Textbook {
  EmpiricalGraph graph;
  std::vector<Matrix> x;  // features of each node, d × m; m = 0: no data
  std::vector<Vector> y;
  std::string penalty;
  Matrix q;  // of the quadratic penalty
};

Textbook make_textbook(const std::string& penalty) {
  Rng rng(71);
  Textbook book{random_graph(rng, kTextbookNodes, 8), {}, {}, penalty, {}};
  for (NodeId i = 0; i < kTextbookNodes; ++i) {
    const auto m = static_cast<Index>(i % 4 == 2 ? 0 : 1 + rng.below(5));
    book.x.push_back(random_matrix(rng, kD, m));
    book.y.push_back(random_vector(rng, m, 1));
  }
  const Matrix root = random_matrix(rng, kD, 2);
  book.q = root * root.transpose();
  book.q = (book.q + book.q.transpose()).eval() / 2;
  return book;
}

Problem as_problem(const Textbook& book) {
  std::vector<LossPtr> losses;
  for (NodeId i = 0; i < kTextbookNodes; ++i) {
    const auto m = static_cast<double>(book.y[i].size());
    losses.push_back(m == 0 ? QuadraticLoss::zero(kD)
                            : QuadraticLoss::least_squares(book.x[i], book.y[i], 1 / m, Vector::Zero(kD)));
  }
  return *Problem::make(book.graph, std::move(losses), *make_penalty(book.penalty, book.q), kLambda);
}

/// argmin_z (1/m)‖Xᵀz − y‖² + (ρ/2)‖z − v‖² by its normal equations.
Vector primal_update(const Matrix& x, const Vector& y, const Vector& v, double rho) {
  if (y.size() == 0) return v;
  const double scale = 2 / static_cast<double>(y.size());
  const Matrix system = scale * x * x.transpose() + rho * Matrix::Identity(kD, kD);
  return system.ldlt().solve(scale * x * y + rho * v);
}

/// The projection onto ‖u‖₁ ≤ κ by bisection on the threshold.
Vector project_l1_ball(const Vector& x, double kappa) {
  if (x.lpNorm<1>() <= kappa) return x;
  double low = 0;
  double high = x.lpNorm<Eigen::Infinity>();
  for (int k = 0; k < 200; ++k) {
    const double middle = (low + high) / 2;
    ((x.cwiseAbs().array() - middle).cwiseMax(0).sum() > kappa ? low : high) = middle;
  }
  return (x.array().sign() * (x.cwiseAbs().array() - high).cwiseMax(0)).matrix();
}

Vector dual_update(const Textbook& book, const Vector& x, double kappa, double sigma) {
  if (book.penalty == "l2") return x.norm() <= kappa ? x : Vector(kappa / x.norm() * x);
  if (book.penalty == "l1") return x.cwiseMin(kappa).cwiseMax(-kappa);
  if (book.penalty == "linf") return project_l1_ball(x, kappa);
  if (book.penalty == "squared_l2") return x / (1 + sigma / kappa);
  return (kappa * book.q + sigma * Matrix::Identity(kD, kD)).partialPivLu().solve(kappa * book.q * x);
}

struct State {
  Matrix w = Matrix::Zero(kD, kTextbookNodes);
  Matrix u;
};

State run_textbook(const Textbook& book, int iterations, double sigma = 0.5) {
  const auto& graph = book.graph;
  Matrix incidence = Matrix::Zero(graph.edges(), kTextbookNodes);
  for (EdgeId e = 0; e < graph.edges(); ++e) {
    incidence(e, graph.head(e)) = 1;
    incidence(e, graph.tail(e)) = -1;
  }
  State state;
  state.u = Matrix::Zero(kD, graph.edges());
  for (int k = 0; k < iterations; ++k) {
    const Matrix before = state.w;
    const Matrix sums = state.u * incidence;
    for (NodeId i = 0; i < kTextbookNodes; ++i) {
      const auto degree = static_cast<double>(graph.degree(i));
      const Vector v = state.w.col(i) - sums.col(i) / degree;
      state.w.col(i) = primal_update(book.x[i], book.y[i], v, degree);
    }
    const Matrix moved = state.u + sigma * (2 * state.w - before) * incidence.transpose();
    for (EdgeId e = 0; e < graph.edges(); ++e) {
      state.u.col(e) = dual_update(book, moved.col(e), kLambda * graph.weight(e), sigma);
    }
  }
  return state;
}

TEST(Algorithm1, ItsIteratesAreThoseOfTheTextbook) {
  for (const auto& penalty : penalty_names()) {
    const auto book = make_textbook(penalty);
    const auto problem = as_problem(book);
    for (const int iterations : {1, 10, 20, 21, 100}) {
      SCOPED_TRACE(::testing::Message() << penalty << " after " << iterations);
      const auto result = solve(problem, {.method = Method::kAlgorithm1,
                                          .tolerance = 0,
                                          .max_iterations = iterations,
                                          .accelerators = Accelerators::none()});
      const auto expected = run_textbook(book, iterations);
      EXPECT_EQ(result.iterations, iterations);
      EXPECT_LE((result.w - expected.w).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LE((result.u - expected.u).cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST(Algorithm1, CanTakeASmallerDualStep) {
  for (const auto& penalty : penalty_names()) {
    SCOPED_TRACE(penalty);
    const auto book = make_textbook(penalty);
    const auto result = solve(as_problem(book), {.method = Method::kAlgorithm1,
                                                 .tolerance = 0,
                                                 .max_iterations = 21,
                                                 .dual_scale = 0.9,
                                                 .accelerators = Accelerators::none()});
    const auto expected = run_textbook(book, 21, 0.45);
    EXPECT_LE((result.w - expected.w).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LE((result.u - expected.u).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(Algorithm1, CanBeWatchedIterationByIteration) {
  const auto book = make_textbook("l2");
  const auto problem = as_problem(book);
  std::int64_t seen = 0;
  SolveContext context;
  context.watch = [&](std::int64_t iteration, const Matrix& w) {
    EXPECT_EQ(iteration, ++seen);
    EXPECT_LE((w - run_textbook(book, static_cast<int>(iteration)).w).cwiseAbs().maxCoeff(), 1e-12);
  };
  const auto result =
      solve(problem,
            {.method = Method::kAlgorithm1, .tolerance = 0, .max_iterations = 12, .accelerators = Accelerators::none()},
            context);
  EXPECT_EQ(seen, 12);
}

TEST(Algorithm1, AndTheAdaptiveMethodFindTheOptimumOfTheTextbook) {
  for (const auto& penalty : penalty_names()) {
    SCOPED_TRACE(penalty);
    const auto book = make_textbook(penalty);
    const auto problem = as_problem(book);
    const double reference = objective(problem, run_textbook(book, 20'000).w);
    const auto result = solve(problem, {.tolerance = 1e-10});
    if (penalty != "quadratic") {  // its matrix is singular here: no bound
      EXPECT_EQ(result.status, SolveStatus::kSolved);
    }
    EXPECT_NEAR(result.objective, reference, 1e-8 * reference);
  }
}

TEST(Solve, KeepsThePrimalWeightItIsGiven) {
  const auto book = make_textbook("l2");
  const auto problem = as_problem(book);
  const double reference = objective(problem, run_textbook(book, 20'000).w);
  for (const double omega : {0.3, 20.0}) {
    const auto result =
        solve(problem, {.tolerance = 1e-8, .primal_weight = omega, .accelerators = Accelerators::none()});
    EXPECT_EQ(result.status, SolveStatus::kSolved);
    EXPECT_NEAR(result.objective, reference, 1e-7 * reference);
    EXPECT_EQ(result.primal_weight, omega);
    for (const IterationRecord& record : result.trace) EXPECT_EQ(record.primal_weight, omega);
  }
}

}  // namespace
}  // namespace gtvmin
