#include <gtest/gtest.h>

#include <utility>

#include "gtvmin/solver/solver.h"
#include "testing/random_problems.h"

namespace gtvmin {
namespace {

// Large enough that sweeps are really shared out: below some 2·10⁵ numbers an iteration stays on one thread.
Problem large_problem(const std::string& model, const std::string& penalty) {
  return random_problem(
      91, {.model = model, .penalty = penalty, .nodes = 1000, .extra_edges = 1500, .dimension = 8, .lambda = 0.05});
}

TEST(Threads, GiveTheSameBitsForEveryNumber) {
  for (const std::string model : {"linear", "logistic"}) {
    const auto problem = large_problem(model, "l2");
    for (const auto& [method, tolerance] :
         {std::pair(Method::kAdaptive, 0.0), {Method::kAdaptive, 1e-9}, {Method::kAlgorithm1, 0.0}}) {
      SolverOptions options{.method = method, .tolerance = tolerance, .max_iterations = 45, .threads = 1};
      const auto one = solve(problem, options);
      for (const int threads : {2, 3}) {
        SCOPED_TRACE(::testing::Message() << model << ", " << threads << " threads");
        options.threads = threads;
        const auto many = solve(problem, options);
        EXPECT_TRUE(many.w == one.w);
        EXPECT_TRUE(many.u == one.u);
        EXPECT_EQ(many.certificate.value, one.certificate.value);
        ASSERT_EQ(many.trace.size(), one.trace.size());
        for (std::size_t k = 0; k < one.trace.size(); ++k) {
          EXPECT_EQ(many.trace[k].objective, one.trace[k].objective);
          EXPECT_EQ(many.trace[k].certificate, one.trace[k].certificate);
          EXPECT_EQ(many.trace[k].primal_weight, one.trace[k].primal_weight);
        }
      }
    }
  }
}

}  // namespace
}  // namespace gtvmin
